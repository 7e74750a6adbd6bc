import type { Money } from '../../money/index.js'
import type { Action } from '../../orders/schema.js'
import type { StopReason, StrategyOrderKind, StrategyOrderStatus, TickSource } from '../config/vocabulary.js'
import type { Contract, RunDefinition } from './definition.js'
import type { OrderUpdate } from './messages.js'

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
