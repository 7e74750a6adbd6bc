import { describe, expect, it } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { orders } from '../../../src/tui/orders/screen.js'
import { losingAnswers } from '../support/lost-answers.js'
import { DOWN, ENTER, ESC, RIGHT, shown } from '../support/shown.js'
import { tradingDesk } from '../support/trading-desk.js'

const SIZE = { width: 80, height: 21 }
type Trading = Awaited<ReturnType<typeof tradingDesk>>

/** The form of a new order for a symbol, over a daemon. */
async function opened(
  mode: 'live' | 'analyze',
  id = 'NSE:SBIN',
  access: (desk: Trading) => Promise<DaemonAccess> = async (desk) => desk.access,
) {
  const desk = await tradingDesk(mode)
  const asked = { target: { kind: 'symbol' as const, id }, count: 1 }
  const screen = await shown(await access(desk), <orders.View {...SIZE} asked={asked} />)
  await screen.shows(/> Symbol +N/)
  /** Types a text, key by key. */
  const type = async (text: string) => {
    for (const key of text) await screen.press(key)
  }
  /** Fills the form of an order at the market, and asks for its review. */
  const review = async (quantity = '10') => {
    await screen.shows(/lot \d+, tick/)
    await screen.press(DOWN)
    await screen.press(DOWN)
    await screen.shows(/> Quantity/)
    await type(quantity)
    for (const _ of ['type', 'product', 'more', 'strategy']) await screen.press(DOWN)
    await screen.shows(/> Strategy +tui/)
    await screen.press(ENTER)
  }
  return { ...desk, ...screen, type, review }
}

describe('the form', () => {
  it('is filled with the symbol that another screen asks for, and shows its facts', async () => {
    const { shows } = await opened('analyze')
    await shows(/Symbol +NSE:SBIN/)
    await shows(/Place an order: .*lot 1, tick 0.05/)
  })

  it('n opens an empty one, and esc leaves it', async () => {
    const desk = await tradingDesk('analyze')
    const { shows, press } = await shown(desk.access, <orders.View {...SIZE} />)
    await shows('No orders today')
    await press('n')
    await shows(/> Symbol +such as NSE:SBIN/)
    await press(ESC)
    await shows('No orders today')
  })

  it('looks the symbol up while it is typed', async () => {
    const desk = await tradingDesk('analyze')
    const { shows, press } = await shown(desk.access, <orders.View {...SIZE} />)
    await shows('No orders today')
    await press('n')
    await shows(/> Symbol/)
    for (const key of 'nse:sbi') await press(key)
    await shows('no SBI on NSE')
    await press('n')
    await shows(/lot 1, tick 0.05/)
    for (const key of [...'nse:sbin'].map(() => '\u007f')) await press(key)
    for (const key of 'nse_index:nifty') await press(key)
    await shows('NSE_INDEX takes no orders')
  })

  it.each([
    ['NSE:SBIN', '0', 'a whole number from 1'],
    ['NSE:SBIN', '1.5', 'a whole number from 1'],
    ['NSE:SBIN', '-1', 'a whole number from 1'],
    ['NSE:SBIN', '1e1', 'a whole number from 1'],
    ['NFO:NIFTY24NOV26FUT', '10', 'a multiple of the lot, 65'],
  ])('%s: refuses the quantity %s', async (symbol, quantity, problem) => {
    const { shows, review, orders } = await opened('analyze', symbol)
    await review(quantity)
    await shows(problem)
    await shows(/> Quantity/)
    expect(await orders()).toEqual([])
  })

  it.each([
    ['LIMIT', 1, /Price +a price above 0/, '700.03', 'a multiple of the tick, 0.05'],
    ['SL', 2, /Trigger +a price above 0/, '700.03', 'a multiple of the tick, 0.05'],
  ])('asks for the prices of %s, on the tick', async (_type, steps, empty, price, problem) => {
    const { shows, press, type } = await opened('analyze')
    await shows('tick 0.05')
    for (const _ of ['side', 'quantity', 'type']) await press(DOWN)
    await shows(/> Type/)
    for (let step = 0; step < steps; step += 1) await press(RIGHT)
    await shows(empty)
    await press(DOWN)
    await type(price)
    await shows(problem)
  })

  it.each([
    ['NSE:SBIN', 'MIS', 'CNC'],
    ['NFO:NIFTY24NOV26FUT', 'MIS', 'NRML'],
  ])('%s has the products %s and %s', async (symbol, first, second) => {
    const { shows, press } = await opened('analyze', symbol)
    for (const _ of ['side', 'quantity', 'type', 'product']) await press(DOWN)
    await shows(new RegExp(`> Product +\\[${first}\\] ${second}`))
  })
})

describe('the review', () => {
  it('names mode, broker, order, price, value, margin and the risk checks, and sends nothing', async () => {
    const { review, shows, orders } = await opened('analyze')
    await review()
    await shows('BUY 10 NSE:SBIN in ANALYZE mode at simulated?')
    await shows('mode ANALYZE (simulated), broker simulated')
    await shows('BUY 10 NSE:SBIN, MIS')
    await shows(/last price ₹7\d\d/)
    await shows(/estimated value ₹7,\d{3}/)
    await shows(/margin ₹/)
    await shows(/risk checks: all \d+ passed/)
    expect(await orders()).toEqual([])
  })

  it('shows the rule that would refuse the order', async () => {
    const { review, shows } = await opened('analyze')
    await review('10000000')
    await shows(/REFUSED by sandbox: /)
  })

  it('y sends the order in Analyzer mode', async () => {
    const { review, shows, press, orders, trading } = await opened('analyze')
    await review()
    await shows('in ANALYZE mode')
    await press('y')
    await trading(shows(/BUY 10 NSE:SBIN: simulated order \d+ is placed/))
    await shows('1 order')
    expect(await orders()).toMatchObject([{ symbol: 'SBIN', quantity: 10, strategy: 'tui' }])
  })

  it('goes back to the form with what was typed', async () => {
    const { review, shows, press, orders } = await opened('analyze')
    await review('12')
    await shows('BUY 12 NSE:SBIN')
    await press('n')
    await shows(/Quantity +12/)
    expect(await orders()).toEqual([])
  })

  it('in Live mode needs the word, and sends once', async () => {
    const { review, shows, press, type, trading, http } = await opened('live')
    await review()
    await shows('BUY 10 NSE:SBIN in LIVE mode at simulated?')
    await press('y')
    await press(ENTER)
    await shows(/Quantity +10/)
    expect(await http.desk.ledger()).toEqual([])
    await shows('lot 1, tick 0.05')
    for (const _ of ['side', 'quantity', 'type', 'product', 'more', 'strategy']) await press(DOWN)
    await press(ENTER)
    await shows('Type live to confirm')
    await type('live')
    await press(ENTER)
    await trading(shows(/LIVE order \w+ is placed/))
    expect(await http.desk.ledger()).toHaveLength(1)
  })

  it('sends one order when the confirmation is pressed twice', async () => {
    const { review, shows, press, trading, orders } = await opened('analyze')
    await review()
    await shows('in ANALYZE mode')
    await press('yyy')
    await trading(shows('is placed'))
    expect(await orders()).toHaveLength(1)
  })

  it('sends nothing when the mode changes after the review', async () => {
    const { review, shows, press, setMode, http } = await opened('analyze')
    await review()
    await shows('in ANALYZE mode')
    await setMode('live')
    await press('y')
    await shows('Not sent: the mode or the broker has changed')
    await shows(/Quantity +10/)
    expect(await http.desk.ledger()).toEqual([])
  })

  it('says that the kill switch would refuse the order, and the order is refused', async () => {
    const { review, shows, press, http, token, trading } = await opened('live')
    const headers = { authorization: `Bearer ${token}` }
    await http.request('POST', '/risk/kill-switch', { headers, body: { on: true, reason: 'test' } })
    await review()
    await shows(/REFUSED by .*kill/)
    await press('live')
    await press(ENTER)
    await trading(shows(/BUY 10 NSE:SBIN: refused\. .*[Kk]ill/))
    expect(await http.desk.ledger()).toEqual([])
  })
})

describe('an order without an answer', () => {
  it('is in doubt, stays on the screen with the command that looks it up, and is never repeated', async () => {
    const { review, shows, press, screen, trading, http } = await opened('live', 'NSE:SBIN', (desk) =>
      losingAnswers(desk, '/api/v1/placeorder'),
    )
    await review()
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await trading(shows('IN DOUBT svc order journal --symbol NSE:SBIN (BUY 10 NSE:SBIN)'))
    await shows('no answer, in doubt')
    expect(await http.desk.ledger()).toHaveLength(1)
    await press('d')
    await expect.poll(screen).not.toContain('IN DOUBT svc')
    await press('d')
    await shows('No order is in doubt.')
  })

  it('is in doubt when the broker does not answer', async () => {
    const { review, shows, press, http } = await opened('live')
    http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_request', times: 1 }])
    await review()
    await shows('Type live to confirm')
    await press('live')
    await press(ENTER)
    await shows(/IN DOUBT svc order status S[0-9A-Z]{17}/)
    await shows('1 IN DOUBT')
  })
})
