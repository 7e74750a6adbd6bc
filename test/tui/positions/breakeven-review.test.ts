import { expect, it } from 'vitest'
import { type PositionRecord, positionRecords } from '../../../src/client/answers/records.js'
import type { Account } from '../../../src/tui/live/account.js'
import { breakevenOf, breakevenReview } from '../../../src/tui/positions/breakeven-review.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const STOP = { action: 'SELL', pricetype: 'SL-M', price: 0 } as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
const STEP_MS = 60_000

/** Ten bought shares, in profit where that is asked for, and what `b` would do with them. */
async function held(isInProfit: boolean, order_mode: Account['order_mode'] = 'auto') {
  const desk = await tradingDesk('analyze')
  const { client, http, orders } = desk
  await desk.place(AT_MARKET)
  const position = async (): Promise<PositionRecord> => {
    const [row] = positionRecords(await client.call('positionbook', {}))
    if (row === undefined) throw new Error('nothing is held')
    return row
  }
  const isAhead = async () => (await position()).ltp > (await position()).average_price + 1
  for (let minute = 0; isInProfit && minute < 600 && !(await isAhead()); minute += 1) {
    await http.desk.clock.advance(STEP_MS)
  }
  const { data } = await client.request('GET /auth/whoami', {})
  const account: Account = { ...data, order_mode }
  const review = () => breakevenReview(client, account, { asked: SBIN, key: crypto.randomUUID() })
  const confirm = async () => {
    const asked = await review()
    if ('refusal' in asked) throw new Error(asked.refusal)
    await asked.recheck?.()
    await desk.trading(asked.change.send(client))
    return asked
  }
  const waiting = async () =>
    (await orders())
      .filter(({ order_status }) => ['open', 'trigger pending'].includes(order_status))
      .map(({ action, pricetype, quantity, trigger_price }) => ({
        action,
        pricetype,
        quantity,
        trigger_price,
      }))
  const trigger = breakevenOf(await position(), 0.05)
  return { ...desk, confirm, review, trigger, waiting }
}

it.each([
  [10, 967.1, 967.1],
  [10, 967.1033, 967.15],
  [-10, 967.1033, 967.1],
  [-10, 967.0999, 967.05],
])('the stop of %i at %f is at %f, where it loses nothing', (quantity, average_price, price) => {
  expect(breakevenOf({ quantity, average_price }, 0.05)).toBe(price)
})

it('refuses a stop that would fill at once', async () => {
  const { review } = await held(false)
  expect(await review()).toEqual({ refusal: expect.stringMatching(/has not passed .*would fill at once/) })
})

it('places a stop where none waits, and leaves it where it is', async () => {
  const { confirm, review, trigger, waiting } = await held(true)
  expect(await confirm()).toMatchObject({ title: expect.stringMatching(/^SELL 10 NSE:SBIN in ANALYZE/) })
  expect(await waiting()).toEqual([
    { action: 'SELL', pricetype: 'SL-M', quantity: 10, trigger_price: trigger },
  ])
  expect(await review()).toEqual({ refusal: expect.stringMatching(/its stop .* already/) })
})

it('moves the stop that waits', async () => {
  const { confirm, place, trigger, waiting } = await held(true)
  await place({ ...STOP, trigger_price: 700 })
  await confirm()
  expect(await waiting()).toEqual([
    { action: 'SELL', pricetype: 'SL-M', quantity: 10, trigger_price: trigger },
  ])
})

it('leaves a stop of another size alone: it would open the other side', async () => {
  const { place, review, waiting } = await held(true)
  await place({ ...STOP, quantity: 25, trigger_price: 700 })
  expect(await review()).toEqual({
    refusal: expect.stringMatching(/its stop .* is for 25, and the position is 10/),
  })
  expect(await waiting()).toMatchObject([{ quantity: 25, trigger_price: 700 }])
})

it.each<[string, (desk: Awaited<ReturnType<typeof held>>) => Promise<unknown>, string]>([
  ['the position is closed', ({ place }) => place({ ...AT_MARKET, action: 'SELL' }), 'is 0 now, and was 10'],
  [
    'another stop waits',
    ({ place }) => place({ ...STOP, trigger_price: 700 }),
    'the stops of the position have changed',
  ],
])('moves and places nothing when %s since the question', async (_name, meanwhile, reason) => {
  const desk = await held(true)
  const asked = await desk.review()
  await meanwhile(desk)
  await expect('refusal' in asked ? undefined : asked.recheck?.()).rejects.toThrow(reason)
})

it('places none in semi-auto mode, where it would wait', async () => {
  const { review } = await held(true, 'semi_auto')
  expect(await review()).toEqual({ refusal: expect.stringContaining('a new stop would wait for approval') })
})

it('asks the user to choose between several stops', async () => {
  const { place, review } = await held(true)
  await place({ ...STOP, quantity: 4, trigger_price: 700 })
  await place({ ...STOP, quantity: 6, trigger_price: 701 })
  expect(await review()).toEqual({ refusal: expect.stringContaining('2 stops wait for this position') })
})
