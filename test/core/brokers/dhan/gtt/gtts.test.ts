import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BrokerGtts } from '../../../../../src/core/brokers/broker.js'
import { dhan } from '../../../../../src/core/brokers/dhan/index.js'
import type { GttRequest } from '../../../../../src/core/orders/schema.js'
import { ACCOUNT } from '../../../../fixtures/fake-dhan/sign-in.js'
import { SESSION, startRig } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
let gtts: BrokerGtts
beforeEach(async () => {
  rig = await startRig()
  if (!rig.client.gtts) throw new Error('no GTTs')
  gtts = rig.client.gtts
})
afterEach(() => rig.close())

const lastPrice = 1500

function oco(changes: Partial<GttRequest> = {}): GttRequest {
  return {
    strategy: 'test',
    type: 'OCO',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'SELL',
    quantity: 5,
    product: 'CNC',
    priceType: 'LIMIT',
    legs: [
      { kind: 'stop', triggerPrice: 1450, price: 1445 },
      { kind: 'target', triggerPrice: 1560, price: 1555 },
    ],
    expiresAt: undefined,
    ...changes,
  }
}

const CHANGED = oco({
  quantity: 6,
  legs: [
    { kind: 'stop', triggerPrice: 1440, price: 1435 },
    { kind: 'target', triggerPrice: 1570, price: 1565 },
  ],
})
const place = (gtt = oco()) => gtts.place(gtt, { tag: 'G1', lastPrice })
const entries = (event: string) => rig.fake.ledger.entries.filter((entry) => entry.event === event)

test('an OCO is one request, with the target in the second set of prices and our tag', async () => {
  const { triggerId } = await place()
  expect(entries('gtt placed')[0]).toMatchObject({
    orderId: triggerId,
    tag: 'G1',
    fields: {
      orderFlag: 'OCO',
      productType: 'CNC',
      orderType: 'LIMIT',
      quantity: '5',
      price: '1445',
      triggerPrice: '1450',
      price1: '1555',
      triggerPrice1: '1560',
      quantity1: '5',
    },
  })
  expect(await gtts.findByTag?.('G1')).toMatchObject({
    triggerId,
    type: 'two-leg',
    status: 'active',
    lastPrice,
    triggerPrices: [1450, 1560],
    legs: [
      { action: 'SELL', quantity: 5, price: 1445, product: 'CNC' },
      { action: 'SELL', quantity: 5, price: 1555, product: 'CNC' },
    ],
  })
  expect(await gtts.findByTag?.('G2')).toBeUndefined()
})

describe('a change of an OCO', () => {
  test('is a call for each leg', async () => {
    const { triggerId } = await place()
    await gtts.modify(triggerId, CHANGED, { lastPrice })
    expect(entries('gtt modified').map(({ fields }) => [fields.legName, fields.triggerPrice])).toEqual([
      ['TARGET_LEG', '1440'],
      ['STOP_LOSS_LEG', '1570'],
    ])
    expect((await gtts.list())[0]).toMatchObject({
      triggerPrices: [1440, 1570],
      legs: [{ quantity: 6 }, { quantity: 6 }],
    })
  })

  test.each([
    ['is refused', 'reject:DH-906:No such price', 'has not: No such price', [1440, 1560]],
    ['is lost before it is done', 'drop_before', 'may have them', [1440, 1560]],
    ['is done and its answer lost', 'drop_after', 'may have them', [1440, 1570]],
    ['is answered by a gateway', '5xx_after', 'may have them', [1440, 1570]],
  ])('whose second call %s is half done and in doubt', async (_name, action, words, triggerPrices) => {
    const { triggerId } = await place()
    rig.fake.script.set({ route: 'modifyGtt', actions: ['ok', action] })
    const error = await gtts.modify(triggerId, CHANGED, { lastPrice }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      isHalfDone: true,
      sent: 'maybe',
      message: expect.stringContaining(
        `The GTT ${triggerId} is changed in part: the stop leg has the new values`,
      ),
    })
    expect(error).toMatchObject({ message: expect.stringContaining(words) })
    // The book shows it as it is, and the whole change sent again makes it whole.
    expect((await gtts.list())[0]).toMatchObject({ status: 'active', triggerPrices })
    await gtts.modify(triggerId, CHANGED, { lastPrice })
    expect((await gtts.list())[0]).toMatchObject({ triggerPrices: [1440, 1570] })
  })

  test.each([
    ['reject:DH-906:No such price', 'yes'],
    ['drop_after', 'maybe'],
  ])('whose first call fails (%s) sends no second one', async (action, sent) => {
    const { triggerId } = await place()
    const before = rig.fake.requests.length
    rig.fake.script.set({ route: 'modifyGtt', actions: [action] })
    const change = gtts.modify(triggerId, CHANGED, { lastPrice })
    await expect(change).rejects.toMatchObject({ sent, isHalfDone: false })
    // The list, and one change.
    expect(rig.fake.requests.length).toBe(before + 2)
  })
})

describe('the names of the legs', () => {
  const SINGLE = oco({ type: 'SINGLE', legs: [{ kind: 'stop', triggerPrice: 1450, price: 1445 }] })
  const MOVED = { ...SINGLE, legs: [{ kind: 'stop', triggerPrice: 1440, price: 1435 }] } as const

  test.each(['TARGET_LEG', 'ENTRY_LEG'])('are those of the rows: a SINGLE as %s', async (legName) => {
    rig.fake.forevers.legNames = { SINGLE: [legName], OCO: [] }
    const { triggerId } = await place(SINGLE)
    await gtts.modify(triggerId, MOVED, { lastPrice })
    expect(entries('gtt modified')).toMatchObject([{ fields: { legName, triggerPrice: '1440' } }])
  })

  test('are those of the rows: an OCO whose stop is called the stop', async () => {
    rig.fake.forevers.legNames = { SINGLE: [], OCO: ['STOP_LOSS_LEG', 'TARGET_LEG'] }
    const { triggerId } = await place()
    await gtts.modify(triggerId, CHANGED, { lastPrice })
    expect((await gtts.list())[0]).toMatchObject({ triggerPrices: [1440, 1570] })
  })

  test.each([
    ['has none', [''], SINGLE, MOVED],
    ['has the same for both', ['TARGET_LEG', 'TARGET_LEG'], oco(), CHANGED],
    ['has two legs and is said to have one', ['TARGET_LEG', 'STOP_LOSS_LEG'], oco(), MOVED],
  ])('are not guessed: one that %s is not changed', async (_name, names, placed, changed) => {
    rig.fake.forevers.legNames = { SINGLE: names, OCO: names }
    const { triggerId } = await place(placed)
    await expect(gtts.modify(triggerId, changed, { lastPrice })).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
      message: expect.stringContaining('does not name the legs'),
    })
    expect(entries('gtt modified')).toEqual([])
  })

  test('that cannot be read leave the GTT as it is, and that is certain', async () => {
    const { triggerId } = await place()
    rig.fake.script.set({ route: 'gtts', actions: ['5xx_before'] })
    const change = gtts.modify(triggerId, CHANGED, { lastPrice })
    await expect(change).rejects.toMatchObject({ kind: 'unavailable', sent: 'never' })
    await expect(gtts.modify('9', CHANGED, { lastPrice })).rejects.toMatchObject({
      kind: 'not_found',
      sent: 'never',
    })
    expect(entries('gtt modified')).toEqual([])
  })
})

test('a SINGLE at the market has a limit with the protection beyond its trigger', async () => {
  const legs = [{ kind: 'stop', triggerPrice: 1450, price: 0 }] as const
  await place(oco({ type: 'SINGLE', priceType: 'MARKET', legs }))
  expect(entries('gtt placed')[0]?.fields).toMatchObject({ price: '1442.75', triggerPrice: '1450' })
})

test('one that fired names the order with its tag; one leg ends the other', async () => {
  await place()
  rig.fake.setPrice('NSE_EQ:1594', 1449)
  const [order] = await rig.client.orders.list()
  expect(await gtts.findByTag?.('G1')).toMatchObject({
    status: 'triggered',
    triggeredOrderId: order?.orderId,
  })
  rig.fake.setPrice('NSE_EQ:1594', 1560)
  expect(await rig.client.orders.list()).toHaveLength(1)
})

test('one of an earlier connection is set beside the price of now', async () => {
  await place()
  const next = dhan.connect(SESSION, rig.context)
  expect((await next.gtts?.list())?.[0]).toMatchObject({ lastPrice: 1500 })
  await next.close()
})

test('one that has expired, and one that was cancelled, end', async () => {
  const [first, second] = [await place(), await place()]
  rig.fake.forevers.expire(first.triggerId)
  await gtts.cancel(second.triggerId)
  expect((await gtts.list()).map(({ status }) => status)).toEqual(['expired', 'cancelled'])
})

test.each([
  ['with an end of ours', oco({ expiresAt: '2030-01-01' }), 'unsupported'],
  ['of a commodity', oco({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML' }), 'unsupported'],
  [
    'whose stop lies above the price',
    oco({ type: 'SINGLE', legs: [{ kind: 'stop', triggerPrice: 1510, price: 1505 }] }),
    'validation',
  ],
])('one %s is not sent', async (_name, gtt, kind) => {
  await expect(place(gtt)).rejects.toMatchObject({ kind, sent: 'never' })
  expect(rig.fake.ledger.entries).toEqual([])
})

test('a row that cannot be read hides only its own order, which does not count as absent', async () => {
  const { triggerId } = await place()
  const rows = rig.fake.forevers.rows(ACCOUNT.clientId)
  const foreign = rows.map((row) => ({ ...row, orderId: '7', correlationId: null, orderType: 'BRACKET' }))
  const ours = rows.map((row, leg) => ({
    ...row,
    orderId: '8',
    correlationId: 'G2',
    quantity: leg ? 5 : null,
  }))
  rig.fake.forevers.rows = () => [...foreign, ...rows, ...ours]
  expect((await gtts.list()).map((gtt) => gtt.triggerId)).toEqual([triggerId])
  expect(rig.context.lines.map(({ event }) => event)).toContain('dhan.unreadable_gtt')
  expect(await gtts.findByTag?.('G1')).toMatchObject({ triggerId })
  expect(await gtts.findByTag?.('G3')).toBeUndefined()
  await expect(gtts.findByTag?.('G2')).rejects.toMatchObject({ kind: 'protocol' })
})
