import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FRIDAY_11 } from '../../../support/desk/desk.js'
import { DOWN, ENTER, ESC, UP } from '../../support/shown.js'
import { tradingDesk } from '../../support/trading-desk.js'
import { fits, marketScreen, trade } from '../rig.js'

const CURSOR = /^>.*$/m

/** The market screen with one symbol in its list, whose ladder is asked for. */
async function asked(symbol: string, mode: 'live' | 'analyze') {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(FRIDAY_11) })
  onTestFinished(() => void vi.useRealTimers())
  const desk = await tradingDesk(mode)
  const screen = await marketScreen(desk, { list: [symbol] })
  await screen.shows('1 symbol')
  await screen.press('p')
  return { ...desk, ...screen }
}

/** The ladder of SBIN at 812.50, between a bid of 811.50 and an offer of 813.50; the cursor is on the last price. */
async function opened(mode: 'live' | 'analyze' = 'analyze') {
  const app = await asked('NSE:SBIN', mode)
  const { press, screen, shows } = app
  await shows('b buys, s sells')
  await expect.poll(() => app.http.desk.service.hub.mode({ exchange: 'NSE', symbol: 'SBIN' })).toBe(3)
  // The broker's own prices may come between: 812.50 is traded again, until the cursor is there.
  const atPrice = async () => {
    trade(app, ['NSE', 'SBIN'], 812.5)
    await press('c')
    return screen()
  }
  await expect.poll(atPrice).toContain('b buys, s sells 1 at ₹812.50 LIMIT MIS, value ₹812.50')
  const presses = async (...keys: readonly (readonly [string, number])[]) => {
    for (const [key, times] of keys) for (let time = 0; time < times; time += 1) await press(key)
  }
  /** The rung of a price, as the screen shows it. */
  const rung = (price: string) =>
    new RegExp(`^.*\\b${price.replace('.', '\\.')}\\b.*$`, 'm').exec(screen())?.[0]
  const cursor = () => CURSOR.exec(screen())?.[0]
  /** Waits for a line under the cursor. The broker's own prices may come between: 812.50 is traded again. */
  const traded = (line: RegExp) =>
    expect
      .poll(() => {
        trade(app, ['NSE', 'SBIN'], 812.5)
        return cursor()
      })
      .toMatch(line)
  return { ...app, presses, rung, cursor, traded }
}

describe('the price ladder', () => {
  test('shows a tick in each line, with the book, the last price and the cursor, and fits', async () => {
    const { presses, rung, screen, traded } = await opened()
    expect(screen()).toMatch(/MY BUYS +BIDS +PRICE +ASKS +MY SELLS/)
    await traded(/^>\* +812\.50 *$/)
    expect(rung('812.55')).toMatch(/^ +812\.55 *$/)
    expect(fits(screen())).toBe(true)
    await presses([UP, 20])
    await traded(/^> +813\.50 +6 +█/)
    expect(screen()).toContain('at ₹813.50 LIMIT MIS, value ₹813.50; a BUY fills at once')
    await presses(['c', 1], [DOWN, 20])
    await traded(/^> +█+ +5 +811\.50 *$/)
    expect(screen()).toContain('; a SELL fills at once')
  })

  test('b places a limit order at the cursor, which stands in its own column', async () => {
    const { orders, press, presses, rung, shows, trading } = await opened()
    await presses([DOWN, 2], [']', 1], ['}', 1])
    await shows('s sells 12 at ₹812.40')
    await presses(['[', 1], ['b', 1])
    await shows(/BUY 11 NSE:SBIN in ANALYZE mode/)
    await shows('LIMIT at ₹812.40')
    await press('y')
    await trading(shows(/simulated order \d+ is placed/))
    expect(await orders()).toMatchObject([
      { action: 'BUY', quantity: 11, price: 812.4, pricetype: 'LIMIT', product: 'MIS', order_status: 'open' },
    ])
    await expect.poll(() => rung('812.40')).toMatch(/^> +11 +812\.40/)
    await shows('1 order waits')
  })

  test('s in Live mode needs the word', async () => {
    const { orders, press, presses, shows } = await opened('live')
    await presses([UP, 3], ['p', 1])
    await shows('at ₹812.65 LIMIT CNC')
    await press('s')
    await shows(/SELL 1 NSE:SBIN in LIVE mode/)
    await shows('Type live to confirm')
    await press('y')
    await press(ESC)
    expect(await orders()).toEqual([])
  })

  test('an order in doubt stays above the ladder until the user has looked it up', async () => {
    const { http, press, screen, shows } = await opened('live')
    http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_request', times: 1 }])
    await press('b')
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await shows(/^IN DOUBT svc order status S[0-9A-Z]{17} \(BUY 1 NSE:SBIN\)/m)
    await shows('b buys, s sells')
    expect(screen()).toMatch(CURSOR)
    expect(fits(screen())).toBe(true)
    await press('d')
    await expect.poll(screen).not.toContain('IN DOUBT svc')
  })

  test('enter takes an order, the arrows move it, and enter puts it down', async () => {
    const { orders, place, press, presses, rung, shows, trading } = await opened()
    await place({ price: 812.3, quantity: 7 })
    await expect.poll(() => rung('812.30')).toMatch(/^ +7 +812\.30/)
    await presses([DOWN, 4], [ENTER, 1])
    await presses([DOWN, 2])
    await shows('BUY 7 NSE:SBIN from ₹812.30 to ₹812.20: enter reviews it, esc leaves it there')
    await press(ENTER)
    await shows(/Modify BUY 7 NSE:SBIN in ANALYZE mode/)
    await shows('then: 7 LIMIT at ₹812.20')
    await press('y')
    await trading(shows(/Modify order \d+: done/))
    expect(await orders()).toMatchObject([{ price: 812.2, quantity: 7, order_status: 'open' }])
    await shows('b buys, s sells')
  })

  test('esc leaves an order where it is, then the ladder', async () => {
    const { orders, place, press, presses, rung, shows } = await opened()
    await place({ price: 812.45, quantity: 7 })
    await expect.poll(() => rung('812.45')).toMatch(/^ +7 +812\.45/)
    await presses([DOWN, 1], ['m', 1], [DOWN, 1])
    await shows('from ₹812.45 to ₹812.40')
    await press(ESC)
    await shows('b buys, s sells')
    expect(await orders()).toMatchObject([{ price: 812.45 }])
    await press(ESC)
    await shows('1 symbol')
  })

  test('x cancels the order under the cursor', async () => {
    const { orders, place, press, presses, rung, shows, trading } = await opened()
    await press('x')
    await shows('No own order waits at ₹812.50.')
    await place({ price: 812.45, quantity: 7 })
    await expect.poll(() => rung('812.45')).toMatch(/^ +7 +812\.45/)
    await presses([DOWN, 1], ['x', 1])
    await shows(/Cancel BUY 7 NSE:SBIN in ANALYZE mode/)
    await press('y')
    await trading(shows(/Cancel order \d+: done/))
    expect(await orders()).toMatchObject([{ order_status: 'cancelled' }])
  })

  test('o leads to the own orders, however far away', async () => {
    const { cursor, place, press, rung, shows } = await opened()
    await press('o')
    await shows('No own order of this symbol waits.')
    await place({ price: 740, quantity: 7 })
    await shows('1 order waits')
    await press('o')
    await expect.poll(() => rung('740.00')).toMatch(/^> +7 +740\.00/)
    expect(cursor()).toBe(rung('740.00'))
  })

  test('marks the average price of the position', async () => {
    const desk = await opened()
    const { cursor, place, press, presses, screen, shows } = desk
    await place({ pricetype: 'MARKET', price: 0, quantity: 3 })
    await shows(/MIS 3 @ \d+\.\d\d/)
    const [, average = ''] = /@ (\d+\.\d\d)/.exec(screen()) ?? []
    trade(desk, ['NSE', 'SBIN'], 812.5)
    await shows('NSE:SBIN * 812.50')
    await press('c')
    expect(cursor()).toMatch(/^>[*@] +812\.50$/)
    const ticks = Math.round((Number(average) - 812.5) / 0.05)
    await presses([ticks > 0 ? UP : DOWN, Math.abs(ticks)])
    expect(cursor()).toMatch(new RegExp(`^>[@*] .*\\b${average}\\b`))
  })

  test('takes the product of the position that is open', async () => {
    const { place, press, shows } = await opened()
    await place({ pricetype: 'MARKET', price: 0, quantity: 3, product: 'CNC' })
    await shows(/CNC 3 @ \d+\.\d\d/)
    await press('s')
    await shows(/SELL 1 NSE:SBIN, CNC/)
  })

  test('says that orders are not read, instead of none', async () => {
    const { http, place, press, rung, shows } = await opened()
    await place({ price: 812.45, quantity: 7 })
    await expect.poll(() => rung('812.45')).toMatch(/^ +7 +812\.45/)
    vi.spyOn(http.desk.service.account, 'orderbook').mockRejectedValue(new Error('too busy'))
    await place({ price: 700, quantity: 1 })
    await shows('The orders could not be read')
    await press('x')
    await shows(/NSE:SBIN \* [\d.]+ {2}The orders could not be read/)
  })

  test('an index has no orders', async () => {
    const { shows } = await asked('NSE_INDEX:NIFTY', 'analyze')
    await shows('NSE_INDEX:NIFTY is an index: it has no orders.')
  })
})
