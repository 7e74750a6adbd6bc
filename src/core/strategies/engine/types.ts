import type {
  LegStatus,
  Position,
  StopReason,
  StrategyOrderKind,
  StrategyOrderStatus,
  TickSource,
} from '../config/vocabulary.js'
import type { Contract, RunDefinition } from './definition.js'
import type { ExitReport, RunEffect, RunInput } from './messages.js'
import type { Checkpoint } from './records.js'

/** Makes the references of orders and positions. Each call returns a new one. */
export interface IdMaker {
  /** The order reference. The dispatch uses it, so that an order is never sent twice. */
  order(): string
  /** 32 hexadecimal digits. */
  position(): string
}

/**
 * One run in memory (`StrategyRun.start`, `StrategyRun.restore`). Synchronous: the caller queues the inputs of a run and
 * applies them one at a time.
 */
export interface Run {
  readonly definition: RunDefinition
  /**
   * Applies an input. Never throws: an input that does not concern the run has no effect.
   * @param elapsed the monotonic reading of the moment, for durations; in a replay, which has no other clock, the moment itself
   */
  apply(input: RunInput, elapsed?: number): readonly RunEffect[]
  readonly state: RunSnapshot['state']
  /** The contracts whose ticks concern the run now. `watch` and `unwatch` effects report each change. */
  readonly symbols: readonly Contract[]
  /** Builds the view that clients get. */
  snapshot(): RunSnapshot
  checkpoint(at: number): Checkpoint
  /** The positions that the run counts on. */
  readonly claims: readonly Claim[]
  /** The positions of which it knows no held unit while an order of them works. */
  readonly opening: readonly Claim[]
  /**
   * Returns how the purchases of the start stand, for a sale of the same start. Undefined if each has filled, at least in part,
   * and for any other order.
   */
  hedgeOf(orderRef: string): Hedge | undefined
  /** Returns a position that exits of the run have closed; undefined while it is held or an order of it works. */
  closed(positionRef: string): Claim | undefined
  /** The references of the orders that may still trade. */
  readonly workingOrders: readonly string[]
  /** True if the broker has had an order for some seconds and has not reported its end. */
  readonly isWaitingForBroker: boolean
  /** The orders whose outcome nobody knows. */
  readonly ordersInDoubt: readonly string[]
  /** The exits of the positions that are not flat: the body of the answer to a stop. */
  exits(): readonly ExitReport[]
}

/** A position that a run counts on, with the orders whose fills made it. */
export interface Claim extends Contract {
  positionRef: string
  legId: number
  product: string
  /** Signed units: negative for a short position. */
  quantity: number
  /** The units that the run has given up, because somebody else has closed them. */
  closedElsewhere: number
  orders: readonly ClaimOrder[]
}

/**
 * Purchases that a sale of the same start should not stand without. `missing`: one ended without a fill. `waiting`: one has not
 * left, or nobody knows whether it has. `open`: one is at the broker, without a fill yet.
 */
export type Hedge = 'missing' | 'waiting' | 'open'

export interface ClaimOrder {
  /** The order reference. */
  id: string
  filled: number
  /** True while nobody knows whether the broker has the order, or how it ended. */
  isInDoubt: boolean
}

/** One leg as clients see it. Amounts and prices are rupees. */
export interface LegSnapshot extends Contract {
  legId: number
  /** The side that is held or was held last. Null before the first entry of a signal leg. */
  position: Position | null
  /** Units held by the live position. */
  quantity: number
  status: LegStatus
  /** The state of the newest entry order. */
  entryStatus: StrategyOrderStatus | null
  /** The kind of the exit that is under way or was last. */
  exitKind: StrategyOrderKind | null
  ltp: number | null
  entryAverage: number | null
  mtm: number
  realized: number
  effectiveStop: number | null
  effectiveTarget: number | null
  isTrailActive: boolean
  favorablePoints: number
  tickSource: TickSource
  /** Units still held by the outgoing sides of flips. */
  outgoingQuantity: number
  /** True if the leg waits for the price at which it enters again. */
  isWaitingToReenter: boolean
}

/** A run as clients see it. Amounts are rupees. */
export interface RunSnapshot {
  runId: number
  strategyId: number
  state: 'running' | 'stop_pending' | 'finished'
  stopReason: StopReason | null
  realized: number
  unrealized: number
  total: number
  peak: number
  trough: number
  isLockArmed: boolean
  lockFloor: number | null
  isTrailToEntryActive: boolean
  /** True if a held leg has no streamed price. */
  isTickSourceDegraded: boolean
  /** True if a fill has no price, so that the amounts are incomplete. */
  isPartial: boolean
  legs: readonly LegSnapshot[]
}

/** The outcome of a restore. */
export interface Restored {
  /**
   * `resumed`: the run goes on. `finished`: it was flat and is over. `ended`: it was over before. `reserved`: the orders cannot be turned into
   * positions, so the run stays open for a person and nothing is in memory. `failed`: the rows are unusable and hold no
   * fill, so the run is over with reason `recovery_failed`.
   */
  outcome: 'resumed' | 'finished' | 'ended' | 'reserved' | 'failed'
  /** The run, unless it is `reserved` or `failed`. */
  run: Run | null
  effects: readonly RunEffect[]
}
