import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import type { BrokerGtts } from '../../../../../src/core/brokers/broker.js'
import { toGtt } from '../../../../../src/core/brokers/zerodha/gtt/rows.js'
import { gttRow } from '../../../../../src/core/brokers/zerodha/gtt/wire.js'
import type { GttRequest } from '../../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { contextFor, startRig } from '../rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

function gtts(): BrokerGtts {
  if (!rig.client.gtts) throw new Error('no GTTs')
  return rig.client.gtts
}

const SINGLE: GttRequest = {
  strategy: 'test',
  type: 'SINGLE',
  symbol: 'INFY',
  exchange: 'NSE',
  action: 'SELL',
  quantity: 5,
  product: 'CNC',
  priceType: 'LIMIT',
  legs: [{ kind: 'stop', triggerPrice: 1450, price: 1445 }],
  expiresAt: undefined,
}
const OCO: GttRequest = {
  ...SINGLE,
  type: 'OCO',
  legs: [
    { kind: 'stop', triggerPrice: 1450, price: 1445 },
    { kind: 'target', triggerPrice: 1550, price: 1555 },
  ],
}
const AT = { tag: 'T1', lastPrice: 1500 }

/** What the fake got last, with its JSON read. */
function lastForm() {
  const { fields } = rig.fake.ledger.entries.at(-1) ?? {}
  return {
    type: fields?.type,
    condition: JSON.parse(fields?.condition ?? '{}'),
    orders: JSON.parse(fields?.orders ?? '[]'),
  }
}

describe('what leaves', () => {
  it('a single and an OCO in Kite’s form', async () => {
    await gtts().place(SINGLE, AT)
    const leg = {
      exchange: 'NSE',
      tradingsymbol: 'INFY',
      transaction_type: 'SELL',
      quantity: 5,
      order_type: 'LIMIT',
      product: 'CNC',
    }
    expect(lastForm()).toEqual({
      type: 'single',
      condition: { exchange: 'NSE', tradingsymbol: 'INFY', trigger_values: [1450], last_price: 1500 },
      orders: [{ ...leg, price: 1445 }],
    })
    await gtts().place(OCO, AT)
    expect(lastForm()).toMatchObject({
      type: 'two-leg',
      condition: { trigger_values: [1450, 1550] },
      orders: [
        { ...leg, price: 1445 },
        { ...leg, price: 1555 },
      ],
    })
    expect(rig.fake.requests).toEqual(['POST /gtt/triggers', 'POST /gtt/triggers'])
  })

  it('a MARKET leg as a protected limit, from its trigger', async () => {
    const legs = OCO.legs.map((leg) => ({ ...leg, price: 0 }))
    await gtts().place({ ...SINGLE, priceType: 'MARKET', legs: legs.slice(0, 1) }, AT)
    expect(lastForm().orders).toMatchObject([{ order_type: 'LIMIT', price: 1442.75 }])
    await gtts().place({ ...OCO, priceType: 'MARKET', legs }, AT)
    expect(lastForm().orders).toMatchObject([{ price: 1442.75 }, { price: 1542.25 }])
  })

  it('a contract that Kite counts in lots, in lots, and back in units', async () => {
    const gold = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 30 } as const
    const legs = [{ kind: 'stop', triggerPrice: 72_000, price: 71_900 } as const]
    await rig.client.portfolio.positions()
    await gtts().place({ ...SINGLE, ...gold, legs }, { tag: 'T1', lastPrice: 72_150 })
    expect(lastForm().orders).toMatchObject([{ quantity: 3 }])
    expect(await gtts().list()).toMatchObject([
      { symbol: gold.symbol, exchange: 'MCX', legs: [{ quantity: 30 }] },
    ])
  })
})

describe('what is never sent', () => {
  test.each([
    ['an expiry', { expiresAt: '2027-01-01' }, 'unsupported', 'leave out expires_at'],
    [
      'a stop above the last price',
      { legs: [{ kind: 'stop', triggerPrice: 1510, price: 1505 }] },
      'validation',
      'triggerprice_sl 1510 must be below the last price 1500',
    ],
    [
      'a target at the last price',
      { legs: [{ kind: 'target', triggerPrice: 1500, price: 1505 }] },
      'validation',
      'triggerprice_tg 1500 must be above the last price 1500',
    ],
    ['an unknown symbol', { symbol: 'NOSUCH' }, 'validation', 'not found'],
    [
      'a contract whose size is not settled',
      { symbol: 'NEWMETAL31JAN30FUT', exchange: 'MCX' },
      'unsupported',
      'NEWMETAL',
    ],
  ] as const)('%s', async (_name, changes, kind, words) => {
    const refused = gtts().place({ ...SINGLE, ...changes }, AT)
    await expect(refused).rejects.toMatchObject({
      kind,
      sent: 'never',
      message: expect.stringContaining(words),
    })
    expect(rig.fake.requests).toEqual([])
  })
})

describe('the life of one', () => {
  it('is changed, listed and cancelled by its id, and is no longer listed then', async () => {
    const { triggerId } = await gtts().place(SINGLE, AT)
    const legs = [{ kind: 'stop', triggerPrice: 1440, price: 1435 } as const]
    expect(await gtts().modify(triggerId, { ...SINGLE, quantity: 7, legs }, AT)).toEqual({ triggerId })
    expect(await gtts().list()).toMatchObject([
      {
        triggerId,
        type: 'single',
        status: 'active',
        triggerPrices: [1440],
        lastPrice: 1500,
        legs: [{ action: 'SELL', quantity: 7, price: 1435, priceType: 'LIMIT', product: 'CNC' }],
        createdAt: expect.any(Number),
      },
    ])
    expect(await gtts().cancel(triggerId)).toEqual({ triggerId })
    expect(await gtts().list()).toEqual([])
    expect(await gtts().gtt?.(triggerId)).toMatchObject({ status: 'cancelled' })
    expect(await gtts().gtt?.('999')).toBeUndefined()
  })

  it('is not moved into another product: Kite documents no such change', async () => {
    const { triggerId } = await gtts().place(SINGLE, AT)
    const moved = gtts().modify(triggerId, { ...SINGLE, product: 'NRML' }, AT)
    await expect(moved).rejects.toMatchObject({ sent: 'yes', message: expect.stringContaining('product') })
  })

  it('names the order of the leg that fired, and the list still shows it', async () => {
    const { triggerId } = await gtts().place(OCO, AT)
    rig.fake.setPrice('NSE:INFY', 1550)
    const [order] = await rig.client.orders.list()
    expect(order).toMatchObject({ action: 'SELL', quantity: 5, price: 1555, priceType: 'LIMIT' })
    const fired = { triggerId, status: 'triggered', triggeredOrderId: order?.orderId }
    expect(await gtts().list()).toMatchObject([fired])
  })

  it.each([
    ['stop', 'SELL', 1450],
    ['target', 'BUY', 1550],
  ] as const)('trades at once when a %s to %s at the market fires', async (kind, action, triggerPrice) => {
    const legs = [{ kind, triggerPrice, price: 0 }]
    await gtts().place({ ...SINGLE, action, priceType: 'MARKET', legs }, AT)
    rig.fake.setPrice('NSE:INFY', triggerPrice)
    expect(await rig.client.orders.list()).toMatchObject([
      { action, status: 'complete', filledQuantity: 5, averagePrice: triggerPrice },
    ])
  })

  it('is rejected with the reason when the order of its leg is refused', async () => {
    const legs = [{ kind: 'stop', triggerPrice: 1450, price: 1300 } as const]
    await gtts().place({ ...SINGLE, legs }, AT)
    rig.fake.setPrice('NSE:INFY', 1449)
    expect(await gtts().list()).toMatchObject([
      { status: 'rejected', rejectionReason: expect.stringContaining('lower circuit limit') },
    ])
    expect(await rig.client.orders.list()).toEqual([])
  })

  it.each(['drop_after', '5xx_after', 'garbage', 'no_id', 'cut_body'])(
    'is in doubt and sent once after %s',
    async (action) => {
      rig.fake.script.set({ route: 'placeGtt', actions: [action] })
      await expect(gtts().place(SINGLE, AT)).rejects.toMatchObject({ sent: 'maybe' })
      expect(rig.fake.ledger.entries.map(({ event }) => event)).toEqual(['gtt placed'])
    },
  )
})

describe('a GTT that another program has placed', () => {
  it('in a type of its own is listed, and is not changed here', async () => {
    const { triggerId } = await gtts().place(SINGLE, AT)
    Object.assign(rig.fake.triggers.one(Number(triggerId)), { type: 'trailing-single' })
    expect(await gtts().list()).toMatchObject([{ triggerId, type: 'single', status: 'active' }])
    expect(await gtts().gtt?.(triggerId)).toMatchObject({ type: 'single', legs: [{ quantity: 5 }] })
    const changed = gtts().modify(triggerId, SINGLE, AT)
    await expect(changed).rejects.toMatchObject({ kind: 'unsupported', sent: 'never' })
  })

  it('hides no other if it cannot be read, and does not count as absent', async () => {
    const strange = await gtts().place(SINGLE, AT)
    const { triggerId } = await gtts().place(OCO, AT)
    rig.fake.setPrice('NSE:INFY', 1550)
    Object.assign(rig.fake.triggers.one(Number(strange.triggerId)), { condition: null })
    expect(await gtts().list()).toMatchObject([{ triggerId, status: 'triggered' }])
    await expect(gtts().gtt?.(strange.triggerId)).rejects.toMatchObject({ kind: 'protocol' })
  })
})

describe('a row of the book', () => {
  const clock = new VirtualClock(Date.parse('2026-01-05T10:00:30+05:30'))
  const row = (changes: object) =>
    toGtt(
      contextFor({}, clock),
      gttRow.parse({
        id: 105099,
        type: 'single',
        status: 'active',
        created_at: '2026-01-05 09:30:00',
        updated_at: '2026-01-05 10:00:00',
        expires_at: '2027-01-05 09:30:00',
        condition: { exchange: 'NSE', tradingsymbol: 'INFY', last_price: 1500, trigger_values: [1450] },
        orders: [
          {
            transaction_type: 'SELL',
            product: 'CNC',
            order_type: 'LIMIT',
            quantity: 1,
            price: 1445,
            result: null,
          },
        ],
        ...changes,
      }),
    )

  it.each([
    ['active', 'active'],
    ['disabled', 'disabled'],
    ['expired', 'expired'],
    ['cancelled', 'cancelled'],
    ['deleted', 'cancelled'],
    ['rejected', 'rejected'],
    ['something new', 'active'],
  ])('%s is %s', (status, ours) => {
    expect(row({ status })).toMatchObject({
      status: ours,
      createdAt: Date.parse('2026-01-05T09:30:00+05:30'),
    })
  })

  it('keeps the product MTF, in which nobody can place a GTT here', () => {
    const leg = { transaction_type: 'SELL', order_type: 'LIMIT', quantity: 1, price: 1445, result: null }
    expect(row({ orders: [{ ...leg, product: 'MTF' }] }).legs).toMatchObject([{ product: 'MTF' }])
  })

  it('has fired, and its order is not named yet', () => {
    const fired = row({ status: 'triggered' })
    expect([fired.status, fired.triggeredOrderId]).toEqual(['triggered', undefined])
  })
})
