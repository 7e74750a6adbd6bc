import { expect, it } from 'vitest'
import { bracketReview } from '../../../../src/tui/positions/exits/bracket-review.js'
import { tightenReview } from '../../../../src/tui/positions/exits/tighten-review.js'
import { typedDistance, typedExit } from '../../../../src/tui/positions/exits/typed-exit.js'
import { AT_MARKET } from '../../support/trading-desk.js'
import { aside, heldDesk, SHORT_CALL } from './exit-desk.js'

type Desk = Awaited<ReturnType<typeof heldDesk>>

const STOP = { action: 'SELL', pricetype: 'SL-M', price: 0, product: 'CNC' } as const

/** Returns the question of a move of the stop to a distance as it is typed. */
async function asked({ account, client, position }: Desk, distance: string) {
  const key = crypto.randomUUID()
  return tightenReview(client, account, { asked: await position(), key, distance: typedDistance(distance) })
}

/** Places a bracket around the position. */
async function bracketed(desk: Desk) {
  const { account, client, confirm, position } = desk
  const typed = { stop: typedExit('50%'), target: typedExit('50%') }
  const key = crypto.randomUUID()
  await confirm(await bracketReview(client, account, { asked: await position(), key, ...typed }))
}

const waiting = async ({ orders }: Desk) =>
  (await orders())
    .filter(({ order_status }) => order_status === 'trigger pending')
    .map(({ price, trigger_price }) => ({ price, trigger_price }))

it('moves the stop order to the distance behind the last price, once', async () => {
  const desk = await heldDesk()
  await desk.place({ ...STOP, trigger_price: 650 })
  const question = await asked(desk, '10%')
  const { ltp } = await desk.position()
  const trigger = Math.floor(ltp * 0.9 * 20 + 1e-6) / 20
  expect(question).toMatchObject({
    lines: expect.arrayContaining([
      expect.stringMatching(/^last price .*the stop goes from ₹650\.00 to /),
      'the stop moves once, now: it does not follow the price',
    ]),
  })
  await desk.confirm(question)
  expect(await waiting(desk)).toMatchObject([{ trigger_price: trigger }])
})

it('keeps the distance of a limit to its trigger', async () => {
  const desk = await heldDesk()
  await desk.place({ ...STOP, pricetype: 'SL', price: 649, trigger_price: 650 })
  await desk.confirm(await asked(desk, '10%'))
  const [stop] = await waiting(desk)
  expect((stop?.trigger_price ?? 0) - (stop?.price ?? 0)).toBeCloseTo(1)
  expect(stop?.trigger_price).toBeGreaterThan(650)
})

it('never moves a stop away from the price', async () => {
  const desk = await heldDesk()
  const { ltp } = await desk.position()
  await desk.place({ ...STOP, trigger_price: aside(ltp, -0.05) })
  expect(await asked(desk, '10%')).toEqual({
    refusal: expect.stringMatching(
      /^its stop \d+ is at ₹\S+, and ₹\S+ is no nearer: a stop is never moved away/,
    ),
  })
})

it('moves the stop of a bracket, and leaves its target', async () => {
  const desk = await heldDesk()
  await bracketed(desk)
  const [before] = await desk.gtts()
  const { ltp } = await desk.position()
  await desk.confirm(await asked(desk, '10%'))
  expect(await desk.gtts()).toMatchObject([
    {
      trigger_id: before?.trigger_id,
      trigger_prices: [Math.floor(ltp * 0.9 * 20 + 1e-6) / 20, before?.trigger_prices[1]],
      legs: before?.legs,
    },
  ])
})

it('moves the stop of a sold contract down, and leaves its target below', async () => {
  const desk = await heldDesk(SHORT_CALL)
  await bracketed(desk)
  const [before] = await desk.gtts()
  const { ltp } = await desk.position()
  await desk.confirm(await asked(desk, '20%'))
  expect(await desk.gtts()).toMatchObject([
    { trigger_prices: [before?.trigger_prices[0], Math.ceil(ltp * 1.2 * 20 - 1e-6) / 20] },
  ])
})

it('moves a single GTT with its limit', async () => {
  const desk = await heldDesk()
  await desk.trading(
    desk.client.call('placegttorder', {
      ...{ strategy: 'mine', symbol: 'SBIN', exchange: 'NSE', action: 'SELL', product: 'CNC', quantity: 10 },
      ...{ trigger_type: 'SINGLE', price: 498, triggerprice_sl: 500 },
    } as const),
  )
  await desk.confirm(await asked(desk, '10%'))
  const [gtt] = await desk.gtts()
  const [trigger = 0] = gtt?.trigger_prices ?? []
  expect(trigger).toBeGreaterThan(500)
  expect(gtt).toMatchObject({ trigger_type: 'single', strategy: 'mine' })
  expect(trigger - (gtt?.legs[0]?.price ?? 0)).toBeCloseTo(2)
})

it.each<[string, (desk: Desk) => Promise<unknown>, RegExp]>([
  ['without a stop', async () => undefined, /^no stop waits for this position/],
  [
    'with a target alone',
    ({ place }) => place({ ...STOP, pricetype: 'LIMIT', price: 925 }),
    /^no stop waits/,
  ],
  [
    'with a stop of another quantity',
    ({ place }) => place({ ...STOP, trigger_price: 650, quantity: 4 }),
    /^its stop \d+ is for 4, and the position is 10/,
  ],
  [
    'with two stops',
    async ({ place }) => {
      await place({ ...STOP, trigger_price: 650, quantity: 4 })
      await place({ ...STOP, trigger_price: 651, quantity: 6 })
    },
    /trigger ₹65[01]\.00.*; .* wait: which one is not clear/,
  ],
])('moves nothing %s', async (_name, prepare, refusal) => {
  const desk = await heldDesk()
  await prepare(desk)
  expect(await asked(desk, '10%')).toEqual({ refusal: expect.stringMatching(refusal) })
})

it.each<[string, (desk: Desk) => Promise<unknown>, RegExp]>([
  [
    'the position has shrunk',
    ({ place }) => place({ ...AT_MARKET, action: 'SELL', product: 'CNC', quantity: 4 }),
    /is 6 now, and was 10/,
  ],
  [
    'the GTT is cancelled',
    async ({ client, gtts, trading }) => {
      const [gtt] = await gtts()
      const trigger_id = gtt?.trigger_id ?? ''
      await trading(client.call('cancelgttorder', { strategy: 't', trigger_id }))
    },
    /does not wait any more/,
  ],
])('changes nothing when %s since the question', async (_name, meanwhile, reason) => {
  const desk = await heldDesk()
  await bracketed(desk)
  const question = await asked(desk, '10%')
  await meanwhile(desk)
  await expect('refusal' in question ? undefined : question.recheck?.()).rejects.toThrow(reason)
})
