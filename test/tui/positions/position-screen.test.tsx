import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { PositionFeed } from '../../../src/tui/positions/feeds.js'
import { positions as positionScreen } from '../../../src/tui/positions/screen.js'
import { losingAnswers } from '../support/lost-answers.js'
import { DOWN, ENTER, ESC, shown, TAB } from '../support/shown.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const SIZE = { width: 80, height: 21 }
const INFY = { symbol: 'INFY', action: 'SELL', quantity: 5 } as const
type Trading = Awaited<ReturnType<typeof tradingDesk>>

/** The screen over a daemon with positions. */
async function opened(
  mode: 'live' | 'analyze' = 'analyze',
  prepare: (desk: Trading) => Promise<unknown> = async () => undefined,
  access: (desk: Trading) => Promise<DaemonAccess> = async (desk) => desk.access,
) {
  const desk = await tradingDesk(mode)
  await prepare(desk)
  const positions = async () => (await desk.client.call('positionbook', {})).data
  const quantities = async () => (await positions()).map(({ quantity }) => quantity)
  return {
    ...desk,
    positions,
    quantities,
    ...(await shown(await access(desk), <positionScreen.View {...SIZE} />)),
  }
}

const both = async ({ place }: Trading) => {
  await place(AT_MARKET)
  await place({ ...AT_MARKET, ...INFY })
}

const fits = (screen: string) => {
  const lines = screen.split('\n')
  expect(lines.length).toBeLessThanOrEqual(SIZE.height)
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(SIZE.width)
}

describe('the positions', () => {
  it('says that there are none', async () => {
    const { shows, screen } = await opened()
    await shows('No positions.')
    await shows('0 open positions, P&L 0.00')
    await shows('No profit or loss to draw yet today.')
    fits(screen())
  })

  it('shows quantity, price and profit, and the totals', async () => {
    const { shows, screen, trading } = await opened('analyze', both)
    // The service reads the bars of two instruments a second.
    await trading(shows(/2 open positions, P&L [-+\d.,]+, day/))
    await shows(/SBIN +NSE +MIS +10/)
    await shows(/INFY +NSE +MIS +-5/)
    fits(screen())
  })

  it('follows the market stream', async () => {
    const { shows, screen, http } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows(/SBIN +NSE +MIS +10/)
    const { clock, service } = http.desk
    const screenAfterTick = () => {
      service.hub.publish({
        symbol: 'SBIN',
        exchange: 'NSE',
        ltp: 900,
        timestamp: clock.now(),
        open: 800,
        high: 900,
        low: 790,
        prevClose: 795,
        volume: 1000,
        oi: 0,
        lastQuantity: 1,
        averagePrice: 800,
        bid: 899,
        ask: 901,
        bidSize: 5,
        askSize: 6,
        totalBuyQuantity: 10,
        totalSellQuantity: 12,
        depth: { buy: [], sell: [] },
      })
      return screen()
    }
    // The daemon may not know yet that the screen wants the symbol.
    await expect.poll(screenAfterTick).toMatch(/SBIN .* 900\.00 +\+1,2\d\d\.\d\d/)
    await shows(/1 open position, P&L \+1,2\d\d/)
  })

  it('draws the profit and the drawdown of the day', async () => {
    const { shows, screen } = await opened('analyze', async ({ place, http }) => {
      await place(AT_MARKET)
      await http.desk.clock.advance(5 * 60_000)
    })
    await shows(/P&L ₹ +Drawdown ₹/)
    await shows(/[\u2801-\u28ff]/)
    await shows(/max drawdown/)
    fits(screen())
  })

  it('names the same profit and the same drawdown in the first line and on the tab of the day', async () => {
    const { shows, press, screen } = await opened('analyze', async ({ place, http }) => {
      await place(AT_MARKET)
      await http.desk.clock.advance(5 * 60_000)
    })
    const figures = /P&L [-+\d.,]+, day [-+\d.,]+, max drawdown [-\d.,]+\d/
    await shows(figures)
    const named = figures.exec(screen())?.[0]
    for (let tab = 0; tab < 3; tab += 1) await press(TAB)
    await shows(/\[p&l\]/)
    await shows(figures)
    expect(figures.exec(screen())?.[0]).toBe(named)
  })

  it.each([
    ['filters', ['/', 'i', 'n', 'f', ENTER], '1 of 2 with "inf"'],
    ['sorts', ['o'], 'by symbol'],
    ['reverses', ['o', 'O'], 'by -symbol'],
  ])('%s', async (_name, keys, words) => {
    const { shows, press } = await opened('analyze', both)
    await shows('2 open positions')
    for (const key of keys) await press(key)
    await shows(words)
  })

  it('enter shows every field, and esc goes back', async () => {
    const { shows, press } = await opened('analyze', both)
    await shows('2 open positions')
    await press(ENTER)
    await shows(/AVG +[\d,.]+/)
    await press(ESC)
    await shows('[positions]')
  })

  it('says why the books cannot be read', async () => {
    const { shows } = await opened('live', ({ http }) => http.desk.service.brokers.logout())
    await shows('Not read: The Simulated exchange session is missing')
  })

  it('shows the age of the rows and the reason when a later read fails', async () => {
    const { shows, http, desk } = await opened('live', ({ place }) => place(AT_MARKET))
    await shows(/> .*SBIN/)
    await http.desk.service.brokers.logout()
    await desk.part(PositionFeed).refresh()
    await shows(/\d+s old: The Simulated exchange session/)
    await shows('SBIN')
  })

  it('keeps the rows while the daemon is away', async () => {
    const { shows, screen, lose, desk } = await opened('analyze', both)
    await shows('2 open positions')
    await lose()
    await expect.poll(() => desk.connection.state.get().kind).toBe('lost')
    await desk.part(PositionFeed).refresh()
    await shows('SBIN')
    expect(screen().match(/ old/g)).toHaveLength(1)
  })
})

describe('the other tabs', () => {
  it('tab shows the holdings, the funds, the charts, and the positions again', async () => {
    const { shows, press, screen } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('[positions]')
    await press(TAB)
    await shows(/\[holdings\](.|\n)*No holdings/)
    await shows('0 holdings, value 0.00, P&L 0.00')
    await press(TAB)
    await shows(/\[funds\](.|\n)*AVAILABLE ₹ +[\d,]+/)
    fits(screen())
    await press(TAB)
    await shows(/\[p&l\]/)
    await press(TAB)
    await shows(/\[positions\]/)
  })

  it('shows the highest and the lowest of the day over the charts', async () => {
    const { shows, press, screen } = await opened('analyze', async ({ place, http }) => {
      await place(AT_MARKET)
      await http.desk.clock.advance(5 * 60_000)
    })
    await shows('[positions]')
    for (const _ of ['holdings', 'funds', 'charts']) await press(TAB)
    await shows(/highest [-+\d.,]+ at 11:0\d, lowest/)
    await shows(/P&L ₹(.|\n)*Drawdown ₹/)
    fits(screen())
  })
})

describe('closing one', () => {
  it.each(['c', 'x'])('%s names the closing order, and y sends it', async (key) => {
    const { shows, press, quantities, trading } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 open position')
    await press(key)
    await shows(/Close with SELL 10 NSE:SBIN MIS at the market in ANALYZE mode at/)
    expect(await quantities()).toEqual([10])
    await press('y')
    await trading(shows(/Close NSE:SBIN: simulated order \d+ is placed/))
    await expect.poll(quantities).toEqual([0])
    await shows('0 open positions')
  })

  it('buys a short position back', async () => {
    const { shows, press } = await opened('analyze', ({ place }) => place({ ...AT_MARKET, ...INFY }))
    await shows('1 open position')
    await press('c')
    await shows('Close with BUY 5 NSE:INFY MIS')
  })

  it('closes the position under the cursor', async () => {
    const { shows, press, screen } = await opened('analyze', both)
    await shows('2 open positions')
    await press(DOWN)
    const chosen = /^> +(\w+)/m.exec(screen())?.[1] ?? 'none'
    await press('c')
    await shows(new RegExp(`Close with .*NSE:${chosen}`))
  })

  it.each(['n', ESC])('%j leaves the question', async (key) => {
    const { shows, press, quantities } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 open position')
    await press('c')
    await shows('Close with SELL 10')
    await press(key)
    await shows('[positions]')
    expect(await quantities()).toEqual([10])
  })

  it('needs no word in Live mode: it lowers risk', async () => {
    const { shows, press, quantities, trading } = await opened('live', ({ place }) => place(AT_MARKET))
    await shows('1 open position')
    await press('c')
    await shows(/in LIVE mode/)
    await press('y')
    await trading(shows(/Close NSE:SBIN: LIVE order \w+ is placed/))
    await expect.poll(quantities).toEqual([0])
  })

  it('does not ask for a position that is closed', async () => {
    const { shows, press } = await opened('analyze', async ({ place }) => {
      await place(AT_MARKET)
      await place({ ...AT_MARKET, action: 'SELL' })
    })
    await shows('0 open positions')
    await press('c')
    await shows('Not sent: there is no open position in NSE:SBIN MIS.')
  })

  it('without an answer is in doubt, with the command that looks it up', async () => {
    const { shows, press, trading, quantities } = await opened(
      'live',
      ({ place }) => place(AT_MARKET),
      (desk) => losingAnswers(desk, '/api/v1/closeposition'),
    )
    await shows('1 open position')
    await press('c')
    await shows(/in LIVE mode/)
    await press('y')
    await trading(shows('IN DOUBT svc order journal --symbol NSE:SBIN (Close NSE:SBIN)'))
    expect(await quantities()).toEqual([0])
  })
})

describe('closing all', () => {
  it('names the count and the orders, and always needs the word', async () => {
    const { shows, press, quantities, trading } = await opened('analyze', both)
    await shows('2 open positions')
    await press('C')
    await shows('Close every position, 2 positions, at the market in ANALYZE mode')
    await shows('SELL 10 NSE:SBIN MIS')
    await shows('BUY 5 NSE:INFY MIS')
    await press('y')
    await press(ENTER)
    await shows('[positions]')
    expect((await quantities()).every((quantity) => quantity !== 0)).toBe(true)
    await press('C')
    await shows('Type close to confirm')
    await press('close')
    await press(ENTER)
    await trading(shows(/Close all: /))
    await expect.poll(quantities).toEqual([0, 0])
  })

  it('says that nothing is open', async () => {
    const { shows, press } = await opened()
    await shows('No positions.')
    await press('C')
    await shows('Not sent: no position is open.')
  })

  it('sends nothing when the mode changes after the question', async () => {
    const { shows, press, setMode, quantities } = await opened('analyze', ({ place }) => place(AT_MARKET))
    await shows('1 open position')
    await press('C')
    await shows('Type close to confirm')
    await setMode('live')
    await press('close')
    await press(ENTER)
    await shows('Not sent: the mode or the broker has changed')
    await setMode('analyze')
    expect(await quantities()).toEqual([10])
  })
})
