import type { ExitOwner, RunMode, RunTrigger, Signal, SignalNote, StopReason } from './config/vocabulary.js'

/** The outcome of the entry of one leg, when its order reached the broker or the sandbox. */
export interface StartedLeg {
  legId: number
  ok: boolean
  /** True once the broker or the sandbox accepted the order; false while it waits for an approval. */
  acknowledged: boolean
  symbol: string
  brokerOrderId: string | null
  error: string | null
}

/** The outcome of the exit of one position. An accepted exit is not a filled one. */
export interface StrategyExit {
  legId: number
  ok: boolean
  positionRef: string
  exitOwner: ExitOwner
  error: string | null
  symbol?: string
  brokerOrderId?: string | null
}

export interface StartedRun {
  runId: number
  mode: RunMode
  legs: readonly StartedLeg[]
}

export interface StoppedRun {
  /** Null if nothing ran. */
  runId: number | null
  /** True until fills prove that every position of the run is closed. */
  stopPending: boolean
  exits: readonly StrategyExit[]
  /** The reason the broker or the sandbox refused exits; the run stays managed and the stop may be retried. */
  refused: string | null
}

export interface ClosedLeg {
  runId: number
  legId: number
  runStopped: boolean
  exits: readonly StrategyExit[]
}

/** The request for a run, and its origin. */
export interface StartOrder {
  mode: RunMode
  trigger: RunTrigger
  webhookEventId?: number | undefined
}

/** A signal for one leg of a signal strategy, whose configuration accepts it. */
export interface SignalOrder {
  legId: number
  signal: Signal
  webhookEventId?: number | undefined
}

export interface SignalledLeg {
  /** Null if nothing ran and the signal opened no run. */
  runId: number | null
  /** The reason the signal had no effect. */
  note: SignalNote | null
  /** The reason the signal was refused. */
  refused: string | null
}

/**
 * The runs of strategies. Errors are `ServiceError`s with the texts the caller sees. A caller checks the owner
 * first: the methods trust the id.
 */
export interface StrategyRuns {
  /** Starts a batch strategy. @throws ServiceError `refused` for a signal strategy, `conflict` if it runs or the mode is not allowed */
  start(strategyId: number, order: StartOrder): Promise<StartedRun>
  /** Stores the stop, then closes every position of the run. @throws ServiceError `conflict` if nothing runs */
  stop(strategyId: number, reason: StopReason): Promise<StoppedRun>
  /** Acts on a signal by the position of its leg. The first entry of a session opens the run. */
  signal(strategyId: number, order: SignalOrder): Promise<SignalledLeg>
  /** Closes every position at the request of the operator; with nothing left the run ends. */
  closeAll(strategyId: number): Promise<StoppedRun>
  /** Closes the positions of one leg. @throws ServiceError `conflict` if nothing runs or the leg is not open */
  closeLeg(strategyId: number, legId: number): Promise<ClosedLeg>
  /** Stops the run, if there is one, after the webhook was locked. Undefined if nothing ran. Never throws for refused exits. */
  kill(strategyId: number): Promise<StoppedRun | undefined>
}
