import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { OrderRequest } from '../../../src/core/orders/index.js'
import { RiskGate, type RiskPorts, type RiskRules } from '../../../src/core/risk/index.js'
import { Database } from '../../../src/core/storage/index.js'
import type { VirtualClock } from '../../../src/core/time/index.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { tempDir } from '../../support/files/temp.js'

const USER = 'asha'
/** Twenty units at the highest possible price are worth exactly the ceiling. */
const LARGEST_SMALL_ORDER = 20

const ORDER: OrderRequest = {
  strategy: 's',
  symbol: 'MRF',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 500_000,
  product: 'CNC',
  priceType: 'MARKET',
  price: 0,
  triggerPrice: 0,
  disclosedQuantity: 0,
}
const TOO_DEAR = {
  rule: 'max_order_value',
  message: 'Order value ₹78,65,50,00,000.00 exceeds the limit of ₹20,00,00,000.00',
}

interface Bench {
  gate: RiskGate
  clock: VirtualClock
  /** The number of price requests so far. */
  asked(): number
}

/** A gate without followed symbols. */
async function bench(ports: Partial<RiskPorts> = {}, rules: Partial<RiskRules> = {}): Promise<Bench> {
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  onTestFinished(() => db.close())
  const clock = deskClock('2026-11-20T11:00:00+05:30')
  const quote = ports.quote ?? (async () => 157_310)
  let questions = 0
  const gate = await RiskGate.open(db, {
    clock,
    log: silentLogger,
    lastPrice: () => undefined,
    dayPnl: async () => 0n,
    ordersToday: async () => 0,
    ...ports,
    quote: (ref) => {
      questions += 1
      return quote(ref)
    },
  })
  await gate.change(rules, USER)
  return { gate, clock, asked: () => questions }
}

const never = (): Promise<never> => new Promise(() => undefined)

describe('the ceiling on the value of an order that is on from the start', () => {
  test.each<{ name: string; order: Partial<OrderRequest> }>([
    { name: 'a purchase at the market', order: {} },
    { name: 'a sale at the market', order: { action: 'SELL' } },
    { name: 'a stop that goes to the market', order: { priceType: 'SL-M', triggerPrice: 1 } },
  ])('holds $name of a symbol nobody follows', async ({ order }) => {
    const { gate } = await bench()
    expect(await gate.admit(USER, 'live', { ...ORDER, ...order })).toEqual(TOO_DEAR)
    expect(await gate.examine(USER, 'analyze', { ...ORDER, ...order })).toEqual(TOO_DEAR)
  })

  test.each<{ name: string; order: Partial<OrderRequest>; lastPrice?: number; rules?: Partial<RiskRules> }>([
    { name: 'an order too small to exceed it', order: { quantity: LARGEST_SMALL_ORDER } },
    { name: 'an order that names its price', order: { priceType: 'LIMIT', price: 300 } },
    { name: 'an order whose price is at hand', order: { quantity: 100 }, lastPrice: 157_310 },
    { name: 'an order without a ceiling', order: {}, rules: { max_order_value: null } },
  ])('asks for no price for $name', async ({ order, lastPrice, rules }) => {
    const { gate, asked } = await bench({ lastPrice: () => lastPrice }, rules)
    expect(await gate.admit(USER, 'live', { ...ORDER, ...order })).toBeUndefined()
    expect(asked()).toBe(0)
  })

  test('asks from the first quantity that could exceed the ceiling', async () => {
    const { gate, asked } = await bench()
    expect(await gate.admit(USER, 'live', { ...ORDER, quantity: LARGEST_SMALL_ORDER + 1 })).toBeUndefined()
    expect(asked()).toBe(1)
  })

  test.each<{ name: string; quote: RiskPorts['quote'] }>([
    { name: 'has no price', quote: async () => undefined },
    { name: 'fails', quote: () => Promise.reject(new Error('no broker')) },
  ])('lets an order pass when whoever is asked $name', async ({ quote }) => {
    const { gate, clock } = await bench({ quote })
    expect(await gate.admit(USER, 'live', ORDER)).toBeUndefined()
    expect(clock.pending).toBe(0)
  })

  test('waits one second for an answer, not longer', async () => {
    const { gate, clock } = await bench({ quote: never })
    let verdict: unknown = 'waiting'
    void gate.admit(USER, 'live', ORDER).then((refusal) => {
      verdict = refusal
    })
    await clock.advance(999)
    expect(verdict).toBe('waiting')
    await clock.advance(1)
    expect(verdict).toBeUndefined()
  })

  test('waits once for an unanswered price request, not once per order', async () => {
    const { gate, clock, asked } = await bench({ quote: never })
    const first = gate.admit(USER, 'live', ORDER)
    await clock.advance(1000)
    await first
    expect(await gate.admit(USER, 'live', ORDER)).toBeUndefined()
    expect(asked()).toBe(1)
  })

  test('asks again after a late answer', async () => {
    let answer: (price: number) => void = () => undefined
    const late = new Promise<number>((resolve) => {
      answer = resolve
    })
    const { gate, clock, asked } = await bench({ quote: () => late })
    const first = gate.admit(USER, 'live', ORDER)
    await clock.advance(1000)
    expect(await first).toBeUndefined()
    answer(157_310)
    await clock.advance(1)
    expect(await gate.admit(USER, 'live', ORDER)).toEqual(TOO_DEAR)
    expect(asked()).toBe(2)
  })
})

describe('a ceiling the user chose', () => {
  test('asks for the price of the smallest order, and refuses it without one', async () => {
    const { gate, asked } = await bench({ quote: async () => undefined }, { max_order_value: 1_000_000 })
    expect(await gate.admit(USER, 'live', { ...ORDER, quantity: 1 })).toEqual({
      rule: 'max_order_value',
      message: 'No last price for MRF to value the order with',
    })
    expect(asked()).toBe(1)
  })
})

describe('a price that was seen long ago', () => {
  const MINUTE_MS = 60_000
  /** A feed that has been silent since a price of 100,000; the broker says 157,310, or what is given. */
  const silent = (rules: Partial<RiskRules>, ageMs = MINUTE_MS + 1, quote?: RiskPorts['quote']) =>
    bench({ lastPrice: () => 100_000, priceAgeMs: () => ageMs, ...(quote && { quote }) }, rules)
  const NEAR = { priceType: 'LIMIT', price: 101_000, quantity: 1 } as const
  const CEILING = { max_order_value: 150_000 }
  const BAND = { price_band_percent: 5 }

  test.each<{ rules: Partial<RiskRules>; order: Partial<OrderRequest>; rule: string }>([
    { rules: CEILING, order: { quantity: 1 }, rule: 'max_order_value' },
    { rules: BAND, order: NEAR, rule: 'price_band_percent' },
    { rules: {}, order: { quantity: 1_500 }, rule: 'max_order_value' },
  ])('is asked for again, so that $rule compares with the market of now', async ({ order, rule, rules }) => {
    const { gate, asked } = await silent(rules)
    expect(await gate.admit(USER, 'live', { ...ORDER, ...order })).toMatchObject({ rule })
    expect(await gate.explain(USER, 'live', { ...ORDER, ...order })).toContainEqual(
      expect.objectContaining({ rule, ok: false }),
    )
    expect(asked()).toBe(2)
  })

  test('is used for a minute, without a question', async () => {
    for (const rules of [CEILING, BAND]) {
      const { gate, asked } = await silent(rules, MINUTE_MS)
      expect(await gate.admit(USER, 'live', { ...ORDER, ...NEAR })).toBeUndefined()
      expect(asked()).toBe(0)
    }
  })

  test('counts as unknown if nobody knows a newer one', async () => {
    const unknown = async () => undefined
    const sale: OrderRequest = { ...ORDER, ...NEAR, action: 'SELL' }
    for (const [rules, order] of [
      [CEILING, { ...sale, priceType: 'MARKET' }],
      [BAND, sale],
    ] as const) {
      const { gate } = await silent(rules, MINUTE_MS + 1, unknown)
      expect((await gate.admit(USER, 'live', order))?.message).toContain('No last price for MRF')
    }
  })

  test('refuses what is above the ceiling that nobody set, if nobody knows a newer one', async () => {
    const unknown = async () => undefined
    const sale: OrderRequest = { ...ORDER, action: 'SELL', priceType: 'LIMIT', price: 1 }
    for (const order of [ORDER, sale]) {
      const { gate } = await silent({}, MINUTE_MS + 1, unknown)
      expect(await gate.admit(USER, 'live', order)).toMatchObject({ rule: 'max_order_value' })
    }
  })

  test('is not used in the last check of an order that had to wait', async () => {
    const order = { ...ORDER, quantity: 2 }
    expect((await silent(CEILING, MINUTE_MS)).gate.refusesNow(order)).toMatchObject({
      rule: 'max_order_value',
    })
    expect((await silent(CEILING)).gate.refusesNow(order)).toBeUndefined()
  })

  test('is left to the rule about its age, where that is set', async () => {
    const { gate, asked } = await silent({ ...BAND, max_price_age_seconds: 30 })
    expect(await gate.admit(USER, 'live', { ...ORDER, ...NEAR })).toMatchObject({
      rule: 'max_price_age_seconds',
    })
    const patient = await silent({ ...BAND, max_price_age_seconds: 600 })
    expect(await patient.gate.admit(USER, 'live', { ...ORDER, ...NEAR })).toBeUndefined()
    expect([asked(), patient.asked()]).toEqual([0, 0])
  })
})

describe('a dry run', () => {
  test.each<{ name: string; order: Partial<OrderRequest> }>([
    { name: 'at the market', order: {} },
    { name: 'to sell below it', order: { action: 'SELL', priceType: 'LIMIT', price: 1 } },
  ])('values an order $name with a quote', async ({ order }) => {
    const { gate } = await bench()
    const checks = await gate.explain(USER, 'live', { ...ORDER, ...order })
    expect(checks).toContainEqual({ ...TOO_DEAR, ok: false })
  })

  test('uses the price at hand', async () => {
    const { gate, asked } = await bench({ lastPrice: () => 157_310 })
    expect(await gate.explain(USER, 'live', ORDER)).toContainEqual({ ...TOO_DEAR, ok: false })
    expect(asked()).toBe(0)
  })
})

describe('the orders of a day', () => {
  const order = (): OrderRequest => ({ ...ORDER, priceType: 'LIMIT', price: 1, quantity: 1 })
  const limited = (before = 0) => bench({ ordersToday: async () => before }, { max_orders_per_day: 3 })
  const admitted = async (gate: RiskGate, one = order()) =>
    (await gate.admit(USER, 'live', one)) === undefined

  test('a released order leaves the count, once', async () => {
    const { gate } = await limited()
    const released = order()
    expect([await admitted(gate), await admitted(gate), await admitted(gate, released)]).toEqual([
      true,
      true,
      true,
    ])
    expect(await admitted(gate)).toBe(false)
    gate.release(released)
    gate.release(released)
    expect([await admitted(gate), await admitted(gate)]).toEqual([true, false])
  })

  test('an order that was never admitted changes no count', async () => {
    const { gate } = await limited(3)
    const refused = order()
    expect(await admitted(gate, refused)).toBe(false)
    gate.release(refused)
    gate.release(order())
    expect(await admitted(gate)).toBe(false)
  })

  test("a release after the end of the session does not change the next session's count", async () => {
    const { gate, clock } = await limited()
    const late = order()
    expect(await admitted(gate, late)).toBe(true)
    await clock.advanceTo('2026-11-21T03:00:01+05:30')
    await Promise.all([admitted(gate), admitted(gate)])
    gate.release(late)
    expect([await admitted(gate), await admitted(gate)]).toEqual([true, false])
  })

  test('are read from the books again after a reset', async () => {
    let inTheBooks = 3
    const { gate } = await bench({ ordersToday: async () => inTheBooks }, { max_orders_per_day: 3 })
    expect(await admitted(gate)).toBe(false)
    inTheBooks = 0
    expect(await admitted(gate)).toBe(false)
    gate.recount(USER, 'live')
    expect(await admitted(gate)).toBe(true)
  })

  test('of one mode do not count in the other', async () => {
    const { gate } = await limited()
    await Promise.all([admitted(gate), admitted(gate), admitted(gate)])
    expect(await gate.admit(USER, 'analyze', order())).toBeUndefined()
  })

  test('never exceed the limit, even with releases in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (reaches) => {
        const { gate } = await limited()
        let underWay = 0
        let most = 0
        const place = async (reached: boolean) => {
          const one = order()
          if (!(await admitted(gate, one))) return
          underWay += 1
          most = Math.max(most, underWay)
          await Promise.resolve()
          if (reached) return
          underWay -= 1
          gate.release(one)
        }
        await Promise.all(reaches.map(place))
        expect(most).toBeLessThanOrEqual(3)
        while (await admitted(gate)) underWay += 1
        expect(underWay).toBe(3)
      }),
      { numRuns: 20 },
    )
  })
})
