import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { angel } from '../../../../src/core/brokers/angel/index.js'
import type { BrokerGtts } from '../../../../src/core/brokers/broker.js'
import type { GttRequest } from '../../../../src/core/orders/schema.js'
import { SESSION, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

const SINGLE: GttRequest = {
  strategy: 'test',
  type: 'SINGLE',
  symbol: 'INFY',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 2,
  product: 'CNC',
  priceType: 'LIMIT',
  legs: [{ kind: 'stop', triggerPrice: 1490, price: 1491 }],
  expiresAt: undefined,
}
const DETAILS = { tag: 'TAG1', lastPrice: 1500 }

function gtts(client = rig.client): BrokerGtts {
  if (!client.gtts) throw new Error('no GTTs')
  return client.gtts
}
const changes = () => rig.fake.requests.filter((line) => /\/(create|modify|cancel)Rule$/.test(line))

describe('what a rule cannot be', () => {
  const refused: readonly (readonly [string, Partial<GttRequest>, string, string])[] = [
    [
      'an OCO',
      { type: 'OCO', legs: [...SINGLE.legs, { kind: 'target', triggerPrice: 1520, price: 1519 }] },
      'unsupported',
      'no OCO',
    ],
    ['a GTT with an end of its own', { expiresAt: '2027-01-01' }, 'unsupported', 'for a year'],
    ['a GTT in a product that is not documented', { product: 'NRML' }, 'unsupported', 'Use CNC'],
    [
      'a stop above the last price',
      { legs: [{ kind: 'stop', triggerPrice: 1510, price: 1511 }] },
      'validation',
      'below the last price 1500',
    ],
    [
      'a target below the last price',
      { legs: [{ kind: 'target', triggerPrice: 1490, price: 1491 }] },
      'validation',
      'above the last price 1500',
    ],
    [
      'a GTT of an exchange whose quantities are not documented',
      { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', quantity: 10 },
      'unsupported',
      'lots or units',
    ],
  ]
  it.each(refused)('%s is refused before anything is sent', async (_name, changed, kind, words) => {
    await expect(gtts().place({ ...SINGLE, ...changed }, DETAILS)).rejects.toMatchObject({
      kind,
      sent: 'never',
      message: expect.stringContaining(words),
    })
    expect(changes()).toEqual([])
  })
})

describe('a rule', () => {
  it('is created, changed and cancelled at the service for rules, and read beside it', async () => {
    const { triggerId } = await gtts().place(SINGLE, DETAILS)
    await gtts().modify(triggerId, { ...SINGLE, quantity: 3 }, DETAILS)
    expect(await gtts().gtt?.(triggerId)).toMatchObject({ status: 'active', legs: [{ quantity: 3 }] })
    await gtts().cancel(triggerId)
    expect(await gtts().list()).toMatchObject([{ triggerId, status: 'cancelled' }])
    expect(rig.fake.requests.filter((line) => line.includes('gtt'))).toEqual([
      'POST /gtt-service/rest/secure/angelbroking/gtt/v1/createRule',
      'POST /gtt-service/rest/secure/angelbroking/gtt/v1/modifyRule',
      'POST /rest/secure/angelbroking/gtt/v1/ruleDetails',
      'POST /gtt-service/rest/secure/angelbroking/gtt/v1/cancelRule',
      'POST /rest/secure/angelbroking/gtt/v1/ruleList',
    ])
  })

  it('of another client is cancelled by what its details say of it', async () => {
    const { triggerId } = await gtts().place(SINGLE, DETAILS)
    const next = angel.connect(SESSION, rig.context)
    expect(await gtts(next).cancel(triggerId)).toEqual({ triggerId })
    await next.close()
  })

  it('of another client waits on the side of the present price', async () => {
    await gtts().place(SINGLE, DETAILS)
    await gtts().place({ ...SINGLE, legs: [{ kind: 'target', triggerPrice: 1510, price: 1511 }] }, DETAILS)
    const next = angel.connect(SESSION, rig.context)
    expect(await gtts(next).list()).toMatchObject([
      { triggerPrices: [1490], lastPrice: 1500 },
      { triggerPrices: [1510], lastPrice: 1500 },
    ])
    await next.close()
  })

  it('of another client is listed without the price where there are no quotes', async () => {
    await gtts().place(SINGLE, DETAILS)
    const next = angel.connect(SESSION, rig.context)
    rig.fake.script.set({ route: 'quote', actions: ['5xx_before'] })
    expect(await gtts(next).list()).toMatchObject([{ triggerPrices: [1490], lastPrice: 0 }])
    await next.close()
  })

  it('that nobody knows is not there', async () => {
    expect(await gtts().gtt?.('999')).toBeUndefined()
    await expect(gtts().cancel('999')).rejects.toMatchObject({ kind: 'not_found', sent: 'yes' })
  })

  it('whose details cannot be read is not cancelled, and that is certain', async () => {
    rig.fake.script.set({ route: 'gtt', actions: ['5xx_before'] })
    await expect(gtts().cancel('1000051')).rejects.toMatchObject({ kind: 'unavailable', sent: 'never' })
    expect(changes()).toEqual([])
  })

  it('at the market leaves with a protected limit, and its order trades', async () => {
    const market = {
      ...SINGLE,
      priceType: 'MARKET',
      legs: [{ kind: 'stop', triggerPrice: 1490, price: 0 }],
    } as const
    const { triggerId } = await gtts().place(market, DETAILS)
    // Half a percent above the trigger, on a tick.
    expect(await gtts().list()).toMatchObject([{ legs: [{ price: 1497.45, priceType: 'LIMIT' }] }])
    rig.fake.setPrice('NSE:INFY-EQ', 1489.95)
    const fired = await gtts().gtt?.(triggerId)
    expect([fired?.status, fired?.triggeredOrderId]).toEqual(['triggered', undefined])
    expect(await rig.client.orders.list()).toMatchObject([
      { status: 'complete', filledQuantity: 2, product: 'CNC', averagePrice: 1489.95 },
    ])
  })

  it('that cannot be read hides no other', async () => {
    const { triggerId } = await gtts().place(SINGLE, DETAILS)
    const { rules } = rig.fake
    const list = rules.list.bind(rules)
    rules.list = (call) => (list(call) ?? []).flatMap((row) => [{ ...row, id: '7', qty: '' }, row])
    expect((await gtts().list()).map((gtt) => gtt.triggerId)).toEqual([triggerId])
    expect(rig.context.lines).toContainEqual(
      expect.objectContaining({ event: 'angel.unreadable_gtt', fields: { ids: ['7'] } }),
    )
  })

  it('is listed over as many pages as there are', async () => {
    for (let place = 0; place < 101; place++) await gtts().place(SINGLE, DETAILS)
    const rows = await gtts().list()
    expect(new Set(rows.map(({ triggerId }) => triggerId)).size).toBe(101)
    expect(rig.fake.requests.filter((line) => line.endsWith('ruleList'))).toHaveLength(2)
  })

  it('is not listed at all where Angel One has more rules than are read: one that is not read would look as if it were gone', async () => {
    await gtts().place(SINGLE, DETAILS)
    const rule = {
      ...{ tradingsymbol: 'INFY-EQ', symboltoken: '1594', exchange: 'NSE', producttype: 'DELIVERY' },
      ...{ transactiontype: 'SELL', price: '1490', qty: '1', disclosedqty: '0', triggerprice: '1490' },
      timeperiod: '365',
    }
    const call = {
      ...{ params: [], query: new URLSearchParams(), headers: {}, form: {} },
      ...{ json: rule, rejectLater: undefined },
    }
    for (let place = 0; place < 5_000; place++) rig.fake.rules.create(call)
    await expect(gtts().list()).rejects.toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('not all were read'),
    })
  })
})
