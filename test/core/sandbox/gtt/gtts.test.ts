import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { GttRequest } from '../../../../src/core/sandbox/index.js'
import { Rig, USER } from '../harness.js'

const FUTURE = { symbol: 'NIFTY30MAR26FUT', exchange: 'NFO' } as const

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(1550, { symbol: 'INFY', exchange: 'NSE' })
})
afterEach(() => rig.close())

const INFY = { symbol: 'INFY', exchange: 'NSE' } as const

/** Buys ten shares of INFY at a limit of 1480 once it has fallen to 1482. */
function single(change: Partial<GttRequest> = {}): GttRequest {
  return {
    strategy: 'dip',
    type: 'SINGLE',
    ...INFY,
    action: 'BUY',
    quantity: 10,
    product: 'CNC',
    priceType: 'LIMIT',
    legs: [{ kind: 'stop', triggerPrice: 1482, price: 1480 }],
    expiresAt: undefined,
    ...change,
  }
}

const OCO_LEGS = [
  { kind: 'stop', triggerPrice: 1480, price: 1478 },
  { kind: 'target', triggerPrice: 1620, price: 1622 },
] as const
const oco = (change: Partial<GttRequest> = {}) => single({ type: 'OCO', legs: OCO_LEGS, ...change })

async function placed(request: GttRequest): Promise<string> {
  const outcome = await rig.sandbox.gtt.place(USER, request)
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.triggerId
}

const used = async () => (await rig.funds()).utiliseddebits
const tick = (price: number) => rig.tick(price, INFY)
const stored = async (gttId: string) => {
  const [gtt] = await rig.db.queryRaw('select gtt_status from sandbox_gtt where gtt_id = ?', [gttId])
  const legs = await rig.db.queryRaw(
    'select leg_status from sandbox_gtt_legs where gtt_id = ? order by leg_number',
    [gttId],
  )
  return [gtt?.gtt_status, ...legs.map(({ leg_status }) => leg_status)].join(' ')
}
const topics = () => rig.events.map(({ topic }) => topic).filter((topic) => topic.startsWith('gtt.'))

describe('placing a GTT', () => {
  it.each([
    ['a limit, on its price', single(), 14_800],
    [
      'a market order, on its trigger',
      single({ priceType: 'MARKET', legs: [{ kind: 'stop', triggerPrice: 1482, price: 0 }] }),
      14_820,
    ],
    ['two legs, on the dearer', oco(), 16_220],
    ['a delivery sale, nothing', single({ action: 'SELL' }), 0],
  ])('holds the margin of %s', async (_what, request, margin) => {
    const triggerId = await placed(request)
    expect(triggerId).toMatch(/^GTT-260312-[0-9a-f]{8}$/)
    expect(await used()).toBe(margin)
    expect(await stored(triggerId)).toBe(['active', ...request.legs.map(() => 'pending')].join(' '))
  })

  it('blocks the margin of both legs when configured', async () => {
    await rig.sandbox.changeSetting('gtt_oco_margin_mode', 'sum')
    await placed(oco())
    expect(await used()).toBe(14_780 + 16_220)
  })

  it('blocks nothing for a leg that would only close a position', async () => {
    rig.price(24_500, FUTURE)
    await rig.accepted({ ...FUTURE, quantity: 75, product: 'NRML' })
    const legs = [{ kind: 'stop', triggerPrice: 24_000, price: 23_990 }] as const
    await placed(single({ ...FUTURE, action: 'SELL', quantity: 75, product: 'NRML', legs }))
    expect(await used()).toBe(183_750)
  })

  const SHAPE = 'A SINGLE GTT needs exactly one of triggerprice_sl or triggerprice_tg; an OCO needs both.'
  it.each([
    ['two triggers of a single', single({ legs: OCO_LEGS }), SHAPE],
    ['one trigger of two', oco({ legs: [OCO_LEGS[0]] }), SHAPE],
    ['twice the same side', oco({ legs: [OCO_LEGS[0], OCO_LEGS[0]] }), SHAPE],
    ['no trigger', single({ legs: [] }), SHAPE],
    [
      'a stop above the target',
      oco({ legs: [{ ...OCO_LEGS[0], triggerPrice: 1700 }, OCO_LEGS[1]] }),
      'Stoploss trigger must be less than target trigger (triggerprice_tg).',
    ],
    [
      'an intraday product',
      single({ product: 'MIS' }),
      'GTT supports only CNC (delivery) or NRML (overnight F&O); MIS is intraday-only.',
    ],
    ['an unknown symbol', single({ symbol: 'NOWHERE' }), 'Symbol NOWHERE not found on NSE'],
    [
      'a limit order without a limit',
      single({ legs: [{ kind: 'stop', triggerPrice: 1482, price: 0 }] }),
      'LIMIT orders require price',
    ],
    [
      'what cannot be paid',
      single({ quantity: 10_000 }),
      'Insufficient funds. Required: ₹14800000.00, Available: ₹10000000.00, Shortage: ₹4800000.00',
    ],
  ])('is refused for %s', async (_what, request, message) => {
    expect(await rig.sandbox.gtt.place(USER, request)).toEqual({ ok: false, code: 'refused', message })
    expect(await used()).toBe(0)
    expect(await rig.sandbox.gtt.list(USER)).toEqual([])
  })

  it('happens once for one id, however often it is repeated', async () => {
    const triggerId = rig.sandbox.gtt.newTriggerId()
    const same = () => rig.sandbox.gtt.place(USER, single(), { triggerId })
    expect(await Promise.all([same(), same()])).toEqual(Array(2).fill({ ok: true, triggerId }))
    await tick(1482)
    await rig.reboot()
    expect(await same()).toEqual({ ok: true, triggerId })
    expect(await rig.sandbox.gtt.knows(USER, triggerId)).toBe(true)
    expect(await rig.sandbox.gtt.knows('ravi', triggerId)).toBe(false)
    expect(await rig.sandbox.gtt.place('ravi', single(), { triggerId })).toMatchObject({ code: 'conflict' })
    expect((await rig.sandbox.books.orderbook(USER)).orders).toHaveLength(1)
  })
})

describe('the book', () => {
  it('shows active GTTs, newest first, also after a restart', async () => {
    const first = await placed(single())
    await rig.clock.advance(1000)
    const second = await placed(oco({ expiresAt: '2026-12-31' }))
    await placed(single()).then((id) => rig.sandbox.gtt.cancel(USER, id))
    const expected = [
      {
        trigger_id: second,
        trigger_type: 'two-leg',
        status: 'active',
        ...INFY,
        trigger_prices: [1480, 1620],
        last_price: 1550,
        legs: [
          { action: 'BUY', quantity: 10, price: 1478, pricetype: 'LIMIT', product: 'CNC' },
          { action: 'BUY', quantity: 10, price: 1622, pricetype: 'LIMIT', product: 'CNC' },
        ],
        created_at: '2026-03-12T10:00:01+05:30',
        updated_at: '2026-03-12T10:00:01+05:30',
        expires_at: '2026-12-31T00:00:00+05:30',
        strategy: 'dip',
        margin_blocked: 16_220,
      },
      { trigger_id: first, trigger_type: 'single', expires_at: '2027-03-12T10:00:00+05:30' },
    ]
    expect(await rig.sandbox.gtt.list(USER)).toMatchObject(expected)
    await rig.reboot()
    expect(await rig.sandbox.gtt.list(USER)).toMatchObject(expected)
    expect(await rig.sandbox.gtt.list('ravi')).toEqual([])
  })
})

describe('changing a GTT', () => {
  it('replaces triggers and quantity and moves the difference in margin', async () => {
    const triggerId = await placed(single())
    const legs = [{ kind: 'stop', triggerPrice: 1502, price: 1500 }] as const
    expect(await rig.sandbox.gtt.modify(USER, triggerId, single({ quantity: 20, legs }))).toEqual({
      ok: true,
      triggerId,
    })
    expect(await used()).toBe(30_000)
    await tick(1502)
    expect((await rig.sandbox.books.orderbook(USER)).orders).toMatchObject([{ quantity: 20, price: 1500 }])
  })

  const fixed = (field: string, from: string, to: string) =>
    `${field} cannot be changed on an existing GTT (${from} -> ${to}). Cancel and re-place.`
  it.each([
    ['the side', single({ action: 'SELL' }), fixed('action', 'BUY', 'SELL')],
    ['the symbol', single({ symbol: 'SBIN' }), fixed('symbol', 'INFY', 'SBIN')],
    ['the exchange', single({ exchange: 'BSE' }), fixed('exchange', 'NSE', 'BSE')],
    ['the product', single({ product: 'NRML' }), fixed('product', 'CNC', 'NRML')],
    ['the type', oco(), fixed('trigger_type', 'SINGLE', 'OCO')],
    [
      'the legs',
      single({ legs: OCO_LEGS }),
      'Modify must keep the same trigger shape: this GTT has 1 leg(s).',
    ],
    [
      'to what cannot be paid',
      single({ quantity: 10_000 }),
      'Insufficient funds. Required: ₹14785200.00, Available: ₹9985200.00, Shortage: ₹4800000.00. The GTT is unchanged.',
    ],
  ])('is refused for %s and leaves it as it was', async (_what, request, message) => {
    const triggerId = await placed(single())
    const before = await rig.sandbox.gtt.list(USER)
    expect(await rig.sandbox.gtt.modify(USER, triggerId, request)).toEqual({
      ok: false,
      code: 'refused',
      message,
    })
    expect(await rig.sandbox.gtt.list(USER)).toEqual(before)
  })

  it('needs an active GTT of the user', async () => {
    const triggerId = await placed(single())
    const missing = { ok: false, code: 'not_found', message: `No active GTT with trigger_id '${triggerId}'` }
    expect(await rig.sandbox.gtt.modify('ravi', triggerId, single())).toEqual(missing)
    expect(await rig.sandbox.gtt.cancel('ravi', triggerId)).toEqual(missing)
    expect(await rig.sandbox.gtt.cancel(USER, triggerId)).toEqual({ ok: true, triggerId })
    expect(await used()).toBe(0)
    expect(await stored(triggerId)).toBe('cancelled cancelled')
    expect(await rig.sandbox.gtt.cancel(USER, triggerId)).toEqual(missing)
    expect(rig.market.watched).toEqual([])
  })
})

/** The request, the prices that pass, the outcome, and the order the GTT sends. */
const FIRES: [string, GttRequest, number[], string, object[]][] = [
  ['a stop, not above its trigger', single(), [1500, 1482.05], 'active pending', []],
  [
    'a stop, at its trigger',
    single(),
    [1482],
    'triggered triggered',
    [{ price: 1480, order_status: 'open' }],
  ],
  [
    'a stop, below it',
    single(),
    [1470],
    'triggered triggered',
    [{ order_status: 'complete', average_price: 1470 }],
  ],
  [
    'a target, at its trigger',
    single({ legs: [{ kind: 'target', triggerPrice: 1600, price: 1605 }] }),
    [1599.95, 1600],
    'triggered triggered',
    [{ order_status: 'complete', average_price: 1600 }],
  ],
  [
    'a market order',
    single({ priceType: 'MARKET', legs: [{ kind: 'stop', triggerPrice: 1482, price: 0 }] }),
    [1481],
    'triggered triggered',
    [{ pricetype: 'MARKET', order_status: 'complete', average_price: 1481 }],
  ],
  [
    'two legs at the lower',
    oco(),
    [1480],
    'triggered triggered cancelled',
    [{ price: 1478, order_status: 'open' }],
  ],
  [
    'two legs at the upper',
    oco(),
    [1620],
    'triggered cancelled triggered',
    [{ price: 1622, order_status: 'complete' }],
  ],
  ['no price', single(), [0], 'active pending', []],
]

describe('firing', () => {
  it.each(FIRES)('%s', async (_what, request, prices, state, orders) => {
    const triggerId = await placed(request)
    for (const price of prices) await tick(price)
    expect(await stored(triggerId)).toBe(state)
    expect((await rig.sandbox.books.orderbook(USER)).orders).toMatchObject(orders)
    expect(topics()).toEqual(orders.length > 0 ? ['gtt.triggered'] : [])
    // A fired GTT does not fire again.
    await tick(prices.at(-1) ?? 0)
    expect((await rig.sandbox.books.orderbook(USER)).orders).toHaveLength(orders.length)
  })

  it('returns its margin before the order blocks its own', async () => {
    const triggerId = await placed(oco())
    await tick(1480)
    const [order] = (await rig.sandbox.books.orderbook(USER)).orders
    expect(order).toMatchObject({ strategy: 'dip', price: 1478, order_status: 'open' })
    expect(await used()).toBe(14_780)
    expect(rig.events.find(({ topic }) => topic === 'gtt.triggered')).toEqual({
      topic: 'gtt.triggered',
      userId: USER,
      data: {
        strategy: 'dip',
        ...INFY,
        trigger_type: 'two-leg',
        trigger_id: triggerId,
        trigger_prices: [1480, 1620],
        triggered_order_id: order?.orderid,
      },
    })
  })

  it('arms it again when the order is refused, and retries after the claim time', async () => {
    const triggerId = await placed(single({ action: 'SELL' }))
    await tick(1480)
    await tick(1479)
    expect(await stored(triggerId)).toBe('active pending')
    expect(topics()).toEqual(['gtt.failed'])
    expect((await rig.sandbox.books.orderbook(USER)).orders).toEqual([])
    await rig.trade('BUY', 10, 1490, { ...INFY, product: 'CNC' })
    await rig.clock.advance(59_999)
    await tick(1479)
    expect(await stored(triggerId)).toBe('active pending')
    await rig.clock.advance(1)
    await tick(1480)
    expect(await stored(triggerId)).toBe('triggered triggered')
    expect(await rig.position('INFY')).toMatchObject({ quantity: 0, today_realized_pnl: -100 })
  })

  it('fires after downtime, when the price reached the trigger during it', async () => {
    const triggerId = await placed(single())
    rig.price(1470, INFY)
    await rig.down('2026-03-13T10:00:00+05:30')
    await rig.sandbox.books.orderbook(USER)
    expect(await stored(triggerId)).toBe('triggered triggered')
    expect(await rig.position('INFY')).toMatchObject({ quantity: 10, average_price: 1470 })
  })

  it('survives the close, days and a restart', async () => {
    const triggerId = await placed(single())
    await rig.down('2026-03-23T10:00:00+05:30')
    expect(await stored(triggerId)).toBe('active pending')
    expect(rig.market.watched).toEqual(['NSE:INFY'])
    await tick(1481)
    expect(await stored(triggerId)).toBe('triggered triggered')
  })
})

describe('the end of a GTT', () => {
  it('ends at its expiry: it no longer fires, and the hourly sweep returns its margin', async () => {
    const triggerId = await placed(single({ expiresAt: '2026-03-12 12:30:00' }))
    await rig.pass('2026-03-12T12:30:00+05:30')
    await tick(1470)
    expect(await stored(triggerId)).toBe('active pending')
    await rig.pass('2026-03-12T13:00:00+05:30')
    expect(await stored(triggerId)).toBe('expired cancelled')
    expect(await used()).toBe(0)
    expect(topics()).toEqual(['gtt.expired'])
  })

  it.each(['2020-01-01', '2026-03-12 10:00:00', '2026-03-12T04:29:59Z'])(
    'is refused with an expiry in the past (%s)',
    async (expiresAt) => {
      expect(await rig.sandbox.gtt.place(USER, single({ expiresAt }))).toEqual({
        ok: false,
        code: 'refused',
        message: 'expires_at: Must be in the future.',
      })
      expect(await used()).toBe(0)
    },
  )

  it.each(['soon', 'in 5 years', '31/12/2026', '2026-13-45', ''])(
    'an expiry of "%s" is a year',
    async (expiresAt) => {
      await placed(single({ expiresAt }))
      expect(await rig.sandbox.gtt.list(USER)).toMatchObject([{ expires_at: '2027-03-12T10:00:00+05:30' }])
    },
  )

  it('starts again after a reset, full or weekly', async () => {
    const triggerId = await placed(single())
    await rig.sandbox.changeSetting('reset_day', 'Friday')
    await rig.pass('2026-03-13T09:00:00+05:30')
    expect(await stored(triggerId)).toBe('cancelled cancelled')
    expect(await used()).toBe(0)
    await placed(oco())
    await rig.sandbox.reset(USER)
    expect(await rig.db.queryRaw('select * from sandbox_gtt')).toEqual([])
    expect(await rig.db.queryRaw('select * from sandbox_gtt_legs')).toEqual([])
    expect(await rig.sandbox.gtt.list(USER)).toEqual([])
    expect((await rig.sandbox.settings()).find(({ key }) => key === 'reset_day')?.value).toBe('Never')
  })

  it('undoes a stranded claim once it is old enough', async () => {
    const triggerId = await placed(single())
    await rig.db.write(async (tx) => {
      await tx.exec("update sandbox_gtt set gtt_status = 'triggered'")
      await tx.exec("update sandbox_gtt_legs set leg_status = 'triggering', claimed_at = ?", [
        rig.clock.now(),
      ])
    })
    await rig.reboot()
    expect(await stored(triggerId)).toBe('triggered triggering')
    await rig.clock.advance(60_000)
    await rig.reboot()
    expect(await stored(triggerId)).toBe('active pending')
    await tick(1482)
    expect(await stored(triggerId)).toBe('triggered triggered')
  })
})
