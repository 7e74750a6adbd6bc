import type { Money } from '../../money/index.js'
import type {
  EventKind,
  ExitOwner,
  LegStatus,
  LockMode,
  OrderAction,
  Position,
  ReentryExit,
  ReentryMode,
  RiskUnit,
  RunMode,
  RunTrigger,
  Severity,
  Signal,
  SignalNote,
  StopReason,
  StrategyKind,
  StrategyOrderKind,
  StrategyOrderStatus,
  TickSource,
} from '../config/vocabulary.js'

/**
 * The seam of the engine: what a run is given, what it is told, and what it asks for.
 *
 * Prices are rupees in JavaScript numbers, as feeds and brokers send them. Amounts that a ledger stores are
 * {@link Money}. Times are milliseconds since 1970. Quantities are whole units (never lots).
 */

/** A contract on its exchange. */
export interface Contract {
  symbol: string
  exchange: string
}

/** The risk settings of one leg. A stop, target or trail of 0 or null is off. */
export interface LegRisk {
  unit: RiskUnit
  stop: number | null
  target: number | null
  trail: { x: number; y: number } | null
}

export interface Reentry {
  on: ReentryExit
  mode: ReentryMode
  /** The most entries after the first one. */
  max: number
}

/** A leg whose contract is resolved. */
export interface RunLeg extends Contract {
  id: number
  /** The side that the start opens. Null for a leg of a signal strategy: the signal says the side. */
  position: Position | null
  /** Units of an entry. */
  quantity: number
  /** The product of the leg's orders, translated for its exchange. */
  product: string
  risk: LegRisk
  /** Batch legs only. */
  reentry: Reentry | null
  /** The moment at which a derivative leg is squared off because its contract expires. */
  squareOffAt: number | null
}

export interface LockProfit {
  mode: LockMode
  ifProfitReaches: number
  lockProfit: number
  /** Null unless the mode is `lock_and_trail`. */
  trailStep: number | null
}

/** The risk settings of a whole run, in rupees. A limit of 0 or null is off. */
export interface RunRisk {
  overallStop: number | null
  overallTarget: number | null
  dailyLossLimit: number | null
  lockProfit: LockProfit | null
  trailToEntry: boolean
}

/** Everything that is fixed when a run starts. Plain JSON, so that it can be stored with the run. */
export interface RunDefinition {
  runId: number
  strategyId: number
  strategyName: string
  kind: StrategyKind
  mode: RunMode
  trigger: RunTrigger
  legs: readonly RunLeg[]
  risk: RunRisk
  /** Rupees realised by the earlier runs of this session, for the daily loss limit. */
  earlierRealized: number
  /** The moment at which an intraday run is squared off. Null if the run has none. */
  exitAt: number | null
}

/** Makes the references of orders and positions. Each call returns a new one. */
export interface IdMaker {
  /** The order reference. The dispatch uses it, so that an order is never sent twice. */
  order(): string
  /** 32 hexadecimal digits. */
  position(): string
}

/** The answer to the dispatch of one order. */
export type AckOutcome =
  | { outcome: 'accepted'; brokerOrderId: string | null }
  /** The order was certainly not sent or not accepted. `stored` is false if its row could not be written. */
  | { outcome: 'refused'; reason: string; stored?: boolean }
  /** The entry waits for approval (semi-auto mode). It counts as working until an `order` input settles it. */
  | { outcome: 'queued' }
  /** The order may have been sent. It counts as working until an `order` input settles it. */
  | { outcome: 'unknown' }

/**
 * An input. `at` is the moment of the input and never decreases. A request with a `request` id gets exactly one `reply`
 * effect with the same id, when the broker has answered for every order that the request placed.
 */
export type RunInput =
  | { type: 'start'; at: number; request?: string }
  | { type: 'signal'; legId: number; signal: Signal; at: number; request?: string }
  | { type: 'stop'; reason: StopReason; at: number; closeAll?: boolean; request?: string }
  | { type: 'close_leg'; legId: number; at: number; request?: string }
  | { type: 'ack'; orderId: string; at: number; ack: AckOutcome }
  | OrderUpdate
  | Tick
  | { type: 'feed'; symbol: string; exchange: string; source: TickSource; at: number }
  /** Send it every five seconds. It retries exits and cancels, and acts on times that have come. */
  | { type: 'retry'; at: number }

/** The news of one order. The quantity is cumulative. */
export interface OrderUpdate {
  type: 'order'
  orderId: string
  status: StrategyOrderStatus
  /** Null if the news has no quantity: a complete order is then filled in full. */
  filledQuantity: number | null
  averagePrice: number | null
  brokerOrderId?: string | null
  /** The reason of a rejection or cancellation. */
  reason?: string | null
  at: number
}

export interface Tick extends Contract {
  type: 'tick'
  price: number
  at: number
}

/** An order to send: always at market. */
export interface RunOrder extends Contract {
  /** The order reference, made before the dispatch. */
  id: string
  legId: number
  kind: StrategyOrderKind
  positionRef: string
  /** Null for an entry. */
  exitOwner: ExitOwner | null
  action: OrderAction
  quantity: number
  product: string
}

export interface RunEvent {
  kind: EventKind
  severity: Severity
  legId: number | null
  message: string
  payload: Readonly<Record<string, unknown>> | null
}

/** The state of one exit order or of one position that cannot be exited yet. */
export interface ExitReport {
  legId: number
  ok: boolean
  positionRef: string
  exitOwner: ExitOwner
  error: string | null
  symbol: string
  brokerOrderId: string | null
}

export interface EntryReport {
  legId: number
  ok: boolean
  /** False while the broker's answer is in doubt. */
  acknowledged: boolean
  symbol: string
  brokerOrderId: string | null
  error: string | null
}

/** The result of a request, when the broker has answered for every order it placed. */
export interface RunReply {
  ok: boolean
  /** The reason an accepted signal has no effect. */
  note: SignalNote | null
  error: string | null
  /** True if a stop is requested and a position or a working order is left. */
  stopPending: boolean
  entries: readonly EntryReport[]
  exits: readonly ExitReport[]
}

/**
 * An effect. The caller first stores, in one transaction, everything that one {@link RunInput} asks to store (the rows of
 * the orders, the stop intent, the events, the end), then dispatches the orders and cancels in their order.
 */
export type RunEffect =
  | { type: 'place'; order: RunOrder }
  | { type: 'cancel'; orderId: string }
  | { type: 'event'; event: RunEvent }
  | { type: 'watch' | 'unwatch'; symbol: string; exchange: string }
  /** Only the first stop of a run is reported. */
  | { type: 'stop_requested'; reason: StopReason; at: number }
  /**
   * The run is flat and over. It comes a second time, with `isAgain`, when a fill that arrived after the end was squared
   * off: only the amounts differ then.
   */
  | { type: 'finished'; reason: StopReason; realized: Money; peak: Money; trough: Money; isAgain: boolean }
  /** Store a checkpoint soon: it has a level that the rows of the orders do not tell. */
  | { type: 'checkpoint' }
  | { type: 'reply'; request: string; reply: RunReply }

/** A stored order, for {@link StrategyRun.restore}. */
export interface RunOrderRow extends Contract {
  id: string
  legId: number
  kind: StrategyOrderKind
  positionRef: string
  action: OrderAction
  quantity: number
  status: StrategyOrderStatus
  filledQuantity: number
  averagePrice: number | null
  brokerOrderId: string | null
}

/** The stored facts of a run. */
export interface RunRecord {
  definition: RunDefinition
  /** The reason of the first stop request. Null if none was stored. */
  stopRequested: StopReason | null
  /** Oldest first. */
  rows: readonly RunOrderRow[]
  /** The newest checkpoint. Null if there is none. */
  checkpoint: Checkpoint | null
}

/** The levels of one position that its orders do not tell. Plain JSON. */
export interface PositionCheckpoint {
  positionRef: string
  /** The most favourable price since the entry. */
  best: number | null
  trailStop: number | null
  isTrailArmed: boolean
  isStopAtEntry: boolean
  /** The fills of orders that the run knew: they promote a working row, and never demote one. */
  orders: readonly { id: string; filledQuantity: number; averagePrice: number | null }[]
}

export interface LegCheckpoint {
  legId: number
  ltp: number | null
  /** The source of its prices, for those who read the checkpoint. A restored run finds it again. */
  source: TickSource
  /** True once a person closed the leg: it does not enter again. */
  isReentryOff: boolean
  positions: readonly PositionCheckpoint[]
}

/** What survives a crash besides the rows of the orders. Store it every five seconds while the run is unfinished. */
export interface Checkpoint {
  at: number
  realized: Money
  unrealized: Money
  total: Money
  peak: Money
  trough: Money
  isLockArmed: boolean
  lockFloor: Money | null
  isTrailToEntryActive: boolean
  /** Plain JSON. */
  legs: readonly LegCheckpoint[]
}

/** The end of a restore. */
export interface Restored {
  /**
   * `resumed`: the run goes on. `finished`: it was flat and is over. `reserved`: the orders cannot be turned into
   * positions, so the run stays open for a person and nothing is in memory. `failed`: the rows are unusable and hold no
   * fill, so the run is over with reason `recovery_failed`.
   */
  outcome: 'resumed' | 'finished' | 'reserved' | 'failed'
  /** The run, if it is `resumed` or `finished`. */
  run: Run | null
  effects: readonly RunEffect[]
}

/**
 * One run in memory (`StrategyRun.start`, `StrategyRun.restore`). Synchronous: the caller queues the inputs of a run and
 * applies them one at a time.
 */
export interface Run {
  readonly definition: RunDefinition
  /** Applies an input. Never throws: an input that does not concern the run has no effect. */
  apply(input: RunInput): readonly RunEffect[]
  readonly state: RunSnapshot['state']
  /** The contracts whose ticks concern the run now. `watch` and `unwatch` effects report each change. */
  readonly symbols: readonly Contract[]
  /** Builds the view that clients get. */
  snapshot(): RunSnapshot
  checkpoint(at: number): Checkpoint
  /** The exits of the positions that are not flat: the body of the answer to a stop. */
  exits(): readonly ExitReport[]
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
