import { describe, expect, it } from 'vitest'
import { valueAt } from '../../../src/client/answers/records.js'
import { DAY } from '../../../src/tui/cockpit/presets.js'
import { TilePanel } from '../../../src/tui/cockpit/TilePanel.js'
import type { Tile } from '../../../src/tui/cockpit/tile.js'
import { dayLossLines } from '../../../src/tui/cockpit/tiles/account.js'
import { TILES } from '../../../src/tui/cockpit/tiles/index.js'
import { PnlFeed, PositionFeed } from '../../../src/tui/positions/feeds.js'
import { amount } from '../../../src/tui/positions/pnl-text.js'
import { FaultBoundary } from '../../../src/tui/shell/FaultBoundary.js'
import { queueDesk } from '../approvals/queue-desk.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'
import { figure, openCockpit } from './cockpit-desk.js'

const TITLES = DAY.tiles.map((id) => TILES[id].title)
const LARGE = { columns: 200, rows: 60 }

describe('the cockpit', () => {
  it.each([
    [80, 24],
    [120, 36],
    [200, 60],
  ])(
    'shows every tile in a terminal of %i by %i, with what to do where there is nothing',
    async (columns, rows) => {
      const { screen, shows, fits } = await openCockpit(await tradingDesk('analyze'), { columns, rows })
      for (const title of TITLES) await shows(title)
      for (const words of [
        /No order is open/,
        /No orders waiting/,
        /No strategies/,
        /No workflows/,
        /No errors/,
      ]) {
        await shows(words)
      }
      await shows(/\[day\] {2}orders {3}automation .*1 of 11/)
      await shows(/No open position/)
      expect(screen()).not.toMatch(/[\u2801-\u28ff]/)
      fits()
    },
  )

  it('shows what the daemon answers', async () => {
    const desk = await tradingDesk('live')
    await desk.place(AT_MARKET)
    await desk.place({ ...AT_MARKET, symbol: 'INFY', action: 'SELL', quantity: 5 })
    await desk.place({ symbol: 'INFY', price: 1380 })
    await desk.client.request('PUT /risk', { body: { max_day_loss: 5000 } })
    const { desk: daemon, shows, fits } = await openCockpit(desk, LARGE)
    // The service reads the bars of two instruments a second.
    await desk.trading(shows(/max drawdown/))
    await daemon.part(PositionFeed).refresh()
    const { data: rows } = await desk.client.call('positionbook', {})
    const long = rows
      .filter(({ quantity }) => quantity > 0)
      .reduce((sum, row) => sum + valueAt(row, row.ltp), 0)
    const short = rows
      .filter(({ quantity }) => quantity < 0)
      .reduce((sum, row) => sum - valueAt(row, row.ltp), 0)
    await shows(
      figure(
        'P&L',
        amount(
          rows.reduce((sum, { pnl }) => sum + pnl, 0),
          'signed',
        ),
      ),
    )
    await shows(figure('long', amount(long, 'signed')))
    await shows(figure('short', amount(short, 'signed')))
    await shows(figure('gross', amount(long - short, 'money')))
    const { data: funds } = await desk.client.call('funds', {})
    await shows(figure('available', amount(Number(funds.availablecash), 'money')))
    await shows(figure('used', amount(Number(funds.utiliseddebits), 'money')))
    const day = daemon.part(PnlFeed).state().content?.current_mtm ?? Number.NaN
    await shows(figure('day', amount(day, 'signed')))
    await shows(figure('day-loss left', amount(5000 + day, 'money')))
    await shows(figure('open', '1'))
    await shows(figure('today', '3'))
    await shows(/BUY +10 +INFY +1,380\.00 +open/)
    await shows('simulated: signed in')
    fits()
  })

  it('shows the orders that wait for approval, with their value', async () => {
    const desk = await queueDesk()
    for (const symbol of ['SBIN', 'INFY']) await desk.queue({ symbol })
    const { shows, fits } = await openCockpit(desk)
    await shows('2 orders, ₹')
    await shows(/oldest +\d+[dhms]/)
    fits()
  })

  it('says that the kill switch is on, as the header does', async () => {
    const desk = await tradingDesk('live')
    const { shows } = await openCockpit(desk, LARGE)
    await shows(figure('kill switch', 'off'))
    await desk.client.request('POST /risk/kill-switch', { body: { on: true, reason: 'test' } })
    await shows('KILL SWITCH ON: no new order is sent.')
  })
})

it.each([
  [-1234.5, 'day-loss left 3,765.50'],
  [35, 'day-loss left 5,035.00'],
  [-5000, 'This P&L is at the day-loss limit: new orders may be refused., day-loss left 0.00'],
  [undefined, 'day-loss left -'],
])('with a day of %s and a limit of 5000 it says: %s', (day, words) => {
  const texts = dayLossLines(5000, day).map((line) =>
    'text' in line ? line.text : `${line.label} ${line.value}`,
  )
  expect(texts.join(', ')).toBe(`${words}, limit 5,000.00`)
})

describe('a tile', () => {
  it('that cannot be read says why, and the others go on', async () => {
    const desk = await tradingDesk('live')
    await desk.http.desk.service.brokers.logout()
    const { shows } = await openCockpit(desk, LARGE)
    await shows(/Not read: The Simulated/)
    for (const words of ['No orders waiting', 'No workflows', 'No errors', /simulated: signed out/]) {
      await shows(words)
    }
  })

  it('whose later read fails keeps its content, and names its age and the reason', async () => {
    const desk = await tradingDesk('live')
    await desk.place(AT_MARKET)
    const { desk: daemon, shows } = await openCockpit(desk, LARGE)
    await shows(/SBIN +long/)
    await desk.http.desk.service.brokers.logout()
    await daemon.part(PositionFeed).refresh()
    await shows(/Exposure ₹ {2}\d+s old: The Simulated/)
    await shows(/SBIN +long/)
    await shows(/Workflows ─/)
  })

  it('that meets an error says so in its place', async () => {
    const { access } = await liveDesk()
    const failing: Tile = {
      ...TILES.errors,
      use() {
        throw new Error('of a drawing')
      },
    }
    const area = { width: 40, height: 4 }
    const { shows } = await shown(
      access,
      <FaultBoundary {...area} part="tile">
        <TilePanel {...area} tile={failing} isSelected={false} />
      </FaultBoundary>,
    )
    await shows('This tile met an error: of a drawing')
  })

  it.each([
    ['draws a chart beside its figures where there is room', [0, 5, 2], 60, 6, /[\u2801-\u28ff]/],
    ['draws none in a few cells', [0, 5, 2], 40, 6, /^> P&L[^\u2801-\u28ff]*$/],
    ['shows a flat chart as one line', [0, 0, 0], 60, 6, /\nP&L ₹ {2}0\.00 from 09:15 to 09:17\s*$/],
  ])('%s', async (_name, values, width, height, picture) => {
    const { access } = await liveDesk()
    const points = values.map((value, minute) => ({ time: NINE_FIFTEEN + minute * 60_000, value }))
    const tile: Tile = {
      ...TILES.pnl,
      use: () => ({
        live: [{ content: undefined, problem: undefined, readAt: 1 }],
        lines: [{ label: 'day', value: '+2.00' }],
        chart: { title: 'P&L ₹', series: [{ name: 'P&L', points }] },
      }),
    }
    const { shows } = await shown(access, <TilePanel width={width} height={height} tile={tile} isSelected />)
    await shows(picture)
  })
})

const NINE_FIFTEEN = Date.parse('2026-11-20T09:15:00+05:30')
