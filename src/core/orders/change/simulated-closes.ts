import type { Clock } from '../../time/index.js'
import type { BrokerTimer } from '../broker-time.js'
import { requireCaller } from '../deadline.js'
import { NOT_SENT, UNKNOWN_CHANGE } from '../end.js'
import type { KeyClaim, StoredKey } from '../journal/idempotency.js'
import { CLOSE } from '../journal/statements.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { type ClosePayload, legOfSimulated, planOfSimulated } from '../multi/close.js'
import { type PlanTools, slotOf } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import { ownPositions } from '../multi/own-positions.js'
import type { Batch, BatchStore } from '../multi/plans/batch-store.js'
import { type ExecutionPlan, resultOfClose, SIMULATED_CLOSE, type StoredPlan } from '../multi/plans/plan.js'
import { newBatchRef } from '../order-ref.js'
import type { Claims } from '../pipeline/claims.js'
import { isRecent } from '../pipeline/retry.js'
import type { OrderPorts, PlaceContext, SandboxExecution, SimulatedClose } from '../ports.js'
import { markedWith, type OrderResult, refusal, type Shown } from '../result.js'
import { ORDER_PRODUCTS, type OrderPayload, type PositionRef, toOrderRequest } from '../schema.js'

interface SimulatedClosesParts {
  claims: Claims
  clock: Clock
  multi: Pick<MultiOrders, 'known'>
  ports: Pick<OrderPorts, 'largestOrder'>
  sandbox: SandboxExecution
  /** One slot for each position, shared with smart orders. */
  slots: KeyedQueue
  store: BatchStore
  tools: PlanTools
}

/**
 * Marks the beginning of a change, and stores its key: after the last possible refusal and before the first change. `store`
 * stores the key itself, together with what leads to the request's orders; it is not called for a request without a key.
 */
export type Begin = (store?: (claim: KeyClaim) => Promise<void>) => Promise<void>

/** Who asks for a close, and the time that it takes. */
interface Asked {
  context: PlaceContext
  exchange: BrokerTimer
}

/** The result of a request that is repeated, and whether it executed something just now. */
export interface Resumed {
  result: OrderResult
  isNew: boolean
}

/** The position of a planned leg, and its orders with their ids. */
interface StoredLeg {
  ref: PositionRef
  problem: string | undefined
  orders: { orderId: string; order: OrderPayload }[]
}

type Pieces = SimulatedClose['pieces']

/**
 * Closes positions of the sandbox. A close with a key stores its plan and the ids of its orders first: after a crash they
 * tell which positions it closed, and a retry closes the others.
 */
export class SimulatedCloses {
  constructor(private readonly parts: SimulatedClosesParts) {}

  /** Returns the orders that a close would send now. Sends and writes nothing. */
  async plan(payload: ClosePayload, userId: string): Promise<ExecutionPlan> {
    return this.#planOf(payload, userId, await this.#open(payload, userId))
  }

  /** Closes the matching positions. It holds their slots, so that no smart order trades on an outdated position. */
  async run(payload: ClosePayload, { context, exchange: timer }: Asked, begin: Begin): Promise<OrderResult> {
    const { claims, clock, sandbox, slots, store } = this.parts
    const { source, userId } = context
    const open = await this.#open(payload, userId)
    return slots.run(open.map(slotOf), async () => {
      requireCaller(clock, context)
      let legs: StoredLeg[] = []
      await begin(async (claim) => {
        const plan = this.#withIds(await this.#planOf(payload, userId, open))
        legs = legsOf(plan)
        const batch: Batch = {
          batchRef: newBatchRef(clock),
          userId,
          operation: CLOSE,
          source,
          mode: 'analyze',
        }
        const { batchRef: ref, mode } = batch
        await claims.store({ mode, ref, entries: [], claim, record: store.row(batch, plan) })
      })
      const idsOf = (ref: PositionRef) =>
        legs.find((leg) => slotOf(leg.ref) === slotOf(ref))?.orders.map(({ orderId }) => orderId)
      const close = () =>
        sandbox.closeEach(
          userId,
          open.map((ref) => ({ ...ref, orderIds: idsOf(ref) ?? [] })),
        )
      return resultOf(payload, await (open.length === 0 ? close() : timer.send(close)))
    })
  }

  /**
   * Returns the result of a close that a crash cut short. If its caller retries soon, the positions that it did not come to
   * are closed now, under the ids of the first time, as far as they still need it.
   */
  async resume(payload: ClosePayload, asked: Asked, { orderRef }: StoredKey): Promise<Resumed> {
    const { clock, multi, slots, store } = this.parts
    const batch = orderRef === null ? undefined : await store.find(orderRef)
    const stored = batch?.executionPlan
    if (!batch || !stored) {
      return { result: { outcome: 'in_doubt', message: UNKNOWN_CHANGE }, isNew: false }
    }
    if (batch.mode === 'live') return { result: await multi.known(batch.batchRef), isNew: false }
    const legs = legsOf(stored)
    return slots.run(
      legs.map(({ ref }) => slotOf(ref)),
      async () => {
        requireCaller(clock, asked.context)
        const isSoon = isRecent(batch.createdAt, clock)
        const known = await Promise.all(legs.map((leg) => this.#known(batch.userId, leg)))
        const sent = isSoon ? await this.#sendNeeded(legs, known, batch, asked) : new Map<StoredLeg, Pieces>()
        const closes = legs.map((leg, place) => {
          return { ref: leg.ref, pieces: known[place] ?? sent.get(leg) ?? unsentOf(leg) }
        })
        const isCut = isSoon && legs.some((leg, place) => !known[place] && !sent.has(leg))
        const result = markedWith('analyze', resultOf(payload, closes))
        return { result: isCut ? { ...result, unfinished: true } : result, isNew: sent.size > 0 }
      },
    )
  }

  async #open({ exchange, product, symbol }: ClosePayload, userId: string): Promise<PositionRef[]> {
    return this.parts.sandbox.openPositions(userId, { symbol, exchange, product })
  }

  async #planOf(payload: ClosePayload, userId: string, refs: readonly PositionRef[]): Promise<ExecutionPlan> {
    const { ports, sandbox } = this.parts
    const open = await Promise.all(
      refs.map(async (ref) => ({ ...ref, ...(await sandbox.openPart(userId, ref)) })),
    )
    return planOfSimulated(open, payload, ports)
  }

  #withIds(executionPlan: ExecutionPlan): StoredPlan {
    const orderIds = executionPlan.plan.legs.flatMap(({ orders }) =>
      orders.map(() => this.parts.sandbox.newOrderId()),
    )
    return { ...executionPlan, orderIds }
  }

  /**
   * Returns the orders that closed a position; undefined when the sandbox has none of them. It stores all orders of one
   * position at once, so one that is missing beside another was not needed.
   */
  async #known(userId: string, { orders, problem }: StoredLeg): Promise<Pieces | undefined> {
    if (problem !== undefined)
      return [{ quantity: 0, outcome: { ok: false, ...refusal('refused', problem) } }]
    const found = await Promise.all(
      orders.map(async ({ order, orderId }) => {
        const outcome = await this.parts.sandbox.outcomeOf(userId, orderId)
        return outcome ? [{ quantity: order.quantity, outcome }] : []
      }),
    )
    const pieces = found.flat()
    return pieces.length === 0 ? undefined : pieces
  }

  /** Sends the orders of the unknown legs whose position still needs all of them, in one decision of the sandbox. */
  async #sendNeeded(
    legs: readonly StoredLeg[],
    known: readonly (Pieces | undefined)[],
    batch: Batch,
    { exchange: timer }: Asked,
  ): Promise<Map<StoredLeg, Pieces>> {
    const { clock, sandbox, slots, tools } = this.parts
    const { userId } = batch
    const left = legs.filter((_, place) => !known[place])
    const positions = ownPositions(0, batch, { clock, slots, tools })
    const needed = await positions.stillNeed(left.map(({ orders }) => orders.map(({ order }) => order)))
    const sent = left.filter((_, leg) => needed[leg])
    if (sent.length === 0) return new Map()
    const closes = sent.flatMap(({ orders }) =>
      orders.map(({ order, orderId }) => ({ orderId, order: toOrderRequest(order), closes: true })),
    )
    const outcomes = (await timer.send(() => sandbox.placeAll(userId, closes))).values()
    return new Map(
      sent.map((leg) => [
        leg,
        leg.orders.flatMap(({ order: { quantity } }) => {
          const { value: outcome } = outcomes.next()
          return outcome ? [{ quantity, outcome }] : []
        }),
      ]),
    )
  }
}

/** Returns the orders of each position of a stored plan, with their ids. */
function legsOf({ orderIds = [], plan }: StoredPlan): StoredLeg[] {
  const ids = orderIds.values()
  return plan.legs.map(({ orders, problem, shown }) => ({
    ref: refOf(shown),
    problem,
    orders: orders.flatMap(({ order }) => {
      const { value: orderId } = ids.next()
      return orderId === undefined ? [] : [{ orderId, order }]
    }),
  }))
}

function refOf({ symbol, exchange, product }: Shown): PositionRef {
  const known = ORDER_PRODUCTS.find((one) => one === product)
  if (!known) throw new Error(`a stored close of ${String(symbol)} has no product`)
  return { symbol: String(symbol), exchange: String(exchange), product: known }
}

function unsentOf({ orders }: StoredLeg): Pieces {
  return orders.map(({ order: { quantity } }) => ({
    quantity,
    outcome: { ok: false, code: 'unavailable', message: NOT_SENT },
  }))
}

function resultOf({ symbol }: ClosePayload, closes: readonly SimulatedClose[]): OrderResult {
  const isNamed = symbol !== undefined
  if (closes.length === 0 && isNamed) return refusal('not_found', `No open position found for ${symbol}`)
  return resultOfClose(closes.map(legOfSimulated), SIMULATED_CLOSE, isNamed)
}
