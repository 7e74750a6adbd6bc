import { describe, expect, it } from 'vitest'
import type { GttRequest } from '../../../../../src/core/orders/schema.js'
import { byTag } from '../../by-tag.js'
import { connect, contextOf, FRIDAY_11, order, SESSION, testPlugin } from '../support.js'

const SBIN = { symbol: 'SBIN', exchange: 'NSE' as const }

function gtt(fields: Partial<GttRequest> = {}): GttRequest {
  return {
    strategy: 't',
    type: 'SINGLE',
    ...SBIN,
    action: 'BUY',
    quantity: 5,
    product: 'CNC',
    priceType: 'MARKET',
    legs: [{ kind: 'stop', triggerPrice: 1, price: 0 }],
    expiresAt: undefined,
    ...fields,
  }
}

const AT = { tag: 'ref1', lastPrice: 800 }
/** Triggers that every price reaches. */
const DUE = { legs: [{ kind: 'target' as const, triggerPrice: 1, price: 0 }] }

describe('a GTT of the simulated broker', () => {
  it('waits without margin, is found by its tag, and is gone after a cancel', async () => {
    const { client } = connect()
    const before = await client.portfolio.funds()
    const { triggerId } = await client.gtts.place(gtt(), AT)
    expect(await client.portfolio.funds()).toEqual(before)
    expect(await client.gtts.list()).toMatchObject([
      { triggerId, type: 'single', status: 'active', triggerPrices: [1], lastPrice: 800 },
    ])
    expect(await client.gtts.findByTag?.('ref1')).toMatchObject({ triggerId })
    await client.gtts.cancel(triggerId)
    expect(await client.gtts.list()).toEqual([])
    expect(await client.gtts.findByTag?.('ref1')).toMatchObject({ status: 'cancelled' })
    await expect(client.gtts.cancel(triggerId)).rejects.toMatchObject({
      kind: 'not_found',
      brokerStatus: 404,
    })
  })

  it('sends one order when its price is reached, however long the price stays there', async () => {
    const { client, clock } = connect()
    await client.gtts.place(gtt(DUE), AT)
    await clock.advance(30_000)
    expect(await client.orders.list()).toMatchObject([
      { ...SBIN, action: 'BUY', quantity: 5, product: 'CNC', status: 'complete' },
    ])
    expect(await client.gtts.list()).toEqual([])
    const [sent] = await client.orders.list()
    const fired = { status: 'triggered', triggeredOrderId: sent?.orderId }
    expect(await client.gtts.findByTag?.('ref1')).toMatchObject(fired)
    expect(await byTag(client, 'ref1')).toEqual(sent)
  })

  it('with two legs sends the one whose price is reached, and never the other', async () => {
    const { client, clock } = connect()
    const legs = [
      { kind: 'stop' as const, triggerPrice: 1, price: 1 },
      { kind: 'target' as const, triggerPrice: 1, price: 900 },
    ]
    await client.gtts.place(gtt({ type: 'OCO', legs, priceType: 'LIMIT' }), AT)
    await clock.advance(5_000)
    expect(await client.orders.list()).toMatchObject([{ priceType: 'LIMIT', price: 900 }])
  })

  it('ends at its expiry and no longer fires, also after a modification and a restart', async () => {
    const { client, clock, stateDir } = connect()
    const { triggerId } = await client.gtts.place(gtt({ expiresAt: '2026-11-20 11:00:30' }), AT)
    await client.gtts.modify(triggerId, gtt({ quantity: 6 }), AT)
    const expiresAt = FRIDAY_11 + 30_000
    expect(await client.gtts.list()).toMatchObject([{ triggerId, expiresAt }])
    await client.close()
    const again = testPlugin().connect(SESSION, contextOf(clock, stateDir))
    expect(await again.gtts.list()).toMatchObject([{ triggerId, expiresAt }])
    await clock.advance(31_000)
    expect(await again.gtts.findByTag?.('ref1')).toMatchObject({ status: 'expired' })
    expect(await again.orders.list()).toEqual([])
    await again.close()
  })

  it('is refused with an expiry in the past', async () => {
    const { client } = connect()
    await expect(client.gtts.place(gtt({ expiresAt: '2026-11-20' }), AT)).rejects.toMatchObject({
      kind: 'rejected',
      brokerStatus: 400,
      message: 'expires_at: Must be in the future.',
    })
  })

  it('survives a restart and fires afterwards', async () => {
    const { client, clock, stateDir } = connect()
    await client.gtts.place(gtt(), AT)
    const { triggerId } = await client.gtts.place(gtt(), { ...AT, tag: 'ref2' })
    await client.close()
    const again = testPlugin().connect(SESSION, contextOf(clock, stateDir))
    expect(await again.gtts.list()).toHaveLength(2)
    await again.gtts.modify(triggerId, gtt(DUE), AT)
    await clock.advance(5_000)
    expect(await again.orders.list()).toHaveLength(1)
    expect(await again.gtts.place(gtt(), { ...AT, tag: 'ref3' })).not.toEqual({ triggerId })
    await again.close()
  })

  it('keeps its symbol, exchange, side and type when it is modified', async () => {
    const { client } = connect()
    const { triggerId } = await client.gtts.place(gtt(), AT)
    await client.gtts.modify(triggerId, gtt({ quantity: 9 }), { lastPrice: 810 })
    expect(await client.gtts.list()).toMatchObject([{ lastPrice: 810, legs: [{ quantity: 9 }] }])
    for (const fields of [
      { type: 'OCO' },
      { symbol: 'INFY' },
      { exchange: 'BSE' },
      { action: 'SELL' },
    ] as const) {
      await expect(client.gtts.modify(triggerId, gtt(fields), AT)).rejects.toMatchObject({
        brokerStatus: 400,
      })
    }
  })

  it('expires after a year', async () => {
    const { client, stateDir } = connect()
    await client.gtts.place(gtt(), AT)
    await client.close()
    const later = connect({}, FRIDAY_11 + 366 * 86_400_000, stateDir)
    await later.client.gtts.list()
    await later.clock.advance(2_000)
    expect(await later.client.gtts.list()).toEqual([])
    expect(await later.client.gtts.findByTag?.('ref1')).toMatchObject({ status: 'expired' })
    expect(await later.client.orders.list()).toEqual([])
  })

  const leg = (triggerPrice: number, price = 0) => ({
    legs: [{ kind: 'stop' as const, triggerPrice, price }],
  })
  const NEVER: readonly [string, Partial<GttRequest>, string, string][] = [
    [
      'a trigger between two ticks',
      leg(700.003),
      'TICK_SIZE',
      'Trigger price 700.003 is not a multiple of the tick size 0.05',
    ],
    [
      'a price between two ticks',
      leg(700, 699.99),
      'TICK_SIZE',
      'Price 699.99 is not a multiple of the tick size 0.05',
    ],
    [
      'a price of almost nothing',
      leg(700, 1e-320),
      'TICK_SIZE',
      'Price 1e-320 is not a multiple of the tick size 0.05',
    ],
    [
      'a trigger that no price ever reaches',
      leg(1e15),
      'PRICE',
      'Trigger price 1000000000000000 is above 1000000000',
    ],
    ['a trigger out of all bounds', leg(1e308), 'PRICE', 'Trigger price 1e+308 is above 1000000000'],
    ['a price out of all bounds', leg(700, 1e15), 'PRICE', 'Price 1000000000000000 is above 1000000000'],
    [
      'an index',
      { ...leg(25_000), symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      'NOT_TRADABLE',
      'NIFTY is an index and cannot be traded',
    ],
    [
      'half a lot',
      { ...leg(25_000), symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML', quantity: 30 },
      'LOT_SIZE',
      'Quantity must be in multiples of lot size 65',
    ],
    [
      'a product of another segment',
      { ...leg(700), product: 'NRML' },
      'PRODUCT',
      'NRML product not allowed for NSE equity segment. Use CNC for delivery or MIS for intraday.',
    ],
  ]

  it.each(NEVER)(
    'with %s is refused now, because its order could never be placed',
    async (_name, fields, brokerCode, message) => {
      const { client } = connect()
      await expect(client.gtts.place(gtt(fields), AT)).rejects.toMatchObject({
        kind: 'rejected',
        brokerStatus: 400,
        brokerCode,
        message,
      })
      expect(await client.gtts.list()).toEqual([])
    },
  )

  it('is not changed into one whose order could never be placed', async () => {
    const { client } = connect()
    const { triggerId } = await client.gtts.place(gtt(), AT)
    await expect(client.gtts.modify(triggerId, gtt(leg(700.003)), AT)).rejects.toMatchObject({
      brokerCode: 'TICK_SIZE',
    })
    expect(await client.gtts.list()).toMatchObject([{ triggerPrices: [1] }])
  })

  it('may be placed while its market is closed, far from the price', async () => {
    const { client } = connect({}, Date.parse('2026-11-22T11:00:00+05:30'))
    await client.gtts.place(gtt(leg(100, 99.95)), AT)
    expect(await client.gtts.list()).toHaveLength(1)
  })

  it('for an unknown symbol is refused', async () => {
    const { client } = connect()
    await expect(client.gtts.place(gtt({ symbol: 'NOSUCH' }), AT)).rejects.toMatchObject({
      kind: 'rejected',
      message: 'Symbol NOSUCH not found on NSE',
    })
  })
})

describe('margins of the simulated broker', () => {
  it.each([
    ['an intraday share, a fifth of its value', order({ priceType: 'LIMIT', price: 800 }), 1600],
    ['a delivery, all of it', order({ priceType: 'LIMIT', price: 800, product: 'CNC' }), 8000],
    [
      'a delivery sold, nothing',
      order({ action: 'SELL', priceType: 'LIMIT', price: 800, product: 'CNC' }),
      0,
    ],
    [
      'a future, a tenth',
      order({
        exchange: 'NFO',
        symbol: 'NIFTY24NOV26FUT',
        product: 'NRML',
        quantity: 65,
        priceType: 'LIMIT',
        price: 26_000,
      }),
      169_000,
    ],
  ])('of %s', async (_name, request, total) => {
    const { client } = connect()
    expect(await client.margins.estimate([request])).toEqual({ total, span: 0, exposure: total })
    expect(await client.margins.estimate([request, request])).toMatchObject({ total: 2 * total })
  })
})
