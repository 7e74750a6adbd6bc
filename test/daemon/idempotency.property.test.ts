import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { EXCHANGES } from '../../src/core/instruments/schema.js'
import { type PlaceOrderPayload, placeOrderPayload } from '../../src/core/orders/index.js'
import { ALL_OPERATION_LIST, type NamedOperation as Operation } from '../../src/daemon/operations/all.js'
import { chance, rounds } from '../support/chance/chance.js'
import { rewritten } from '../support/chance/rewritten.js'
import { HttpDesk, type Reply } from '../support/desk/http-desk.js'

/*
 * Promise 4: the same key with the same body returns the stored answer, byte for byte. The same key with
 * another body is refused with 409.
 */
const BODIES = rounds(40)
const UNLIMITED = { SMART_ORDER_RATE_LIMIT: '1000000 per second' }
const BOOKS = ['orderbook', 'tradebook', 'positionbook', 'funds', 'gttorderbook']
const MODES = ['live', 'analyze'] as const

type Fields = Readonly<Record<string, unknown>>

/** A desk that is used over HTTP, with idempotency keys chosen by the caller. */
class Caller {
  #keys = 0

  private constructor(readonly http: HttpDesk) {}

  static async open(mode: (typeof MODES)[number]): Promise<Caller> {
    const http = await HttpDesk.open({ env: UNLIMITED })
    const caller = new Caller(http)
    await caller.sent('/api/v1/analyzer/toggle', { mode: mode === 'analyze' })
    return caller
  }

  newKey(): string {
    this.#keys += 1
    return `key-${this.#keys}`
  }

  post(path: string, text: string, key?: string): Promise<Reply> {
    const headers = { 'x-api-key': this.http.apikey, ...(key !== undefined && { 'idempotency-key': key }) }
    return this.http.request('POST', path, { text, headers })
  }

  /** Advances the clock while the answer waits for it, as between the parts of a split order. */
  sent(path: string, body: Fields, key?: string): Promise<Reply> {
    return this.http.desk.settled(this.post(path, JSON.stringify({ apikey: this.http.apikey, ...body }), key))
  }

  /** Everything the account shows. Any executed order changes part of it. */
  async account(): Promise<string[]> {
    const body = JSON.stringify({ apikey: this.http.apikey })
    return Promise.all(BOOKS.map(async (book) => (await this.post(`/api/v1/${book}`, body)).text))
  }

  async orders(): Promise<number> {
    const { body } = await this.post('/api/v1/orderbook', JSON.stringify({ apikey: this.http.apikey }))
    return z.object({ data: z.object({ orders: z.array(z.unknown()) }) }).parse(body).data.orders.length
  }
}

const wire = ({ status, code, text, headers }: Reply) => [status, code, text, headers.get('x-order-ref')]

const INSTRUMENT = fc.constantFrom(
  { exchange: 'NSE', symbol: 'SBIN', base: 800 } as const,
  { exchange: 'BSE', symbol: 'SBIN', base: 800 } as const,
  { exchange: 'NSE', symbol: 'INFY', base: 1500 } as const,
)
/** Prices that fit the price type and stay far from the circuit limits. */
const PRICES: Record<PlaceOrderPayload['pricetype'], (side: number) => { price: number; trigger: number }> = {
  MARKET: () => ({ price: 0, trigger: 0 }),
  LIMIT: (side) => ({ price: 1 - 0.04 * side, trigger: 0 }),
  SL: (side) => ({ price: 1 + 0.06 * side, trigger: 1 + 0.05 * side }),
  'SL-M': (side) => ({ price: 0, trigger: 1 + 0.05 * side }),
}

/** Orders that neither the market nor the account refuses. */
const ORDER: fc.Arbitrary<PlaceOrderPayload> = fc
  .record({
    strategy: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    instrument: INSTRUMENT,
    action: fc.constantFrom('BUY', 'SELL', 'buy', 'sell'),
    quantity: fc.integer({ min: 1, max: 20 }),
    pricetype: fc.constantFrom('MARKET', 'LIMIT', 'SL', 'SL-M'),
    disclosed: fc.boolean(),
    underlying_ltp: fc.option(fc.integer({ min: 1, max: 99_999 })),
  })
  .map(({ strategy, instrument: { exchange, symbol, base }, disclosed, ...order }) => {
    const { price, trigger } = PRICES[order.pricetype](order.action.toUpperCase() === 'BUY' ? 1 : -1)
    return {
      strategy,
      exchange,
      symbol,
      ...order,
      product: 'MIS',
      price: Math.round(base * price),
      trigger_price: Math.round(base * trigger),
      disclosed_quantity: disclosed ? order.quantity : 0,
    }
  })

const DEFAULTS: Fields = {
  pricetype: 'MARKET',
  product: 'MIS',
  price: 0,
  trigger_price: 0,
  disclosed_quantity: 0,
  underlying_ltp: null,
}

const TEXT = fc.string({ unit: 'grapheme', maxLength: 20 })
const SIDE = fc.constantFrom('BUY', 'SELL', 'buy', 'sell')
const COUNT = fc.integer({ min: 1, max: 1_000_000 })
const PRICE = fc.oneof(
  COUNT,
  fc.integer({ min: 0, max: 200_000 }).map((ticks) => ticks / 20),
)

/** The values a field of an order request may have, by field name. They must be readable, not sensible. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  strategy: TEXT,
  symbol: TEXT,
  underlying: fc.string({ minLength: 1, maxLength: 20 }),
  exchange: fc.constantFrom(...EXCHANGES.filter((exchange) => exchange !== 'CRYPTO')),
  action: SIDE,
  quantity: COUNT,
  position_size: fc.integer(),
  splitsize: COUNT,
  pricetype: fc.constantFrom('MARKET', 'LIMIT', 'SL', 'SL-M'),
  product: fc.constantFrom('MIS', 'NRML', 'CNC'),
  price: PRICE,
  trigger_price: PRICE,
  disclosed_quantity: fc.nat(),
  underlying_ltp: fc.option(PRICE),
  orderid: TEXT,
  trigger_id: fc.string({ minLength: 1, maxLength: 20 }),
  offset: fc.constantFrom('ATM', 'ITM1', 'ITM50', 'OTM2', 'OTM3'),
  option_type: fc.constantFrom('CE', 'PE', 'ce', 'pe'),
  expiry_date: fc.constantFrom('24NOV26', '27NOV26', '29DEC26'),
  strike_int: COUNT,
  triggerprice_sl: COUNT,
  triggerprice_tg: COUNT,
  stoploss: COUNT,
  target: COUNT,
  trigger_type: fc.constantFrom('SINGLE', 'OCO'),
  expires_at: fc.option(fc.constantFrom('2027-01-01', '2027-02-01')),
  validity: fc.constant('IOC'),
  validity_ttl: fc.integer({ min: 1, max: 1440 }),
  amo: fc.constant(true),
  iceberg_legs: fc.integer({ min: 2, max: 10 }),
  market_protection: fc.integer({ min: 1, max: 100 }),
  algo_id: fc.constantFrom('ALGO1', 'ALGO2'),
}
/** What a field needs beside it: without, the request is refused before its key is compared. */
const BESIDE: Readonly<Record<string, Fields>> = {
  validity_ttl: { validity: 'TTL' },
  market_protection: { pricetype: 'MARKET' },
}
/** Fields of certain requests that allow fewer values than other fields of the same name. */
const GTT_VALUES: typeof VALUES = {
  pricetype: fc.constantFrom('LIMIT', 'MARKET'),
  product: fc.constantFrom('NRML', 'CNC'),
  triggerprice_sl: fc.integer({ min: 1, max: 799 }),
  triggerprice_tg: fc.integer({ min: 801, max: 2000 }),
}
const LEG_VALUES: typeof VALUES = { product: fc.constantFrom('MIS', 'NRML') }
/** A position's key without its symbol is refused as half a key. */
const POSITION_VALUES: typeof VALUES = { symbol: fc.constantFrom('TCS', 'INFY') }

const spelled = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : value)

/**
 * Returns a different value for a field. It differs by more than case, because each route decides about case.
 */
function otherThan(field: string, value: unknown, narrower: typeof VALUES = {}): fc.Arbitrary<unknown> {
  const values = narrower[field] ?? VALUES[field]
  if (!values) throw new Error(`no values for the field ${field}: every field of an order request needs some`)
  return values.filter((other) => spelled(other) !== spelled(value))
}

const PLACE = '/api/v1/placeorder'
const fieldsOf = (schema: z.ZodType): Fields => {
  const shape = z.object({ properties: z.record(z.string(), z.unknown()) })
  const { properties } = shape.parse(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
  // The client's own id is the key.
  const { apikey: _, client_order_id: __, ...fields } = properties
  return fields
}

describe.each(MODES)('%s orders under a key', (mode) => {
  test(`the same body, however written, is one order and one answer; with one field changed a conflict (${BODIES} bodies)`, async () => {
    const caller = await Caller.open(mode)
    const cases = ORDER.chain((order) =>
      fc.record({
        first: rewritten(order, DEFAULTS),
        again: fc.array(rewritten(order, DEFAULTS), { minLength: 2, maxLength: 2 }),
        others: fc.tuple(
          ...Object.keys(fieldsOf(placeOrderPayload)).map((field) =>
            otherThan(field, Reflect.get(order, field)).map((value) => ({
              ...order,
              ...BESIDE[field],
              [field]: value,
            })),
          ),
        ),
      }),
    )
    await fc.assert(
      fc.asyncProperty(cases, async ({ first, again, others }) => {
        const key = caller.newKey()
        const before = await caller.orders()
        const answer = await caller.post(PLACE, first, key)
        expect(answer.status, answer.text).toBe(200)
        const account = await caller.account()
        for (const text of again) expect(wire(await caller.post(PLACE, text, key))).toEqual(wire(answer))
        for (const other of others) {
          const { status, code } = await caller.post(PLACE, JSON.stringify(other), key)
          expect([status, code], JSON.stringify(other)).toEqual([409, 'conflict'])
        }
        expect(wire(await caller.post(PLACE, first, key))).toEqual(wire(answer))
        expect(await caller.account()).toEqual(account)
        expect(await caller.orders()).toBe(before + 1)
      }),
      { numRuns: BODIES, seed: chance('bodies under a key').seed },
    )
  })
})

/** The endpoints of the API key. Webhooks keep their keys by workflow, and have tests of their own. */
const DOORS = ALL_OPERATION_LIST.filter(
  ({ auth, headers }) => auth === 'apikey' && headers?.includes('Idempotency-Key'),
)
const LIMIT = {
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  product: 'CNC',
  price: 700,
  trigger_price: 0,
  disclosed_quantity: 0,
}
/** Both triggers, so that every field has a meaning. */
const OCO = { trigger_type: 'OCO', triggerprice_sl: 700, triggerprice_tg: 900, stoploss: 699, target: 901 }

/** The expiry that the samples list. */
const listed = async () => ({ expiry_date: '24NOV26' })

/** The state a request needs, and the fields it adds to its example. */
const PREPARED: Readonly<Record<string, (caller: Caller) => Promise<Fields>>> = {
  modifyorder: resting,
  cancelorder: resting,
  // No field of a position's key is readable without the others.
  closeposition: async () => ({ symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }),
  placegttorder: async () => OCO,
  modifygttorder: async (caller) => ({ ...OCO, ...(await waiting(caller)) }),
  cancelgttorder: waiting,
  optionsorder: listed,
  optionsmultiorder: listed,
}

async function resting(caller: Caller): Promise<Fields> {
  const { body } = await caller.sent(PLACE, { strategy: 'example', ...LIMIT })
  return { orderid: body.orderid }
}

async function waiting(caller: Caller): Promise<Fields> {
  const example = DOORS.find(({ path }) => path.endsWith('/placegttorder'))?.example
  const { body } = await caller.sent('/api/v1/placegttorder', { ...Object(example), ...OCO })
  return { trigger_id: body.trigger_id }
}

const nameOf = ({ path }: Operation) => path.slice(path.lastIndexOf('/') + 1)

/** A valid request that includes all fields with defaults. */
async function bodyFor(caller: Caller, door: Operation, fields: Fields): Promise<Fields> {
  const more = await PREPARED[nameOf(door)]?.(caller)
  const read = door.body?.parse({ ...Object(door.example), ...more })
  return Object.fromEntries(Object.entries(Object(read)).filter(([field]) => field in fields))
}

/** The request with each of its fields changed in turn, including those of its first row. */
function changed(fields: Fields, body: Fields, narrower: typeof VALUES): fc.Arbitrary<Fields>[] {
  return Object.keys(fields).flatMap((field) => {
    const rows = body[field]
    if (!Array.isArray(rows)) {
      return [
        otherThan(field, body[field], narrower).map((value) => ({
          ...body,
          ...BESIDE[field],
          [field]: value,
        })),
      ]
    }
    const items = z.object({ items: z.object({ properties: z.record(z.string(), z.unknown()) }) })
    const row: Fields = rows[0]
    const ofRow = changed(items.parse(fields[field]).items.properties, row, narrower)
    return [
      ...ofRow.map((rowChanged) =>
        rowChanged.map((other) => ({ ...body, [field]: [other, ...rows.slice(1)] })),
      ),
      fc.constant({ ...body, [field]: [...rows, row] }),
    ]
  })
}

function narrowerFor(name: string): typeof VALUES {
  if (name === 'closeposition') return POSITION_VALUES
  if (name.includes('gtt')) return GTT_VALUES
  return name.startsWith('options') ? LEG_VALUES : {}
}

describe.each(MODES)('each request under a key (%s)', (mode) => {
  test.each(DOORS.map((door) => [nameOf(door), door] as const))(
    '%s: the same again is the same answer; a field changed, or to another route, a conflict',
    async (name, door) => {
      const caller = await Caller.open(mode)
      await caller.sent(PLACE, { strategy: 'example', ...LIMIT, pricetype: 'MARKET', product: 'MIS' })
      if (!door.body) throw new Error(`${name} has no body`)
      const fields = fieldsOf(door.body)
      const body = await bodyFor(caller, door, fields)
      const key = caller.newKey()
      const answer = await caller.sent(door.path, body, key)
      expect(answer.status, answer.text).toBe(200)
      const account = await caller.account()
      const { seed } = chance(name)
      for (const text of fc.sample(rewritten(body, {}), { numRuns: 5, seed })) {
        expect(wire(await caller.post(door.path, text, key)), text).toEqual(wire(answer))
      }
      const others = changed(fields, body, narrowerFor(name))
      const elsewhere = DOORS.filter((each) => each !== door)
      const conflicts = [
        ...others.map((other) => [door.path, fc.sample(other, { numRuns: 1, seed })[0]] as const),
        ...elsewhere.map((other) => [other.path, Object(other.example)] as const),
      ]
      for (const [path, other] of conflicts) {
        const reply = await caller.post(path, JSON.stringify(other), key)
        expect([reply.status, reply.code], `${path} ${JSON.stringify(other)}`).toEqual([409, 'conflict'])
      }
      expect(await caller.account()).toEqual(account)
    },
  )
})
