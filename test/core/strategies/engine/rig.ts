import type { StopReason } from '../../../../src/core/strategies/config/vocabulary.js'
import type { RunDefinition, RunLeg, RunRisk } from '../../../../src/core/strategies/engine/definition.js'
import { type IdMaker, StrategyRun } from '../../../../src/core/strategies/engine/index.js'
import type {
  AckOutcome,
  OrderUpdate,
  RunEffect,
  RunEvent,
  RunInput,
  RunOrder,
  RunReply,
} from '../../../../src/core/strategies/engine/messages.js'
import type { Checkpoint, RunOrderRow } from '../../../../src/core/strategies/engine/records.js'
import type { Restored, Run } from '../../../../src/core/strategies/engine/types.js'

/** A leg of 75 NIFTY calls that a batch run buys, without risk levels. */
export function leg(more: Partial<RunLeg> = {}): RunLeg {
  return {
    id: 1,
    symbol: 'NIFTY28NOV2624000CE',
    exchange: 'NFO',
    position: 'B',
    quantity: 75,
    product: 'NRML',
    risk: { unit: 'points', stop: null, target: null, trail: null },
    reentry: null,
    squareOffAt: null,
    expiry: null,
    ...more,
  }
}

export const NO_RISK: RunRisk = {
  overallStop: null,
  overallTarget: null,
  dailyLossLimit: null,
  lockProfit: null,
  trailToEntry: false,
}

export function definition(more: Partial<RunDefinition> = {}): RunDefinition {
  return {
    runId: 31,
    strategyId: 7,
    strategyName: 'Straddle',
    kind: 'batch',
    mode: 'sandbox',
    trigger: 'manual',
    legs: [leg()],
    risk: NO_RISK,
    earlierRealized: 0,
    exitAt: null,
    date: '2026-11-20',
    ...more,
  }
}

/** Counts the references up, so that a test can name them. */
export function counted(): IdMaker {
  let [orders, positions] = [0, 0]
  return {
    order: () => `o${++orders}`,
    position: () => `p${++positions}`,
  }
}

/**
 * A run with what its caller keeps: the rows of the orders, the stop intent and the effects so far. It dispatches
 * nothing by itself: the test answers for the broker.
 */
export class Rig {
  run: Run
  readonly rows = new Map<string, RunOrderRow>()
  readonly ids: IdMaker
  effects: RunEffect[] = []
  stopRequested: StopReason | null = null
  ended: StopReason | null = null
  at = 1_000
  /** By how much the clock was set forward or back. */
  #stepped = 0

  constructor(
    readonly definition: RunDefinition,
    ids: IdMaker = counted(),
  ) {
    this.ids = ids
    this.run = StrategyRun.start(definition, this.ids, this.at)
  }

  /** Applies an input and returns its effects. */
  send(
    input: RunInput extends infer I ? (I extends RunInput ? Omit<I, 'at'> : never) : never,
  ): readonly RunEffect[] {
    const effects = this.run.apply({ ...input, at: this.at } as RunInput, this.#elapsed)
    this.keep(effects)
    return effects
  }

  /** Sets the clock forward or back. No time passes. */
  step(ms: number): void {
    this.at += ms
    this.#stepped += ms
  }

  start(request?: string): readonly RunEffect[] {
    return this.send({ type: 'start', ...(request === undefined ? {} : { request }) })
  }

  tick(price: number, symbol = 'NIFTY28NOV2624000CE', exchange = 'NFO'): readonly RunEffect[] {
    return this.send({ type: 'tick', symbol, exchange, price })
  }

  retry(afterMs = 5_000): readonly RunEffect[] {
    this.at += afterMs
    return this.send({ type: 'retry' })
  }

  ack(
    orderId: string,
    ack: AckOutcome = { outcome: 'accepted', brokerOrderId: `b-${orderId}` },
  ): readonly RunEffect[] {
    const row = this.rows.get(orderId)
    const isWorking = row?.status === 'pending' || row?.status === 'open'
    if (row && isWorking && ack.outcome === 'accepted') {
      this.rows.set(orderId, { ...row, status: 'open', brokerOrderId: ack.brokerOrderId })
    }
    if (row && isWorking && ack.outcome === 'refused' && row.filledQuantity === 0) {
      this.rows.set(orderId, { ...row, status: 'rejected' })
    }
    return this.send({ type: 'ack', orderId, ack })
  }

  refuse(orderId: string, reason = 'margin'): readonly RunEffect[] {
    return this.ack(orderId, { outcome: 'refused', reason })
  }

  /** Reports a fill: cumulative, complete if it is the whole quantity. */
  fill(orderId: string, price: number, filled?: number): readonly RunEffect[] {
    const quantity = this.rows.get(orderId)?.quantity ?? 0
    const filledQuantity = filled ?? quantity
    return this.update(orderId, filledQuantity === quantity ? 'complete' : 'open', filledQuantity, price)
  }

  update(
    orderId: string,
    status: RunOrderRow['status'],
    filledQuantity: number | null = 0,
    averagePrice: number | null = null,
    reason: string | null = null,
  ): readonly RunEffect[] {
    const row = this.rows.get(orderId)
    if (row) this.rows.set(orderId, changed(row, status, filledQuantity, averagePrice))
    return this.send({ type: 'order', orderId, status, filledQuantity, averagePrice, reason })
  }

  /** Accepts and fills every order that works. */
  fillAll(price: number): void {
    for (const { id, status } of [...this.rows.values()]) {
      if (status !== 'pending' && status !== 'open') continue
      this.ack(id)
      this.fill(id, price)
    }
  }

  /** Tells that nobody knows how an order ended. */
  doubt(orderId: string, filledQuantity = 0): readonly RunEffect[] {
    const averagePrice = filledQuantity > 0 ? 100 : null
    return this.send({
      type: 'order',
      orderId,
      status: 'pending',
      filledQuantity,
      averagePrice,
      isInDoubt: true,
    })
  }

  /** Tells that somebody else has closed a part of a position. */
  closeElsewhere(positionRef: string, quantity: number, accountHolds = 0): readonly RunEffect[] {
    return this.send({ type: 'closed_elsewhere', closures: [{ positionRef, quantity, accountHolds }] })
  }

  /** Forgets the run and builds it again from what was stored, and from the news of its orders since. */
  crash(
    checkpoint: Checkpoint | null = this.run.checkpoint(this.at),
    news: readonly Omit<OrderUpdate, 'type' | 'at'>[] = [],
    closed: ReadonlySet<string> = new Set(),
  ): Restored {
    const { definition, ended, stopRequested } = this
    const record = {
      definition,
      stopRequested,
      rows: [...this.rows.values()],
      checkpoint,
      news: news.map((one) => ({ ...one, type: 'order' as const, at: this.at })),
      ended,
      closed,
    }
    for (const { orderId, status, filledQuantity, averagePrice } of news) {
      const row = this.rows.get(orderId)
      if (row) this.rows.set(orderId, changed(row, status, filledQuantity, averagePrice))
    }
    const restored = StrategyRun.restore(record, this.ids, this.at, this.#elapsed)
    this.effects = []
    this.keep(restored.effects)
    if (restored.run) this.run = restored.run
    return restored
  }

  get #elapsed(): number {
    return this.at - this.#stepped
  }

  keep(effects: readonly RunEffect[]): void {
    for (const effect of effects) {
      this.effects.push(effect)
      if (effect.type === 'place') this.rows.set(effect.order.id, rowOf(effect.order))
      if (effect.type === 'stop_requested') this.stopRequested = effect.reason
      if (effect.type === 'closed_elsewhere') {
        const row = this.rows.get(effect.orderId)
        if (row) this.rows.set(effect.orderId, { ...row, closedElsewhere: effect.quantity })
      }
      if (effect.type === 'finished') this.ended = effect.reason
    }
  }
}

function rowOf(order: RunOrder): RunOrderRow {
  const { id, legId, kind, positionRef, symbol, exchange, action, quantity } = order
  return {
    id,
    legId,
    kind,
    positionRef,
    symbol,
    exchange,
    action,
    quantity,
    status: 'pending',
    filledQuantity: 0,
    averagePrice: null,
    brokerOrderId: null,
  }
}

/** Changes a row as a store does: fills only grow, and an ended row stays ended unless it completes. */
function changed(
  row: RunOrderRow,
  status: RunOrderRow['status'],
  filled: number | null,
  price: number | null,
): RunOrderRow {
  const filledQuantity = status === 'complete' && !filled ? row.quantity : (filled ?? 0)
  const grows = filledQuantity > row.filledQuantity
  const isOver = row.status !== 'pending' && row.status !== 'open'
  const total = grows ? filledQuantity : row.filledQuantity
  return {
    ...row,
    status: total >= row.quantity ? 'complete' : isOver || status === 'pending' ? row.status : status,
    filledQuantity: total,
    averagePrice: grows ? price : row.averagePrice,
  }
}

export const placed = (effects: readonly RunEffect[]): RunOrder[] =>
  effects.flatMap((one) => (one.type === 'place' ? [one.order] : []))

export const events = (effects: readonly RunEffect[]): RunEvent[] =>
  effects.flatMap((one) => (one.type === 'event' ? [one.event] : []))

export const kinds = (effects: readonly RunEffect[]): string[] => events(effects).map(({ kind }) => kind)

export const replies = (effects: readonly RunEffect[]): RunReply[] =>
  effects.flatMap((one) => (one.type === 'reply' ? [one.reply] : []))

export const finished = (effects: readonly RunEffect[]) =>
  effects.flatMap((one) => (one.type === 'finished' ? [one] : []))
