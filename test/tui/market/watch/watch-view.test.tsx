import { describe, expect, test, vi } from 'vitest'
import { FRIDAY_11 } from '../../../support/desk/desk.js'
import { ENTER, ESC } from '../../support/shown.js'
import { fits, marketDesk, marketScreen, trade } from '../rig.js'

const LIST = ['NSE:SBIN', 'NSE:INFY', 'NSE_INDEX:NIFTY']
const SBIN = ['NSE', 'SBIN'] as const

async function opened(list: readonly string[] = LIST) {
  const desk = await marketDesk()
  const screen = await marketScreen(desk, { list })
  await screen.shows(/SBIN +[\d,]+\.\d\d|is empty/)
  return { ...screen, desk, trade: (price: number) => trade(desk, SBIN, price) }
}

describe('the watch list', () => {
  test('shows last price, change, bid, ask, volume and age, and fits', async () => {
    const { screen, shows, desk, trade } = await opened()
    await expect.poll(() => desk.http.desk.service.hub.mode({ exchange: 'NSE', symbol: 'SBIN' })).toBe(2)
    trade(812.5)
    await shows(/^> {2}NSE:SBIN +812\.50 +\+1\.56 +811\.50 +813\.50 +1,000 +- +\d+s$/m)
    expect(screen()).toMatch(/^ 3 symbols +1 of 3$/m)
    expect(fits(screen())).toBe(true)
  })

  test('has room for the change in rupees on a wider terminal', async () => {
    const desk = await marketDesk()
    const { shows } = await marketScreen(desk, { list: LIST, width: 120 })
    await shows(/SYMBOL +LAST +CHG +CHG % +BID +ASK +VOLUME +OI +AGE/)
    await shows(/SBIN +[\d.]+ +[+-][\d.]+ +[+-][\d.]+ /)
  })

  test('follows the live prices of the rows on the screen only', async () => {
    const desk = await marketDesk()
    const hidden = Array.from({ length: 20 }, (_, index) => `NSE:NONE${index}`)
    const { shows, press } = await marketScreen(desk, { list: [...hidden, 'NSE:SBIN'], height: 10 })
    const mode = () => desk.http.desk.service.hub.mode({ exchange: 'NSE', symbol: 'SBIN' })
    await shows('NONE3')
    expect(mode()).toBeUndefined()
    await press('G')
    await expect.poll(mode).toBe(2)
    await press('g')
    await expect.poll(mode).toBeUndefined()
  })

  test('names why a symbol has no price', async () => {
    const { shows, press } = await opened([...LIST, 'NSE:NONE'])
    await press('G')
    await shows(/^NSE:NONE: .+/m)
  })

  test('d removes a symbol, and the daemon keeps that', async () => {
    const { shows, press, saved } = await opened()
    await press('j')
    await press('d')
    await shows('NSE:INFY is removed from the watch list. a adds it again.')
    await expect.poll(saved).toEqual(['NSE:SBIN', 'NSE_INDEX:NIFTY'])
    await shows(/^> {2}NSE_INDEX:NIFTY/m)
  })

  test('J and K move a row, however fast they are pressed', async () => {
    const { press, saved, shows } = await opened()
    await press('J')
    await press('J')
    await shows(/NIFTY .*\n> {2}NSE:SBIN/)
    await expect.poll(saved).toEqual(['NSE:INFY', 'NSE_INDEX:NIFTY', 'NSE:SBIN'])
    await press('K')
    await expect.poll(saved).toEqual(['NSE:INFY', 'NSE:SBIN', 'NSE_INDEX:NIFTY'])
    await press('G')
    await press('J')
    await press('g')
    await press('K')
    await press('J')
    await expect.poll(saved).toEqual(['NSE:SBIN', 'NSE:INFY', 'NSE_INDEX:NIFTY'])
  })

  test('moves no row while a column sorts them', async () => {
    const { press, shows, saved } = await opened()
    await press('o')
    await shows('by symbol')
    await press('J')
    await shows('A column sorts the rows.')
    expect(await saved()).toEqual(LIST)
  })

  test('o and O sort, / filters', async () => {
    const { press, shows, screen } = await opened()
    await press('o')
    await shows(/NIFTY(.|\n)*INFY(.|\n)*SBIN/)
    await press('O')
    await shows(/SBIN(.|\n)*INFY(.|\n)*NIFTY/)
    await press('/')
    await shows('Filter:')
    await press('infy')
    await shows('1 of 3 with "infy"')
    expect(screen()).not.toContain('SBIN')
    await press('x')
    await shows('No row passes the filter.')
    await press(ESC)
    await shows('SBIN')
  })

  test('keeps a change that another terminal makes at the same time', async () => {
    const { desk, press, saved } = await opened()
    await desk.client.call('chart', { 'svc.watchlist': JSON.stringify([...LIST, 'BSE:SBIN']) })
    await press('d')
    await expect.poll(saved).toEqual(['NSE:INFY', 'NSE_INDEX:NIFTY', 'BSE:SBIN'])
  })

  test.each([
    ['enter opens the details', ENTER, /total buy/],
    ['a opens the search', 'a', 'Type parts of a symbol'],
    ['e opens the option chain', 'e', /NSE:SBIN has no options on NFO\./],
  ])('%s', async (_what, key, text) => {
    const { press, shows } = await opened()
    await press(key)
    await shows(text)
    await press(ESC)
    await shows('3 symbols')
  })

  test('n opens the form for an order of the symbol, for an index it does not', async () => {
    const { press, jumps, shows } = await opened()
    await press('n')
    expect(jumps).toEqual([{ screen: 'orders', id: 'NSE:SBIN' }])
    await press('G')
    await press('n')
    await shows('NSE_INDEX:NIFTY is an index: it has no orders. e shows its options.')
    expect(jumps).toHaveLength(1)
  })
})

describe('the states of the list', () => {
  test('empty: it says how to begin', async () => {
    const { shows, press } = await opened([])
    await shows('The watch list is empty. a adds a symbol.')
    for (const key of [ENTER, 'd', 'e', 'n', 'J']) await press(key)
    await shows('The watch list is empty.')
  })

  test('loading: it says so', async () => {
    const desk = await marketDesk()
    const { screen } = await marketScreen(desk, { list: LIST })
    expect(screen()).toContain('Reading the watch list …')
  })

  test('disconnected: the prices grow old, then go on', async () => {
    const { desk, shows, screen } = await opened()
    await desk.lose()
    vi.setSystemTime(Date.parse(FRIDAY_11) + 65_000)
    await shows(/SBIN .* 1m \d\ds$/m)
    await expect.poll(screen).toMatch('no new prices: ')
    await desk.comeBack()
    await expect.poll(screen).toMatch(/^ 3 symbols +1 of 3$/m)
    await shows(/SBIN .* \ds$/m)
  }, 40_000)

  test('a broker without prices: the list is there, with the reason', async () => {
    const desk = await marketDesk()
    await desk.client.request('POST /broker/logout', {})
    const { shows } = await marketScreen(desk, { list: LIST })
    await shows(/^ 3 symbols, no new prices: .+/m)
    await shows(/NSE:SBIN +- /)
  })

  test('an unsaved change: the row comes back, with the reason', async () => {
    const { desk, press, shows } = await opened()
    await desk.lose()
    await press('d')
    await shows('The watch list is not saved. ')
    await shows('NSE:SBIN')
  })
})
