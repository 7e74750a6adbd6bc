import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { useKeyLayer } from '../../../src/tui/keys/KeysProvider.js'
import { OrderLogFeed } from '../../../src/tui/logs/requests.js'
import { logs } from '../../../src/tui/logs/screen.js'
import { LatencyLogFeed } from '../../../src/tui/logs/telemetry.js'
import { DOWN, ENTER, LEFT, RIGHT, shown, TAB } from '../support/shown.js'
import { type LogDesk, type LogName, logDesk, opened } from './log-desk.js'

const SHIFT_TAB = '\u001b[Z'
describe('each log', () => {
  it.each<[LogName, (desk: LogDesk, name: string) => void, row: RegExp, figures: string]>([
    [
      'orders',
      (desk, symbol) => desk.request('live', { symbol }, { orderid: '7' }),
      /placeorder +B1 .*success +orderid 7[\s\S]*placeorder +A1 /,
      '2 rows',
    ],
    [
      'analyzer',
      (desk, symbol) => desk.request('analyze', { symbol }),
      /placeorder +B1 [\s\S]*placeorder +A1 /,
      '24 hours: 2 requests, 0 issues  2 rows',
    ],
    [
      'traffic',
      (desk, name) => desk.traffic(`/api/${name}`, { statusCode: 404 }),
      /GET +\/api\/B1 +404 +1\.00[\s\S]*\/api\/A1/,
      ' errors, ',
    ],
    [
      'latency',
      (desk, symbol) => desk.latency(symbol),
      /TOTAL MS[\s\S]*PLACE +B1 +zerodha +SUCCESS +12\.00 +12\.00[\s\S]*A1/,
      '2 orders, 0 failed, ',
    ],
    [
      'errors',
      (desk, name) => desk.error(`boom ${name}`),
      /10:59:00 +ERROR +request\.failed +boom B1[\s\S]*boom A1/,
      '2 in the log, 2 in 24 hours, 2 in 1 hour',
    ],
  ])('%s has the newest first, and its figures, in 80 by 21', async (tab, add, row, figures) => {
    const desk = await logDesk()
    add(desk, 'A1')
    add(desk, 'B1')
    const { shows, screen } = await opened(desk, tab)
    await shows(row)
    await shows(figures)
    const lines = screen().split('\n')
    expect(lines.length).toBeLessThanOrEqual(21)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  it.each<[LogName, string]>([
    ['orders', 'No requests. Those of Analyzer mode are in the analyzer log.'],
    ['analyzer', 'No requests. Those of Live mode are in the order log.'],
    ['latency', 'Nothing was measured.'],
    ['errors', 'No errors.'],
  ])('%s says that it is empty', async (tab, text) => {
    const { shows } = await opened(await logDesk(), tab)
    await shows(text)
  })

  it.each<[LogName, (desk: LogDesk) => void]>([
    ['orders', (desk) => desk.request('live', { symbol: 'NEW' })],
    ['analyzer', (desk) => desk.request('analyze', { symbol: 'NEW' })],
    ['traffic', (desk) => desk.traffic('/NEW')],
    ['latency', (desk) => desk.latency('NEW')],
    ['errors', (desk) => desk.error('NEW')],
  ])('%s gets new rows', async (tab, add) => {
    const desk = await logDesk()
    const { shows } = await opened(desk, tab)
    await shows('following')
    add(desk)
    await shows('NEW')
  })
})

describe('the tabs', () => {
  it.each([
    ['tab', TAB, ['analyzer', 'traffic', 'latency', 'errors', 'orders']],
    ['l', 'l', ['analyzer']],
    ['right', RIGHT, ['analyzer']],
    ['shift-tab', SHIFT_TAB, ['errors', 'latency']],
    ['h', 'h', ['errors']],
    ['left', LEFT, ['errors']],
  ])('turn by %s', async (_, key, tabs) => {
    const { shows, press } = await (await logDesk()).show()
    await shows('[orders]')
    for (const tab of tabs) {
      await press(key)
      await shows(`[${tab}]`)
    }
  })
})

describe('the requests that only read', () => {
  it('are shown when they are asked for, not before', async () => {
    const desk = await logDesk()
    for (let read = 0; read < 3; read += 1) await desk.client.call('positionbook', {})
    desk.request('live', { symbol: 'SBIN' })
    const { shows, press, screen } = await opened(desk, 'orders')
    await shows(/without reads[\s\S]*SBIN/)
    expect(screen()).not.toContain('positionbook')
    await press('b')
    await shows(/with reads[\s\S]*positionbook/)
    await press('b')
    await shows('without reads')
    await expect.poll(screen).not.toContain('positionbook')
    await shows('SBIN')
  })
})

describe('following', () => {
  it('shows an order that is placed', async () => {
    const desk = await logDesk()
    const { shows, desk: tui } = await opened(desk, 'orders')
    await shows('No requests.')
    await expect.poll(() => tui.connection.state.get().kind).toBe('connected')
    await desk.client.call('placeorder', {
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 1,
      strategy: 'demo',
      product: 'MIS',
      pricetype: 'MARKET',
    })
    await shows(/^> .*placeorder +NSE:SBIN +success +orderid /m)
  })

  it('selects the newest row, and an order is there by its event', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'OLD' })
    const { shows } = await opened(desk, 'orders')
    await shows(/^> .*OLD/m)
    desk.request('live', { symbol: 'NEW' })
    await shows(/^> .*NEW/m)
  })

  it('ends and begins by f', async () => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'OLD' })
    const { shows, press, screen, desk: tui } = await opened(desk, 'orders')
    await shows(/^> .*OLD/m)
    await press('f')
    await shows('paused')
    desk.request('live', { symbol: 'NEW' })
    await tui.part(OrderLogFeed).refresh()
    expect(screen()).not.toContain('NEW')
    await press('f')
    await shows(/following[\s\S]*\n> .*NEW/)
  })

  it.each([
    ['down', DOWN],
    ['j', 'j'],
  ])('ends when the cursor leaves the newest row by %s', async (_, key) => {
    const desk = await logDesk()
    desk.request('live', { symbol: 'FIRST' })
    desk.request('live', { symbol: 'SECOND' })
    const { shows, press } = await opened(desk, 'orders')
    await shows(/^> .*SECOND/m)
    await press(key)
    await shows(/paused[\s\S]*\n> .*FIRST/)
    await press('f')
    await shows(/following[\s\S]*\n> .*SECOND/)
  })
})

describe('a log that grows', () => {
  it('keeps the newest rows only, and reads the others again', async () => {
    const desk = await logDesk()
    desk.latency('FIRST')
    const { shows, press, desk: tui } = await opened(desk, 'latency', { width: 160 })
    await shows('FIRST')
    for (let row = 1; row <= 2000; row += 1) desk.latency(`S${row}E`)
    const feed = tui.part(LatencyLogFeed)
    await expect
      .poll(async () => {
        await feed.refresh()
        return feed.state().content.rows.length
      })
      .toBe(1000)
    await shows('1000 rows, older at the end')
    await shows(/^> .*S2000E/m)
    await press('G')
    await shows('1100 rows, older at the end')
    expect(feed.state().content.rows.at(-1)).toMatchObject({ symbol: 'S901E' })
  })
})

describe('a screen that is left', () => {
  it('has the same tab, search and pause when it is back', async () => {
    const desk = await logDesk()
    desk.request('analyze', { symbol: 'SBIN' })
    desk.request('analyze', { symbol: 'TCS' })
    const { shows, press, screen } = await shown(desk.access, <Flipped />)
    await shows('[orders]')
    await press(TAB)
    await shows(/\[analyzer\][\s\S]*TCS/)
    await press('s')
    await shows('Search the whole log:')
    await press('sbi')
    await press(ENTER)
    await shows(/1 row {2}with "sbi"/)
    await press('f')
    await shows('paused')
    await press('9')
    await expect.poll(screen).toBe('')
    await press('9')
    await shows(/paused[\s\S]*1 row {2}with "sbi"[\s\S]*\[analyzer\][\s\S]*SBIN/)
  })
})

/** The screen; `9` leaves it, and comes back. */
function Flipped() {
  const [isShown, setShown] = useState(true)
  useKeyLayer('shell', ({ name }) => {
    if (name === '9') setShown(!isShown)
    return name === '9'
  })
  return isShown ? <logs.View width={120} height={21} /> : null
}

describe('older rows', () => {
  it.each<[LogName, (desk: LogDesk, name: string) => void]>([
    ['orders', (desk, name) => desk.request('live', { symbol: name })],
    ['traffic', (desk, name) => desk.traffic(`/${name}`)],
    ['latency', (desk, name) => desk.latency(name)],
  ])('of %s come page by page when the cursor reaches the end', async (tab, add) => {
    const desk = await logDesk()
    for (let row = 1; row <= 250; row += 1) add(desk, `S${row}E`)
    const { shows, press, screen } = await opened(desk, tab, { width: 160 })
    await shows(/10\d rows, older at the end/)
    expect(screen()).not.toContain('S1E')
    await press('G')
    await shows(/20\d rows, older at the end/)
    await press('G')
    await shows(/2[56]\d rows {2}|2[56]\d rows$/m)
    await press('G')
    await shows(/^> .*S1E/m)
  })
})
