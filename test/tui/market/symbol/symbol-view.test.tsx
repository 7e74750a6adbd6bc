import { describe, expect, test, vi } from 'vitest'
import { FRIDAY_11 } from '../../../support/desk/desk.js'
import { ESC } from '../../support/shown.js'
import { fits, marketDesk, marketScreen, trade } from '../rig.js'

const asked = (id: string) => ({ target: { kind: 'symbol', id } as const, count: 1 })

async function opened(symbol = 'NSE:SBIN', list: readonly string[] = ['NSE:INFY']) {
  const desk = await marketDesk()
  const screen = await marketScreen(desk, { list, asked: asked(symbol) })
  await screen.shows('total buy')
  return { ...screen, desk }
}

describe('the details of a symbol', () => {
  test('show facts, prices, five levels of both sides and a chart, and fit', async () => {
    const { screen } = await opened()
    expect(screen()).toMatch(/^STATE BANK OF INDIA: EQ {2}lot 1 .*tick 0\.05/m)
    expect(screen()).toMatch(/^[\d,]+\.\d\d {2}[+-][\d.]+ \([+-][\d.]+%\) {2}\d+s old$/m)
    expect(screen()).toMatch(/^open .* high .* low .* prev .* volume /m)
    expect(screen().match(/ │ \d/g)).toHaveLength(5)
    expect(screen()).toContain('┤')
    expect(fits(screen())).toBe(true)
  })

  test('the order book is live', async () => {
    const { desk, shows } = await opened()
    await expect.poll(() => desk.http.desk.service.hub.mode({ exchange: 'NSE', symbol: 'SBIN' })).toBe(3)
    trade(desk, ['NSE', 'SBIN'], 812.5)
    await shows(/^812\.50 {2}\+12\.50 \(\+1\.56%\)/m)
    await shows(/█ +5 +811\.50 │ 813\.50 +6 +█/)
    await shows('total buy 300 (75%)  sell 100')
  })

  test('a future has its lot and expiry', async () => {
    const { screen } = await opened('NFO:NIFTY24NOV26FUT')
    expect(screen()).toMatch(/^NIFTY: FUT {2}lot 65 .*expiry 24-NOV-26$/m)
  })

  test.each([
    ['a adds it to the watch list', 'a', 'NSE:SBIN is added to the watch list.'],
    ['e opens the option chain', 'e', 'has no options'],
    ['esc goes back to the list', ESC, '1 symbol'],
    ['q goes back to the list', 'q', '1 symbol'],
  ])('%s', async (_what, key, text) => {
    const { press, shows } = await opened()
    await press(key)
    await shows(text)
  })

  test('a keeps the list, and n opens the form for an order', async () => {
    const { press, saved, jumps } = await opened()
    await press('a')
    await expect.poll(saved).toEqual(['NSE:INFY', 'NSE:SBIN'])
    await press('n')
    expect(jumps).toEqual([{ screen: 'orders', id: 'NSE:SBIN' }])
  })

  test('an unknown symbol says so', async () => {
    const desk = await marketDesk()
    const { shows, press } = await marketScreen(desk, { list: [], asked: asked('NSE:NONE') })
    await shows('NSE:NONE cannot be shown.')
    await press(ESC)
    await shows('The watch list is empty.')
  })

  test('a text that is no symbol opens nothing', async () => {
    const desk = await marketDesk()
    const { shows } = await marketScreen(desk, { list: [], asked: asked('\u202eSBIN') })
    await shows('"\\u202eSBIN" is not a symbol. Example: NSE:SBIN')
    await shows('The watch list is empty.')
  })

  test('without a connection the last prices stay, with their age', async () => {
    const { desk, shows, screen } = await opened()
    await desk.lose()
    vi.setSystemTime(Date.parse(FRIDAY_11) + 40_000)
    await shows(/4\ds old/)
    await expect.poll(screen).toMatch(/ NSE:SBIN: .+/)
    expect(screen()).toContain('total buy')
  })

  test('a small terminal has the prices without the chart', async () => {
    const desk = await marketDesk()
    const size = { width: 60, height: 13 }
    const { shows, screen } = await marketScreen(desk, { list: [], asked: asked('NSE:SBIN'), ...size })
    await shows('total buy')
    expect(screen()).not.toContain('┤')
    expect(fits(screen(), size)).toBe(true)
  })
})
