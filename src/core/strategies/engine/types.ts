import type { Money } from '../../money/index.js'
import type { Action } from '../../orders/schema.js'
import type {
  EventKind,
  ExitOwner,
  LegStatus,
  LockMode,
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
 * The interface of the engine: the definition of a run, its inputs and its effects.
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

/** The limits of a leg that its exchange and its account set. They may change while a run is open. */
export interface LegLimits {
  /** The moment at which a derivative leg is squared off because its contract expires. */
  squareOffAt: number | null
  /** The moment at which its contract ends: nobody can trade it from then on. */
  expiresAt?: number | null
  /**
   * Product MIS: the moment at which the broker or the sandbox closes the position itself. An exit from then on would open
   * the reverse.
   */
  intradayEndsAt?: number | null
  /** Intraday strategies: the close of its exchange on the day of the run. */
  closesAt?: number | null
  /** The largest order that the exchange accepts (its freeze quantity), in whole lots. */
  largestOrder?: number | null
}

/** A leg of a signal strategy that takes no part in a run. */
export interface UnusableLeg {
  legId: number
  why: string
}

/** A leg whose contract is resolved. */
export interface RunLeg extends Contract, LegLimits {
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
  /** `DD-MON-YY`. Null for shares. */
  expiry: string | null
  /** Units of the underlying in one unit of the quantity: amounts of money are multiplied by it. 1 if absent. */
  contractValue?: number
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
  unusable?: readonly UnusableLeg[]
  risk: RunRisk
  /** Rupees realised by the earlier runs of this session, for the daily loss limit. */
  earlierRealized: number
  /** The moment at which an intraday run is squared off. Null if the run has none. */
  exitAt: number | null
  /** The account at its broker, as the broker names it. Absent in the sandbox. */
  accountId?: string | undefined
  /** The owner of its strategy, once that was deleted. */
  ownerId?: string
  /** The Indian date of its start, `YYYY-MM-DD`. */
  date: string
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
  /**
   * The order was certainly not sent or not accepted. `stored` is false if its row could not be written. `sent` is false if
   * the broker never saw it.
   */
  | { outcome: 'refused'; reason: string; stored?: boolean; sent?: boolean }
  /** The entry waits for approval (semi-auto mode). It counts as working until an `order` input settles it. */
  | { outcome: 'queued' }
  /** The order may have been sent. It counts as working until an `order` input settles it. */
  | { outcome: 'unknown' }

/**
 * An input. `at` is the moment of the input; it goes back when the clock is set back. A request with a `request` id gets exactly one `reply`
 * effect with the same id, when the broker has answered for every order that the request placed.
 */
export type RunInput =
  | { type: 'start'; at: number; request?: string }
  | { type: 'signal'; legId: number; signal: Signal; at: number; request?: string }
  | { type: 'stop'; reason: StopReason; at: number; closeAll?: boolean; request?: string }
  | { type: 'close_leg'; legId: number; at: number; request?: string }
  | { type: 'ack'; orderId: string; at: number; ack: AckOutcome }
  /** The account that held the positions and orders of the run is gone: the run ends and sends nothing. */
  | { type: 'lost'; why: string; at: number }
  /** Somebody else has closed parts of positions: the run sends no exit for them. */
  | { type: 'closed_elsewhere'; closures: readonly Closure[]; at: number }
  | OrderUpdate
  | Tick
  | { type: 'feed'; symbol: string; exchange: string; source: TickSource; at: number }
  /**
   * Send it every five seconds, with the exchanges that are closed now. It retries exits and cancels, and acts on times
   * that have come.
   */
  | { type: 'retry'; at: number; closed?: ReadonlySet<string> }
  /** The limits of the legs as the calendar, the account and the exchanges have them now, by the id of the leg. */
  | { type: 'limits'; at: number; legs: ReadonlyMap<number, LegLimits> }
  /** The session of the run's broker is back: refused exits are tried again at once. */
  | { type: 'broker_back'; at: number }

/** The part of a position that somebody else has closed. */
export interface Closure {
  positionRef: string
  quantity: number
  /** The signed quantity of the contract and product that the account holds. */
  accountHolds: number
}

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
  /** True if nobody knows how the order ended. It counts as working until other news settle it. */
  isInDoubt?: boolean
  /** True if the service stopped before it sent the order: nobody refused it, so an exit is wanted as before. */
  isUnsent?: boolean
  at: number
}

export interface Tick extends Contract {
  type: 'tick'
  price: number
  /** True if the contract was last traded before its exchange opened. */
  isOld?: boolean
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
  action: Action
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

/** The state of one exit order, or of one position that cannot be exited yet. An accepted exit is not a filled one. */
export interface ExitReport {
  legId: number
  ok: boolean
  positionRef: string
  exitOwner: ExitOwner
  error: string | null
  symbol: string
  brokerOrderId: string | null
}

/** The outcome of the entry of one leg. */
export interface EntryReport {
  legId: number
  ok: boolean
  /** False while the broker's answer is in doubt, or while the entry waits for approval. */
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
  | {
      type: 'finished'
      reason: StopReason
      realized: Money
      /** The part of it that the run realised since the last 03:00. */
      sessionRealized: Money
      peak: Money
      trough: Money
      isAgain: boolean
    }
  /** A fill arrived after the end: the run is to be followed until it is flat again. */
  | { type: 'reopened'; at: number }
  /** Somebody else has closed this part of the position that the entry order opened. Cumulative. */
  | { type: 'closed_elsewhere'; orderId: string; quantity: number }
  /** Store a checkpoint with the change: it has a level that does not follow from the rows of the orders. */
  | { type: 'checkpoint' }
  | { type: 'reply'; request: string; reply: RunReply }

/** A stored order, for {@link StrategyRun.restore}. */
export interface RunOrderRow extends Contract {
  id: string
  legId: number
  kind: StrategyOrderKind
  positionRef: string
  action: Action
  quantity: number
  status: StrategyOrderStatus
  filledQuantity: number
  averagePrice: number | null
  brokerOrderId: string | null
  /** Of an entry: the part of its position that somebody else has closed. */
  closedElsewhere?: number
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
  /**
   * The news of the orders since their rows were written. Store them in the same transaction as the effects of the
   * restore: a fill has the same consequences as in a run that never stopped.
   */
  news?: readonly OrderUpdate[]
  /** The reason of the end of a run that is over. It only squares off fills that come late. */
  ended?: StopReason | null
  /** The exchanges that are closed at the restore. */
  closed?: ReadonlySet<string>
}

/** The levels of one position that do not follow from its orders. Plain JSON. */
export interface PositionCheckpoint {
  positionRef: string
  /** The most favourable price since the entry. */
  best: number | null
  trailStop: number | null
  isTrailArmed: boolean
  isStopAtEntry: boolean
  /** True once a signal wanted the position again after it had asked for its exit. */
  isExitTakenBack?: boolean
  /** The fills that the run knew. A restore adds them to a row that has less, and never takes any away. */
  orders: readonly { id: string; filledQuantity: number; averagePrice: number | null }[]
}

export interface LegCheckpoint {
  legId: number
  ltp: number | null
  /** The source of its prices, for readers of the checkpoint. A restored run ignores it. */
  source: TickSource
  /** True once a person closed the leg: it does not enter again. */
  isReentryOff: boolean
  positions: readonly PositionCheckpoint[]
}

/** The state of a run that the rows of its orders do not hold. Store it every five seconds while the run is unfinished. */
export interface Checkpoint {
  at: number
  realized: Money
  unrealized: Money
  total: Money
  peak: Money
  trough: Money
  /** The total in rupees at which the run began the session. Null or absent if the run began in it. */
  carried?: number | null
  isLockArmed: boolean
  lockFloor: Money | null
  isTrailToEntryActive: boolean
  /** Plain JSON. */
  legs: readonly LegCheckpoint[]
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
