import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BrokerClient, BrokerError, type BrokerOrder } from '../../../../src/core/brokers/broker.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import {
  type BasketOrderPayload,
  type LiveExecution,
  OrderJournal,
  type OrderPath,
  type OrderResult,
  openOrderPath,
  type QueuePort,
  type SandboxExecution,
  type SandboxGtts,
} from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { SPLIT_ORDER } from '../../../../src/core/orders/multi/split.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { RiskGate } from '../../../../src/core/risk/index.js'
import { Database } from '../../../../src/core/storage/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { answerTo } from '../../../../src/daemon/orders/answer.js'
import { rounds } from '../../../support/chance/chance.js'
import { payloadOf } from '../../../support/desk/desk.js'
import { tempDir } from '../../../support/files/temp.js'

/*
 * A crash is a step that never returns: what is durable by then is all the next start has. Steps are the
 * transactions of the journal, before and after their commit, and the calls to the broker, before they arrive
 * and after.
 */

/** The reaction of a broker to an order. */
type Fate = 'accept' | 'refuse' | 'lose_request' | 'lose_answer'

const NEVER = new Promise<never>(() => undefined)
const CONTEXT = { userId: 'asha', source: 'api' as const, idempotencyKey: 'k' }

/** Counts steps; at the last one the process is gone. */
class Life {
  readonly ended: Promise<void>
  #end: () => void = () => undefined
  #left: number

  constructor(steps: number) {
    this.#left = steps
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  async step(): Promise<void> {
    this.#left -= 1
    if (this.#left > 0) return
    this.#end()
    await NEVER
  }
}

/** The database as one life of the service sees it. */
function databaseIn(life: Life, db: Database): Database {
  return new Proxy(db, {
    get(target, name) {
      if (name === 'write') {
        return async (fn: Parameters<Database['write']>[0]) => {
          await life.step()
          const result = await target.write(fn)
          await life.step()
          return result
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** An exchange that outlives every crash, with its record of what arrived. */
class Ledger {
  readonly orders: BrokerOrder[] = []
  readonly #fates: readonly Fate[]
  #calls = 0

  constructor(fates: readonly Fate[]) {
    this.#fates = fates
  }

  clientIn(life: Life): BrokerClient {
    const unused = () => Promise.reject(new Error('not part of this test'))
    return {
      orders: {
        place: (order, tag) => this.#place(life, order, tag),
        findByTags: async (tags) =>
          new Map(
            this.orders.flatMap((order) =>
              order.tag !== undefined && tags.includes(order.tag) ? [[order.tag, order]] : [],
            ),
          ),
        list: async () => [...this.orders],
        modify: unused,
        cancel: unused,
        trades: unused,
      },
      portfolio: { positions: unused, holdings: unused, funds: unused },
      market: { quotes: unused, depth: unused, history: unused, intervals: [] },
      close: async () => undefined,
    }
  }

  async #place(life: Life, order: OrderRequest, tag: string): Promise<{ orderId: string }> {
    const fate = this.#fates[this.#calls % Math.max(1, this.#fates.length)] ?? 'accept'
    this.#calls += 1
    await life.step()
    if (fate === 'refuse') throw new BrokerError('rejected', 'no margin', { brokerStatus: 400, sent: 'yes' })
    if (fate === 'lose_request') throw new BrokerError('network', 'timeout', { sent: 'maybe' })
    const orderId = `B${this.orders.length + 1}`
    this.orders.push(entryOf(order, tag, orderId))
    await life.step()
    if (fate === 'lose_answer') throw new BrokerError('network', 'timeout', { sent: 'maybe' })
    return { orderId }
  }
}

function entryOf(order: OrderRequest, tag: string, orderId: string): BrokerOrder {
  const { symbol, exchange, action, quantity, price, triggerPrice, priceType, product } = order
  const state = { status: 'open' as const, filledQuantity: 0, pendingQuantity: quantity, averagePrice: 0 }
  const identity = {
    orderId,
    tag,
    symbol,
    exchange,
    action,
    quantity,
    price,
    triggerPrice,
    priceType,
    product,
  }
  return { ...identity, ...state, rejectionReason: '', timestamp: 0 }
}

/** One life of the service: the real order path over what is durable. */
async function start(db: Database, ledger: Ledger, clock: VirtualClock, life: Life): Promise<OrderPath> {
  const seen = databaseIn(life, db)
  const journal = new OrderJournal(seen, clock)
  const risk = await RiskGate.open(db, {
    log: silentLogger,
    clock,
    lastPrice: () => undefined,
    quote: async () => undefined,
    dayPnl: async () => undefined,
    ordersToday: async () => 0,
  })
  const client = ledger.clientIn(life)
  const manifest = { tagLookup: 'authoritative' } as ReturnType<LiveExecution['manifest']>
  return openOrderPath({
    db: seen,
    clock,
    journal,
    risk,
    broker: {
      brokerId: 'ledger',
      client: () => client,
      manifest: () => manifest,
      orderSlot: async () => undefined,
      requireReady: () => undefined,
    },
    sandbox: {} as SandboxExecution,
    gtts: {} as SandboxGtts,
    options: undefined,
    queue: { shouldQueue: () => false } as unknown as QueuePort,
    settleApproval: async () => undefined,
    sessionOf: () => undefined,
    splitPauseMs: 0,
    stopping: new AbortController().signal,
    ports: {
      mode: () => 'live',
      publish: () => undefined,
      publishFault: () => undefined,
      queuePrice: () => undefined,
      instrument: () => undefined,
      unlisted: () => undefined,
      largestOrder: () => undefined,
      quote: async () => undefined,
      priceBand: () => undefined,
      timed: () => undefined,
      refused: () => undefined,
      log: silentLogger,
    },
  })
}

type Request = { kind: 'split' | 'basket'; orders: number }

function submit(path: OrderPath, { kind, orders }: Request): Promise<OrderResult> {
  const { underlying_ltp: _ltp, strategy, ...line } = payloadOf()
  if (kind === 'split') {
    return path.multi.submit(
      SPLIT_ORDER,
      { ...line, strategy, quantity: 10 * orders, splitsize: 10 },
      CONTEXT,
    )
  }
  const items: BasketOrderPayload['orders'] = Array.from({ length: orders }, (_, index) => ({
    ...line,
    action: index % 2 === 0 ? 'BUY' : 'SELL',
    quantity: index + 1,
  }))
  return path.multi.submit(BASKET_ORDER, { strategy, orders: items }, CONTEXT)
}

const requests = fc.record<Request>({
  kind: fc.constantFrom('split', 'basket'),
  orders: fc.integer({ min: 1, max: 5 }),
})
const fates = fc.array(
  fc.constantFrom<Fate>('accept', 'accept', 'accept', 'refuse', 'lose_request', 'lose_answer'),
  { minLength: 1, maxLength: 5 },
)
/** Steps of each life before the process is killed. */
const lives = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 3 })

test('wherever the service dies, a retry sends what was not sent, nothing twice, and tells each order’s end', async () => {
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  try {
    await fc.assert(
      fc.asyncProperty(requests, fates, lives, async (request, broker, kills) => {
        await db.write(async (tx) => {
          for (const table of ['order_journal', 'order_events', 'order_batches', 'idempotency_keys']) {
            await tx.exec(`delete from ${table}`)
          }
        })
        const clock = new VirtualClock('2026-11-20T11:00:00+05:30')
        const ledger = new Ledger(broker)
        for (const steps of kills) {
          const life = new Life(steps)
          const path = await start(db, ledger, clock, life)
          const run = async () => {
            await path.reconciler.recover()
            return submit(path, request)
          }
          await Promise.race([run(), life.ended])
          path.reconciler.stop()
        }

        const path = await start(db, ledger, clock, new Life(Number.MAX_SAFE_INTEGER))
        await path.reconciler.recover()
        await submit(path, request)
        await path.reconciler.searchNow()
        const answer = await submit(path, request)
        path.reconciler.stop()

        // Sent once at the most, whatever was retried.
        const tags = ledger.orders.map(({ tag }) => tag)
        expect(new Set(tags).size).toBe(tags.length)
        expect(tags.length).toBeLessThanOrEqual(request.orders)
        expect(await db.queryRaw('select batch_ref from order_batches')).toHaveLength(1)
        // Each order has its end, and it is the truth.
        const results = answerTo(answer).body.results as {
          status: string
          orderid?: string
          order_ref?: string
          message?: string
        }[]
        expect(results).toHaveLength(request.orders)
        // Nothing was left out: each was placed, refused, or lost on its way for certain.
        const failures = results.flatMap(({ message }) => (message === undefined ? [] : [message]))
        const known = new Set([
          'no margin',
          'The broker never received it. Send the order again under a new Idempotency-Key.',
        ])
        expect(failures.filter((message) => !known.has(message))).toEqual([])
        const placed = results.filter(({ status }) => status === 'success').map(({ orderid }) => orderid)
        expect(placed.sort()).toEqual(ledger.orders.map(({ orderId }) => orderId).sort())
        expect(results.filter(({ order_ref }) => order_ref !== undefined)).toEqual([])
      }),
      { numRuns: rounds(150) },
    )
  } finally {
    await db.close().catch(() => undefined)
  }
})
