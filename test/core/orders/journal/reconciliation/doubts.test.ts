import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type {
  BrokerClient,
  BrokerGtt,
  BrokerManifest,
  BrokerOrder,
} from '../../../../../src/core/brokers/broker.js'
import { silentLogger } from '../../../../../src/core/logging/index.js'
import { Idempotency } from '../../../../../src/core/orders/journal/idempotency.js'
import { OrderJournal } from '../../../../../src/core/orders/journal/journal.js'
import { DoubtStore } from '../../../../../src/core/orders/journal/reconciliation/doubt-store.js'
import { Reconciler } from '../../../../../src/core/orders/journal/reconciliation/reconciler.js'
import { newOrderRef } from '../../../../../src/core/orders/order-ref.js'
import { Database } from '../../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { payloadOf, USER } from '../../../../support/desk/desk.js'
import { tempDir } from '../../../../support/files/temp.js'

const MINUTE = 60_000
const at = (time: string, day = '2026-11-20') => Date.parse(`${day}T${time}+05:30`)

const isWeekend = (date: string) => [0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay())

/** A broker that takes orders and does not answer, seen through a reconciler that may be started anew. */
class Doubts {
  readonly orders: BrokerOrder[] = []
  readonly gtts: BrokerGtt[] = []
  tagLookup: BrokerManifest['tagLookup'] = 'book'
  account: string | undefined = 'AB1234'
  isAway = false
  /** True while a search by tag finds nothing that the book lists. */
  isBehind = false
  readings = 0
  readonly journal: OrderJournal
  readonly doubts: DoubtStore

  private constructor(
    readonly db: Database,
    readonly clock: VirtualClock,
  ) {
    this.journal = new OrderJournal(db, clock)
    this.doubts = new DoubtStore(db)
  }

  static async open(time = at('11:00:00'), tagLookup: BrokerManifest['tagLookup'] = 'book'): Promise<Doubts> {
    const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
    const doubts = new Doubts(db, new VirtualClock(time))
    doubts.tagLookup = tagLookup
    return doubts
  }

  /** Sends an order whose answer never comes. */
  async send(fields: object = {}, operation = 'placeorder'): Promise<string> {
    const orderRef = newOrderRef(this.clock)
    await this.journal.open([
      {
        orderRef,
        userId: USER,
        operation,
        source: 'api',
        mode: 'live',
        broker: 'remote',
        state: 'claimed',
        payload: { ...payloadOf({ pricetype: 'LIMIT', price: 700 }), ...fields },
      },
    ])
    await this.journal.move(orderRef, 'sending', { account: this.account })
    return orderRef
  }

  async sendInDoubt(fields: object = {}, operation = 'placeorder'): Promise<string> {
    const orderRef = await this.send(fields, operation)
    await this.clock.advance(10_000)
    await this.journal.move(orderRef, 'unknown', { reason: 'no answer' })
    return orderRef
  }

  /** Puts an order into the broker's book. */
  list(fields: Partial<BrokerOrder> = {}): string {
    const orderId = `X${this.orders.length + 1}`
    this.orders.push({
      orderId,
      symbol: 'SBIN',
      exchange: 'NSE',
      action: 'BUY',
      quantity: 10,
      price: 700,
      triggerPrice: 0,
      priceType: 'LIMIT',
      product: 'MIS',
      status: 'open',
      filledQuantity: 0,
      pendingQuantity: 10,
      averagePrice: 0,
      rejectionReason: '',
      timestamp: this.clock.now(),
      ...fields,
    })
    return orderId
  }

  /** Searches once, in a service that has just started. */
  async search(): Promise<void> {
    const read = async <T>(rows: readonly T[]): Promise<T[]> => {
      this.readings += 1
      if (this.isAway) throw new Error('away')
      return [...rows]
    }
    const client = {
      orders: {
        list: () => read(this.orders),
        findByTags: async (tags: readonly string[]) =>
          new Map(
            (await read(this.orders)).flatMap((order) =>
              !this.isBehind && order.tag !== undefined && tags.includes(order.tag)
                ? [[order.tag, order] as const]
                : [],
            ),
          ),
      },
      gtts: { list: () => read(this.gtts) },
    } as unknown as BrokerClient
    const reconciler = new Reconciler(
      this.journal,
      {
        brokerId: 'remote',
        accountId: this.account,
        client: () => client,
        manifest: () => ({ tagLookup: this.tagLookup }) as BrokerManifest,
        orderSlot: async () => undefined,
      },
      new Idempotency(this.db, this.clock),
      {
        publish: () => undefined,
        log: silentLogger,
        settleApproval: async () => undefined,
        resultOfBatch: async () => undefined,
      },
      this.clock,
      {
        doubts: this.doubts,
        sessionOf: (exchange, date) =>
          exchange === 'CRYPTO'
            ? { open: at('00:00:00', date), close: at('23:59:59', date) }
            : isWeekend(date)
              ? undefined
              : { open: at('09:15:00', date), close: at(exchange === 'MCX' ? '23:55:00' : '15:30:00', date) },
      },
    )
    await reconciler.searchNow()
  }

  /** Searches every minute. */
  async searchFor(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute++) {
      await this.clock.advance(MINUTE)
      await this.search()
    }
  }

  async row(orderRef: string) {
    const row = await this.journal.find(orderRef)
    if (!row) throw new Error(`no row ${orderRef}`)
    return row
  }
}

describe('an order in doubt that the book of the day does not show', () => {
  test('ends as never received after five readings, eight minutes apart, after the close, with the evidence', async () => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt()
    await desk.search()
    desk.clock.suspend(at('15:30:00') - desk.clock.now())
    await desk.searchFor(12)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    await desk.searchFor(1)
    expect(await desk.row(ref)).toMatchObject({
      state: 'rejected',
      endCause: 'not_received',
      settledBy: 'not_shown',
      reason: expect.stringContaining(
        '5 readings of its order book after the close, from 2026-11-20 15:35:00',
      ),
    })
    expect(await desk.doubts.absence(ref)).toMatchObject({ readings: 5, lastAt: at('15:43:00') })
  })

  test('is not ended before the close, on a later day, or by readings that failed', async () => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt()
    await desk.searchFor(30)
    expect(await desk.doubts.absence(ref)).toBeUndefined()
    desk.clock.suspend(at('15:35:00') - desk.clock.now())
    await desk.searchFor(4)
    desk.isAway = true
    await desk.searchFor(30)
    expect(await desk.doubts.absence(ref)).toMatchObject({ readings: 2 })
    desk.isAway = false
    desk.clock.suspend(at('15:40:00', '2026-11-21') - desk.clock.now())
    await desk.searchFor(30)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    expect(await desk.doubts.absence(ref)).toMatchObject({ readings: 2 })
  })

  test('is found when the book shows it after some readings', async () => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt()
    desk.clock.suspend(at('15:35:00') - desk.clock.now())
    await desk.searchFor(6)
    desk.list({ tag: ref, status: 'cancelled' })
    desk.isBehind = true
    await desk.searchFor(20)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    desk.isBehind = false
    await desk.searchFor(1)
    expect(await desk.row(ref)).toMatchObject({ state: 'cancelled', orderId: 'X1', settledBy: 'tag' })
  })

  test('is not ended by a book that lacks another order of the day, or is of another account', async () => {
    const desk = await Doubts.open()
    const known = await desk.send()
    await desk.journal.move(known, 'accepted', { orderId: 'K1' })
    const ref = await desk.sendInDoubt()
    desk.clock.suspend(at('15:35:00') - desk.clock.now())
    await desk.searchFor(20)
    expect(await desk.doubts.absence(ref)).toBeUndefined()
    desk.list({ orderId: 'K1', tag: known })
    desk.account = 'ZZ9999'
    await desk.searchFor(20)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    desk.account = 'AB1234'
    await desk.searchFor(12)
    expect(await desk.row(ref)).toMatchObject({ state: 'rejected' })
  })

  test('is not ended after midnight unless the book still is that of its day', async () => {
    const desk = await Doubts.open(at('23:50:00'))
    const ref = await desk.sendInDoubt({ exchange: 'MCX', symbol: 'GOLDM04DEC26FUT' })
    desk.clock.suspend(at('00:01:00', '2026-11-21') - desk.clock.now())
    await desk.searchFor(30)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    const known = await desk.send()
    await desk.journal.move(known, 'accepted', { orderId: 'K1' })
    desk.list({ orderId: 'K1', tag: known })
    await desk.searchFor(12)
    expect(await desk.row(ref)).toMatchObject({ state: 'rejected' })
  })

  test('is not ended while the book lists an order without a tag that may be it', async () => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt()
    desk.list()
    desk.clock.suspend(at('15:35:00') - desk.clock.now())
    await desk.searchFor(20)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    expect(await desk.doubts.candidates(ref)).toMatchObject([{ id: 'X1' }])
  })

  test.each([
    { name: 'sent after the close', time: at('16:00:00'), fields: {} },
    { name: 'of an exchange that never closes', time: at('11:00:00'), fields: { exchange: 'CRYPTO' } },
  ])('stays in doubt if it was $name', async ({ time, fields }) => {
    const desk = await Doubts.open(time)
    const ref = await desk.sendInDoubt(fields)
    desk.clock.suspend(at('23:59:59') - desk.clock.now())
    await desk.searchFor(30)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
  })
})

describe('an order for the next open that nobody answered', () => {
  const amo = { amo: true }
  const MONDAY = '2026-11-23'

  test.each([
    { name: 'after the close of a Friday', time: at('16:00:00') },
    { name: 'after midnight', time: at('01:00:00', '2026-11-21') },
    { name: 'on a Sunday', time: at('20:00:00', '2026-11-22') },
    { name: 'before the open', time: at('08:30:00', MONDAY) },
  ])('$name ends after the close of the Monday that the book does not show it on', async ({ time }) => {
    const desk = await Doubts.open(time)
    const ref = await desk.sendInDoubt(amo)
    for (const moment of [at('18:00:00'), at('15:40:00', '2026-11-22'), at('15:34:00', MONDAY)]) {
      if (moment <= desk.clock.now()) continue
      desk.clock.suspend(moment - desk.clock.now())
      await desk.search()
      await desk.search()
    }
    expect(await desk.doubts.absence(ref)).toBeUndefined()
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    await desk.searchFor(10)
    expect(await desk.row(ref)).toMatchObject({
      state: 'rejected',
      settledBy: 'not_shown',
      reason: expect.stringContaining('from 2026-11-23 15:35:00'),
    })
  })

  test('that the book of the next day shows is found by its tag, however late', async () => {
    const desk = await Doubts.open(at('16:00:00'))
    const ref = await desk.sendInDoubt(amo)
    desk.clock.suspend(at('15:36:00', MONDAY) - desk.clock.now())
    await desk.searchFor(4)
    expect(await desk.doubts.absence(ref)).toMatchObject({ readings: 2 })
    desk.list({ tag: ref, status: 'complete', filledQuantity: 10, averagePrice: 699 })
    await desk.searchFor(1)
    expect(await desk.row(ref)).toMatchObject({ state: 'filled', orderId: 'X1', settledBy: 'tag' })
  })

  test('stays in doubt where the book after the close is not that of its day, and when its day is over', async () => {
    const desk = await Doubts.open(at('16:00:00'))
    const ref = await desk.sendInDoubt(amo)
    desk.clock.suspend(at('11:00:00', MONDAY) - desk.clock.now())
    const other = await desk.send()
    await desk.journal.move(other, 'accepted', { orderId: 'X9' })
    desk.clock.suspend(at('15:40:00', MONDAY) - desk.clock.now())
    await desk.searchFor(20)
    desk.clock.suspend(at('16:00:00', '2026-11-24') - desk.clock.now())
    await desk.searchFor(20)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    expect(await desk.doubts.absence(ref)).toBeUndefined()
  })
})

describe('at a broker without tags', () => {
  test.each([
    ['a limit order', {}, {}],
    ['an order at the market that the broker protects', { pricetype: 'MARKET', price: 0 }, { price: 712.5 }],
    [
      'a stop',
      { pricetype: 'SL', price: 699, trigger_price: 700 },
      { priceType: 'SL', price: 699, triggerPrice: 700, status: 'trigger pending' },
    ],
  ] as const)('%s in doubt is the only order with its content', async (_, fields, listed) => {
    const desk = await Doubts.open(undefined, 'none')
    const ref = await desk.sendInDoubt(fields)
    desk.list({ ...listed, timestamp: desk.clock.now() - 8_000 })
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'accepted', orderId: 'X1', settledBy: 'matched' })
  })

  test.each<[string, Partial<BrokerOrder>]>([
    ['another symbol', { symbol: 'INFY' }],
    ['the other side', { action: 'SELL' }],
    ['another quantity', { quantity: 20 }],
    ['another price', { price: 700.05 }],
    ['another product', { product: 'CNC' }],
    ['another price type', { priceType: 'SL' }],
    ['an earlier time', { timestamp: at('10:59:57') }],
    ['a later time', { timestamp: at('11:00:16') }],
  ])('an order with %s is not it', async (_, listed) => {
    const desk = await Doubts.open(undefined, 'none')
    const ref = await desk.sendInDoubt()
    desk.list({ timestamp: at('11:00:01'), ...listed })
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown', lookups: 1 })
    expect(await desk.doubts.candidates(ref)).toEqual([])
  })

  test.each([
    ['before', at('10:57:00')],
    ['after', at('11:03:00')],
  ])(
    'an order that a clock minutes %s ours has stamped proves at the close that nothing is known',
    async (_, timestamp) => {
      const desk = await Doubts.open(undefined, 'none')
      const ref = await desk.sendInDoubt()
      desk.list({ timestamp })
      desk.clock.suspend(at('15:35:00') - desk.clock.now())
      await desk.searchFor(20)
      expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
      expect(await desk.doubts.candidates(ref)).toMatchObject([{ id: 'X1', placedAt: timestamp }])
    },
  )

  test('of several orders that may be it none settles it; a person sees them', async () => {
    const desk = await Doubts.open(undefined, 'none')
    const ref = await desk.sendInDoubt()
    desk.list()
    desk.list({ status: 'complete', filledQuantity: 10, averagePrice: 699 })
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    expect(await desk.doubts.candidates(ref)).toMatchObject([
      { id: 'X1', status: 'open', price: 700 },
      { id: 'X2', status: 'complete', filled: 10, price: 699 },
    ])
  })

  test('an order that the journal has, or may get, is not it', async () => {
    const desk = await Doubts.open(undefined, 'none')
    const answered = await desk.send()
    await desk.journal.move(answered, 'accepted', { orderId: desk.list() })
    const ref = await desk.sendInDoubt()
    await desk.search()
    expect(await desk.doubts.candidates(ref)).toEqual([])
    // An order with the same content is on its way, and the entry may be that one.
    const onItsWay = await desk.send()
    desk.list()
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    await desk.journal.move(onItsWay, 'accepted', { orderId: 'X2' })
    desk.list()
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'accepted', orderId: 'X3' })
  })

  test('two doubts with one content are not settled by one order', async () => {
    const desk = await Doubts.open(undefined, 'none')
    const refs = [await desk.send(), await desk.send()]
    await desk.clock.advance(10_000)
    for (const ref of refs) await desk.journal.move(ref, 'unknown', {})
    desk.list()
    await desk.search()
    for (const ref of refs) expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
  })

  test.each([
    { name: 'a person has rejected', settledBy: 'person' as const },
    { name: 'readings after the close have missed', settledBy: 'not_shown' as const },
  ])('an order with the content of one that $name settles nothing', async ({ settledBy }) => {
    const desk = await Doubts.open(undefined, 'none')
    const refs = [await desk.send(), await desk.send()]
    await desk.clock.advance(10_000)
    for (const ref of refs) await desk.journal.move(ref, 'unknown', {})
    const [ended = '', ref = ''] = refs
    await desk.journal.move(ended, 'rejected', { settledBy })
    desk.list()
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
    expect(await desk.doubts.candidates(ref)).toMatchObject([{ id: 'X1' }])
  })

  test('an order with the content of one that the broker refused is the other one', async () => {
    const desk = await Doubts.open(undefined, 'none')
    const refused = await desk.send()
    await desk.journal.move(refused, 'rejected', { endCause: 'refused' })
    const ref = await desk.sendInDoubt()
    desk.list()
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'accepted', orderId: 'X1' })
  })

  test.each([
    {
      name: 'lapsed when it fired',
      path: ['accepted', 'triggered', 'lapsed'] as const,
      price: 700,
      state: 'unknown',
    },
    { name: 'may have fired', path: ['accepted'] as const, price: 700, state: 'unknown' },
    { name: 'has another price', path: ['accepted'] as const, price: 701, state: 'accepted' },
  ])('an order that a GTT may have sent, which $name: $state', async ({ path, price, state }) => {
    const desk = await Doubts.open(undefined, 'none')
    const single = {
      trigger_type: 'SINGLE',
      triggerprice_sl: 705,
      triggerprice_tg: null,
      stoploss: null,
      target: null,
      expires_at: null,
    }
    const unused = { trigger_price: undefined, disclosed_quantity: undefined, underlying_ltp: undefined }
    const gtt = await desk.send({ ...single, ...unused, product: 'CNC', price }, 'placegttorder')
    const ref = await desk.sendInDoubt({ product: 'CNC' })
    for (const to of path) await desk.journal.move(gtt, to, to === 'accepted' ? { triggerId: '900' } : {})
    desk.list({ product: 'CNC' })
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state })
  })

  test('an order that was on its way at a crash is searched within a minute of its sending', async () => {
    const desk = await Doubts.open(undefined, 'none')
    const ref = await desk.send()
    desk.list({ timestamp: at('11:30:00') })
    desk.list({ timestamp: at('11:00:02') })
    desk.clock.suspend(90 * MINUTE)
    await desk.journal.move(ref, 'unknown', {})
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ orderId: 'X2', settledBy: 'matched' })
  })
})

describe('a GTT in doubt at a broker whose GTTs have no tag', () => {
  const OCO = {
    trigger_type: 'OCO',
    pricetype: 'LIMIT',
    product: 'CNC',
    action: 'SELL',
    price: 0,
    triggerprice_sl: 690,
    stoploss: 689,
    triggerprice_tg: 750,
    target: 751,
    expires_at: null,
    trigger_price: undefined,
    disclosed_quantity: undefined,
    underlying_ltp: undefined,
  }
  const leg = { action: 'SELL', quantity: 10, priceType: 'LIMIT', product: 'CNC' } as const
  const listed: BrokerGtt = {
    triggerId: '900',
    type: 'two-leg',
    status: 'active',
    symbol: 'SBIN',
    exchange: 'NSE',
    triggerPrices: [690, 750],
    lastPrice: 720,
    legs: [
      { ...leg, price: 689 },
      { ...leg, price: 751 },
    ],
    createdAt: at('11:00:01'),
    updatedAt: undefined,
    expiresAt: undefined,
  }

  test('is the only one with its triggers, legs and time', async () => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt(OCO, 'placegttorder')
    desk.gtts.push({ ...listed, triggerId: '899', triggerPrices: [690, 755] }, listed)
    await desk.search()
    expect(await desk.row(ref)).toMatchObject({ state: 'accepted', triggerId: '900', settledBy: 'matched' })
  })

  test.each<[string, readonly BrokerGtt[]]>([
    ['without one', []],
    ['with two', [listed, { ...listed, triggerId: '901' }]],
    ['whose time the broker does not tell', [{ ...listed, createdAt: undefined }]],
    ['with another leg', [{ ...listed, legs: [{ ...leg, price: 688 }, ...listed.legs.slice(1)] }]],
  ])('%s stays in doubt, also after the close', async (_, gtts) => {
    const desk = await Doubts.open()
    const ref = await desk.sendInDoubt(OCO, 'placegttorder')
    desk.gtts.push(...gtts)
    desk.clock.suspend(at('15:40:00') - desk.clock.now())
    await desk.searchFor(20)
    expect(await desk.row(ref)).toMatchObject({ state: 'unknown' })
  })
})
