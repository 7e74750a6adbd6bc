import type {
  LockMode,
  Position,
  ReentryExit,
  ReentryMode,
  RiskUnit,
  RunMode,
  RunTrigger,
  StrategyKind,
} from '../config/vocabulary.js'

/**
 * The definition of a run. Beside it are its inputs and effects (`messages.ts`), the rows that it stores (`records.ts`), and
 * the run itself (`types.ts`).
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
