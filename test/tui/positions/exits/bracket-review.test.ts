import { expect, it } from 'vitest'
import { bracketReview } from '../../../../src/tui/positions/exits/bracket-review.js'
import { typedExit } from '../../../../src/tui/positions/exits/typed-exit.js'
import { rupeePrice } from '../../../../src/views/table/cells.js'
import { AT_MARKET } from '../../support/trading-desk.js'
import { aside, heldDesk, SHORT_CALL } from './exit-desk.js'

type Desk = Awaited<ReturnType<typeof heldDesk>>

/** Returns the question of a bracket with a stop and a target as they are typed. */
async function asked({ account, client, position }: Desk, stop: string, target: string) {
  const key = crypto.randomUUID()
  const typed = { stop: typedExit(stop), target: typedExit(target) }
  return bracketReview(client, account, { asked: await position(), key, ...typed })
}

const linesOf = (question: object) =>
  'lines' in question && Array.isArray(question.lines) ? question.lines.join('\n') : ''

it('places one OCO GTT for the whole position: below the price the stop, above it the target', async () => {
  const desk = await heldDesk()
  const { average_price: average } = await desk.position()
  const [stop, target] = [aside(average, -0.1), aside(average, 0.2)]
  const question = await asked(desk, String(stop), String(target))
  expect(question).toMatchObject({
    title: expect.stringMatching(/^Bracket with SELL 10 NSE:SBIN CNC in ANALYZE mode/),
  })
  expect(await desk.confirm(question)).toMatch(/^simulated GTT GTT-\S+ waits for its stop and its target\.$/)
  const leg = { action: 'SELL', quantity: 10, price: 0, pricetype: 'MARKET', product: 'CNC' }
  expect(await desk.gtts()).toMatchObject([
    { trigger_type: 'two-leg', trigger_prices: [stop, target], legs: [leg, leg], strategy: 'tui' },
  ])
})

it('shows both legs with what they lose and gain, the value and the quantity', async () => {
  const desk = await heldDesk()
  const { average_price: average, ltp } = await desk.position()
  const [stop, target] = [aside(average, -0.1), aside(average, 0.2)]
  const lines = linesOf(await asked(desk, String(stop), String(target)))
  expect(lines).toContain(`position 10 CNC, average ${rupeePrice(average)}, last price ${rupeePrice(ltp)}`)
  const [loss, gain] = [rupeePrice((average - stop) * 10), rupeePrice((target - average) * 10)]
  expect(lines).toContain(`stop: SELL 10 at the market at or below ${rupeePrice(stop)}, loss ${loss}`)
  expect(lines).toContain(`target: SELL 10 at the market at or above ${rupeePrice(target)}, gain ${gain}`)
  expect(lines).toContain(`estimated value ${rupeePrice(ltp * 10)}`)
})

it('the stop of a sold contract is above the price, and its target below', async () => {
  const desk = await heldDesk(SHORT_CALL)
  await desk.confirm(await asked(desk, '50%', '40%'))
  const { average_price: average } = await desk.position()
  const [gtt] = await desk.gtts()
  expect(gtt?.legs).toMatchObject([
    { action: 'BUY', quantity: 65 },
    { action: 'BUY', quantity: 65 },
  ])
  const [low = 0, high = 0] = gtt?.trigger_prices ?? []
  expect(low).toBeCloseTo(average * 0.6, 0)
  expect(high).toBeCloseTo(average * 1.5, 0)
})

it('says what a stop of a sold contract loses', async () => {
  const desk = await heldDesk(SHORT_CALL)
  const lines = linesOf(await asked(desk, '50%', '40%'))
  expect(lines).toMatch(/^stop: BUY 65 at the market at or above ₹[\d,.]+, loss ₹/m)
  expect(lines).toMatch(/^target: BUY 65 at the market at or below ₹[\d,.]+, gain ₹/m)
})

it('needs the word in Live mode, and places one GTT there', async () => {
  const desk = await heldDesk({}, { mode: 'live' })
  const question = await asked(desk, '10%', '20%')
  expect(question).toMatchObject({ word: 'live' })
  expect(await desk.confirm(question)).toMatch(/^LIVE GTT \S+ waits/)
  expect(await desk.gtts()).toHaveLength(1)
})

it('takes no intraday position, and says why', async () => {
  const desk = await heldDesk({ product: 'MIS' })
  expect(await asked(desk, '10%', '20%')).toEqual({
    refusal: expect.stringMatching(/^MIS is intraday-only: .* takes a GTT only for CNC and NRML/),
  })
})

it.each([
  [
    'a stop above the price',
    '20%',
    '30%',
    1,
    /^the stop ₹\S+ is not below the last price ₹\S+: it would fill at once/,
  ],
  ['a target below the price', '30%', '20%', -1, /^the target ₹\S+ is not above the last price/],
])('refuses %s', async (_name, stop, target, side, refusal) => {
  const desk = await heldDesk()
  const { average_price: average } = await desk.position()
  const typed = side > 0 ? [String(aside(average, 0.2)), target] : [stop, String(aside(average, -0.2))]
  expect(await asked(desk, typed[0] ?? '', typed[1] ?? '')).toEqual({
    refusal: expect.stringMatching(refusal),
  })
})

it('places none beside a GTT that covers the position, and names it', async () => {
  const desk = await heldDesk()
  await desk.confirm(await asked(desk, '10%', '20%'))
  const [gtt] = await desk.gtts()
  expect(await asked(desk, '11%', '21%')).toEqual({
    refusal: expect.stringMatching(
      new RegExp(`^SELL 10 NSE:SBIN, trigger .*, GTT ${gtt?.trigger_id} waits to close it: beside a bracket`),
    ),
  })
})

it('places none beside a stop order, and names it', async () => {
  const desk = await heldDesk()
  const id = await desk.place({
    ...{ action: 'SELL', pricetype: 'SL-M', price: 0, trigger_price: 650, product: 'CNC' },
  })
  expect(await asked(desk, '10%', '20%')).toEqual({ refusal: expect.stringContaining(`order ${id} waits`) })
})

it('places none beside an order in doubt that may close the position', async () => {
  const desk = await heldDesk({}, { mode: 'live' })
  desk.http.desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_request', times: 1 }])
  const order = { strategy: 't', symbol: 'SBIN', exchange: 'NSE', action: 'SELL', product: 'CNC' } as const
  await desk.client.call('placeorder', { ...order, quantity: 10 }).catch(() => undefined)
  expect(await asked(desk, '10%', '20%')).toEqual({
    refusal: expect.stringMatching(/^SELL 10 NSE:SBIN in doubt, order S\w+ waits to close it/),
  })
})

it('names a broker whose GTTs have one trigger only', async () => {
  const desk = await heldDesk({}, { mode: 'live' })
  const { brokers } = desk.http.desk.service
  const list = brokers.list.bind(brokers)
  brokers.list = () =>
    list().map((broker) => {
      const { gtt, ...manifest } = broker.manifest
      return { ...broker, manifest: { ...manifest, ...(gtt && { gtt: { ...gtt, oco: false } }) } }
    })
  expect(await asked(desk, '10%', '20%')).toEqual({
    refusal: expect.stringMatching(/^a GTT at .+ has one trigger, and no second one \(OCO\)/),
  })
})

it('places none in semi-auto mode, where it would wait', async () => {
  const desk = await heldDesk({}, { order_mode: 'semi_auto' })
  expect(await asked(desk, '10%', '20%')).toEqual({
    refusal: expect.stringContaining('would wait for approval'),
  })
})

it.each<[string, (desk: Desk) => Promise<unknown>, string]>([
  [
    'the position has shrunk',
    ({ place }) => place({ ...AT_MARKET, action: 'SELL', product: 'CNC', quantity: 4 }),
    'is 6 now, and was 10',
  ],
  [
    'a stop waits',
    ({ place }) => place({ action: 'SELL', pricetype: 'SL-M', price: 0, trigger_price: 650, product: 'CNC' }),
    'waits to close it: beside a bracket, both could fill',
  ],
])('places nothing when %s since the question', async (_name, meanwhile, reason) => {
  const desk = await heldDesk()
  const question = await asked(desk, '10%', '20%')
  await meanwhile(desk)
  await expect('refusal' in question ? undefined : question.recheck?.()).rejects.toThrow(reason)
  expect(await desk.gtts()).toEqual([])
})
