import type { Money } from '../../../money/index.js'
import type {
  EventKind,
  RunMode,
  RunTrigger,
  Severity,
  StopReason,
  StrategyOrderStatus,
  StrategyProduct,
} from '../../config/index.js'
import type { RunOrder } from '../../engine/messages.js'
import type { RunOrderRow } from '../../engine/records.js'
import type { SavedCheckpoint } from './checkpoint-store.js'

/** The facts of a run that is about to begin. */
export interface NewRun {
  strategyId: number
  /** The stored configuration that its legs were resolved from. */
  config: string
  mode: RunMode
  broker: string
  trigger: RunTrigger
  webhookEventId: number | undefined
  expiries: Readonly<Record<string, string>>
  at: number
}

/** The reason a claim fails, although the checks before it passed. */
export type ClaimRefusal = 'gone' | 'running' | 'changed' | 'not_live' | 'locked'

/** An event of a run before it is stored. */
export interface NewRunEvent {
  strategyId: number
  runId: number
  userId: string
  ts: number
  kind: EventKind
  severity: Severity
  legId: number | null
  message: string
  payload: Readonly<Record<string, unknown>> | null
}

/** News about one order. An absent member keeps its value. */
export interface OrderRowChange {
  orderRef: string
  status: StrategyOrderStatus
  filledQuantity: number
  averagePrice: number | null
  orderId: string | null
  reason: string | null
  pendingOrderId?: number | undefined
}

/** The part of a position that somebody else has closed, of all its units. */
export interface StoredClosure {
  orderRef: string
  quantity: number
}

/** The end of a run. */
export interface RunEnd {
  reason: StopReason
  realized: Money
  /** The part of it that the run realised since the last 03:00. Absent if that is not known: then all of it counts. */
  sessionRealized?: Money
  peak: Money
  trough: Money
}

/** Everything that one input of a run stores, in one transaction. */
export interface RunWrite {
  strategyId: number
  runId: number
  at: number
  orders: readonly RunOrder[]
  changes: readonly OrderRowChange[]
  /** The parts of positions that somebody else has closed, by the reference of the entry. */
  closures: readonly StoredClosure[]
  events: readonly NewRunEvent[]
  stop: { reason: StopReason; at: number } | null
  end: RunEnd | null
  /** The time of a fill that came after the end. */
  reopenedAt: number | null
  checkpoint: SavedCheckpoint | null
  /** Why a person must look at the run from now on. */
  reservedReason?: string | undefined
}

/** A stored order with its run and the request of the approval queue that it waits in. */
export interface StoredOrder extends RunOrderRow {
  runId: number
  product: StrategyProduct
  pendingOrderId: number | null
}
