import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../../src/core/brokers/broker.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { byTag } from '../../by-tag.js'
import { orderOf, SECRETS, startRig, until } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

async function failure(call: Promise<unknown>): Promise<BrokerError> {
  const thrown: unknown = await call.catch((error: unknown) => error)
  if (!(thrown instanceof BrokerError)) throw new Error(`expected a BrokerError, got ${String(thrown)}`)
  for (const secret of SECRETS) expect(`${thrown.message} ${thrown.stack}`).not.toContain(secret)
  return thrown
}

describe('the request of place', () => {
  const common = {
    tradingsymbol: 'INFY',
    exchange: 'NSE',
    transaction_type: 'BUY',
    quantity: '7',
    validity: 'DAY',
    tag: 'T1',
  }
  const prices = { price: 1450.5, triggerPrice: 1460 }
  const cases = [
    ['MARKET', { order_type: 'MARKET', market_protection: '-1' }],
    ['LIMIT', { order_type: 'LIMIT', price: '1450.5' }],
    ['SL', { order_type: 'SL', price: '1450.5', trigger_price: '1460' }],
    ['SL-M', { order_type: 'SL-M', trigger_price: '1460', market_protection: '-1' }],
  ] as const
  for (const [priceType, terms] of cases) {
    for (const product of ['CNC', 'MIS', 'NRML'] as const) {
      it(`${priceType} ${product}: exactly the fields of the form`, async () => {
        await rig.client.orders.place(orderOf({ priceType, product, quantity: 7, ...prices }), 'T1')
        expect(rig.fake.ledger.placed[0]?.fields).toEqual({ ...common, product, ...terms })
        expect(rig.fake.requests).toEqual(['POST /orders/regular'])
      })
    }
  }

  it('the broker’s own symbol and exchange, and a disclosed quantity if there is one', async () => {
    const order = orderOf({
      symbol: 'NIFTY29JAN3024000CE',
      exchange: 'NFO',
      quantity: 150,
      disclosedQuantity: 75,
    })
    await rig.client.orders.place({ ...order, action: 'SELL', product: 'NRML' }, 'T2')
    expect(rig.fake.ledger.placed[0]?.fields).toMatchObject({
      tradingsymbol: 'NIFTY30JAN24000CE',
      exchange: 'NFO',
      transaction_type: 'SELL',
      disclosed_quantity: '75',
    })
  })

  it.each(['', 'twenty-one', 'A'.repeat(21), 'with space'])('a tag like "%s" is never sent', async (tag) => {
    expect(await failure(rig.client.orders.place(orderOf(), tag))).toMatchObject({
      kind: 'validation',
      sent: 'never',
    })
    expect(rig.fake.requests).toEqual([])
  })

  it('a tag of twenty characters is sent unchanged', async () => {
    await rig.client.orders.place(orderOf(), 'A1'.repeat(10))
    expect(rig.fake.ledger.placed[0]?.tag).toBe('A1'.repeat(10))
  })
})

describe('place when something fails', () => {
  const cases = [
    ['drop_before', { kind: 'network', sent: 'maybe', brokerStatus: undefined }, 0],
    ['drop_after', { kind: 'network', sent: 'maybe', brokerStatus: undefined }, 1],
    ['5xx_before', { kind: 'unavailable', sent: 'maybe', brokerStatus: 503 }, 0],
    ['5xx_after', { kind: 'unavailable', sent: 'maybe', brokerStatus: 503 }, 1],
    ['garbage', { kind: 'protocol', sent: 'maybe', brokerStatus: undefined }, 1],
    ['no_id', { kind: 'protocol', sent: 'maybe', brokerStatus: undefined }, 1],
    ['429', { kind: 'rate_limit', sent: 'yes', brokerStatus: 429, retryAfterMs: 1000 }, 0],
    [
      'reject:MarginException:Insufficient funds: 10 short',
      { kind: 'rejected', sent: 'yes', brokerStatus: 400, message: 'Insufficient funds: 10 short' },
      0,
    ],
    ['reject:InputException:Bad price', { kind: 'validation', sent: 'yes', brokerStatus: 400 }, 0],
    ['reject:TokenException:Expired', { kind: 'auth', sent: 'yes', brokerStatus: 403 }, 0],
    ['reject:NetworkException:Lost the OMS', { kind: 'unavailable', sent: 'maybe', brokerStatus: 503 }, 0],
  ] as const
  it.each(cases)('%s', async (action, expected, accepted) => {
    rig.fake.script.set({ route: 'place', actions: [action] })
    expect(await failure(rig.client.orders.place(orderOf(), 'T1'))).toMatchObject(expected)
    expect(rig.fake.requests).toEqual(['POST /orders/regular'])
    expect(rig.fake.ledger.placed).toHaveLength(accepted)
    const found = await byTag(rig.client, 'T1')
    expect(found === undefined).toBe(accepted === 0)
  })

  it('slow: waits for the response', async () => {
    rig.fake.script.set({ route: 'place', actions: ['slow:30'] })
    expect((await rig.client.orders.place(orderOf(), 'T1')).orderId).not.toBe('')
  })

  it('late_reject: accepted with an id, then rejected by the exchange with its reason', async () => {
    rig.fake.script.set({ route: 'place', actions: ['late_reject:Circuit limit'] })
    const { orderId } = await rig.client.orders.place(orderOf(), 'T1')
    expect(await byTag(rig.client, 'T1')).toMatchObject({
      orderId,
      status: 'rejected',
      rejectionReason: 'Circuit limit',
    })
  })

  it("our token is masked in a broker's text", async () => {
    rig.fake.script.set({ route: 'place', actions: [`reject:TokenException:Bad token ${SECRETS[0]}.`] })
    expect((await failure(rig.client.orders.place(orderOf(), 'T1'))).message).toBe('Bad token [redacted].')
  })

  it('no order is accepted twice in 200 orders with random faults', async () => {
    rig.fake.script.set({
      route: 'place',
      seed: 7,
      probabilities: { drop_before: 0.15, drop_after: 0.15, '5xx_after': 0.1, garbage: 0.1, '429': 0.1 },
    })
    const answered = new Set<string>()
    const certainlyNot = new Set<string>()
    for (let index = 0; index < 200; index++) {
      await rig.client.orders.place(orderOf(), `T${index}`).then(
        () => answered.add(`T${index}`),
        (error: unknown) => {
          if (error instanceof BrokerError && error.sent !== 'maybe') certainlyNot.add(`T${index}`)
        },
      )
    }
    const tags = rig.fake.ledger.placed.map((entry) => entry.tag)
    expect(new Set(tags).size).toBe(tags.length)
    for (const tag of answered) expect(tags).toContain(tag)
    for (const tag of certainlyNot) expect(tags).not.toContain(tag)
    expect(Math.min(answered.size, certainlyNot.size)).toBeGreaterThan(5)
  })
})

describe('a price that Kite refuses', () => {
  it.each([
    [
      'below the day’s band',
      { priceType: 'LIMIT', price: 1349.95 },
      'lower than the current lower circuit limit',
    ],
    [
      'above the day’s band',
      { priceType: 'LIMIT', price: 1650.05 },
      'higher than the current upper circuit limit',
    ],
    ['off the tick', { priceType: 'LIMIT', price: 1450.03 }, 'Tick size for this script is 0.05'],
    ['a trigger above the band', { priceType: 'SL-M', triggerPrice: 1700 }, 'upper circuit limit of 1650.00'],
  ] as const)(
    '%s is refused with its words, for a new order and for a change',
    async (_name, terms, words) => {
      const refused = { kind: 'validation', message: expect.stringContaining(words) }
      expect(await failure(rig.client.orders.place(orderOf(terms), 'T1'))).toMatchObject(refused)
      const { orderId } = await rig.client.orders.place(orderOf({ priceType: 'LIMIT', price: 1400 }), 'T2')
      expect(await failure(rig.client.orders.modify(orderId, orderOf(terms)))).toMatchObject(refused)
      expect((await rig.client.orders.list()).map(({ price }) => price)).toEqual([1400])
    },
  )
})

describe('modify and cancel', () => {
  const limit = orderOf({ priceType: 'LIMIT', price: 1400, quantity: 2 })

  it('the variety of an order that we did not place is looked up once', async () => {
    const orderId = rig.fake.book.place('amo', { ...AMO }, undefined)
    await rig.client.orders.modify(orderId, { ...limit, price: 1410 })
    await rig.client.orders.cancel(orderId)
    expect(rig.fake.requests).toEqual([
      `GET /orders/${orderId}`,
      `PUT /orders/amo/${orderId}`,
      `DELETE /orders/amo/${orderId}`,
    ])
  })

  it('modify sends all terms', async () => {
    const { orderId } = await rig.client.orders.place(limit, 'T1')
    await rig.client.orders.modify(orderId, {
      ...limit,
      priceType: 'SL',
      triggerPrice: 1600,
      price: 1601,
      quantity: 3,
    })
    expect(rig.fake.ledger.entries.at(-1)).toMatchObject({
      event: 'modified',
      fields: { order_type: 'SL', price: '1601', trigger_price: '1600', quantity: '3', validity: 'DAY' },
    })
  })

  it.each(['co', 'bo'])('a leg of a %s order keeps its variety and names its parent', async (variety) => {
    const leg = { ...AMO, parent_order_id: 'parent1', order_type: 'LIMIT' }
    const orderId = rig.fake.book.place(variety, leg, undefined)
    await rig.client.orders.list()
    rig.fake.requests.length = 0
    await rig.client.orders.modify(orderId, { ...limit, price: 1410 })
    await rig.client.orders.cancel(orderId)
    expect(rig.fake.requests).toEqual([
      `PUT /orders/${variety}/${orderId}`,
      `DELETE /orders/${variety}/${orderId}`,
    ])
    expect(rig.fake.book.orders[0]?.status).toBe('CANCELLED')
  })

  it.each(['CO', 'BO'] as const)('an order in %s is never sent', async (product) => {
    const refused = await failure(rig.client.orders.place(orderOf({ product }), 'T1'))
    expect(refused).toMatchObject({ kind: 'unsupported', sent: 'never' })
    expect(rig.fake.requests).toEqual([])
  })

  const targets = [
    ['MARKET', { order_type: 'MARKET', market_protection: '-1' }],
    ['LIMIT', { order_type: 'LIMIT', price: '1410' }],
    ['SL', { order_type: 'SL', price: '1410', trigger_price: '1600' }],
    ['SL-M', { order_type: 'SL-M', trigger_price: '1600', market_protection: '-1' }],
  ] as const
  for (const from of ['LIMIT', 'SL', 'SL-M'] as const) {
    it.each(targets)(
      `a ${from} order changes to %s, with protection where Kite wants it`,
      async (to, terms) => {
        const prices = { price: 1400, triggerPrice: 1640, quantity: 2 }
        const { orderId } = await rig.client.orders.place(orderOf({ priceType: from, ...prices }), 'T1')
        const changed = orderOf({ priceType: to, price: 1410, triggerPrice: 1600, quantity: 2 })
        await rig.client.orders.modify(orderId, changed)
        const { fields } = rig.fake.ledger.entries.at(-1) ?? {}
        expect(fields).toEqual({ quantity: '2', validity: 'DAY', disclosed_quantity: '0', ...terms })
      },
    )
  }

  it('an id from outside cannot reach another path', async () => {
    await failure(rig.client.orders.cancel('../user/profile?x='))
    expect(rig.fake.requests).toEqual(['GET /orders/..%2Fuser%2Fprofile%3Fx%3D'])
  })

  it.each(['drop_after', '5xx_after'])(
    'a cancel answered by %s is in doubt and sent once',
    async (action) => {
      const { orderId } = await rig.client.orders.place(limit, 'T1')
      rig.fake.script.set({ route: 'cancel', actions: [action] })
      expect(await failure(rig.client.orders.cancel(orderId))).toMatchObject({ sent: 'maybe' })
      expect(rig.fake.ledger.entries.filter((entry) => entry.event === 'cancelled')).toHaveLength(1)
    },
  )
})

describe('an order that must be read before its change', () => {
  const limit = orderOf({ priceType: 'LIMIT', price: 1400 })

  it.each(['5xx_before', 'drop_before'])('and cannot (%s) is not in doubt', async (action) => {
    const actions = Array.from({ length: 4 }, () => action)
    rig.fake.script.set({ route: 'order', actions })
    expect(await failure(rig.client.orders.cancel('25090400000001'))).toMatchObject({ sent: 'never' })
    rig.fake.script.set({ route: 'order', actions })
    expect(await failure(rig.client.orders.modify('25090400000001', limit))).toMatchObject({ sent: 'never' })
    expect(rig.fake.requests.filter((line) => !line.startsWith('GET'))).toEqual([])
  })

  it('shows the market all of it after a change that says so', async () => {
    const { orderId } = await rig.client.orders.place({ ...limit, quantity: 20, disclosedQuantity: 5 }, 'T1')
    const disclosed = () => rig.fake.book.orders.find((row) => row.order_id === orderId)?.disclosed_quantity
    expect(disclosed()).toBe(5)
    expect(await rig.client.orders.list()).toMatchObject([{ orderId, disclosedQuantity: 5 }])
    await rig.client.orders.modify(orderId, { ...limit, quantity: 20, disclosedQuantity: 0 })
    expect(disclosed()).toBe(0)
    expect((await rig.client.orders.list())[0]).not.toHaveProperty('disclosedQuantity')
  })
})

describe('reading the order book', () => {
  it('a read that was cut off is repeated once', async () => {
    rig.fake.script.set({ route: 'orders', actions: ['drop_before'] })
    expect(await rig.client.orders.list()).toEqual([])
  })

  it('an unreadable row is an error, never a shorter list', async () => {
    rig.fake.script.set({ route: 'orders', actions: ['no_id'] })
    expect(await failure(rig.client.orders.list())).toMatchObject({ kind: 'protocol' })
  })

  it('two live orders with one tag are reported', async () => {
    await rig.client.orders.place(orderOf(), 'T1')
    await rig.client.orders.place(orderOf(), 'T1')
    await byTag(rig.client, 'T1')
    expect(rig.context.lines.map((line) => line.event)).toEqual(['broker.tag_not_unique'])
  })

  it('of a rejected and a live order with one tag, the live one is found', async () => {
    rig.fake.script.set({ route: 'place', actions: ['late_reject:no', 'ok'] })
    await rig.client.orders.place(orderOf(), 'T1')
    const second = await rig.client.orders.place(orderOf(), 'T1')
    expect((await byTag(rig.client, 'T1'))?.orderId).toBe(second.orderId)
  })

  it('an order that arrives late is missing at first and found later', async () => {
    await rig.close()
    const fakeClock = new VirtualClock(Date.UTC(2026, 0, 5, 5, 0))
    rig = await startRig(undefined, fakeClock)
    rig.fake.script.set({ route: 'place', actions: ['stall:40'] })
    const placed = rig.client.orders.place(orderOf(), 'T1')
    await until(() => rig.fake.requests.length === 1)
    expect(await byTag(rig.client, 'T1')).toBeUndefined()
    await fakeClock.advance(40)
    await placed
    expect((await byTag(rig.client, 'T1'))?.status).toBe('complete')
  })
})

const AMO = {
  tradingsymbol: 'INFY',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'LIMIT',
  quantity: '2',
  product: 'CNC',
  price: '1400',
}
