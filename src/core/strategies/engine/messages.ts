import type { Money } from '../../money/index.js'
import type { Action } from '../../orders/schema.js'
import type {
  EventKind,
  ExitOwner,
  Severity,
  Signal,
  SignalNote,
  StopReason,
  StrategyOrderKind,
  StrategyOrderStatus,
  TickSource,
} from '../config/vocabulary.js'
import type { Contract, LegLimits } from './definition.js'

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
