import type { RowsFirst } from '../../storage/index.js'
import type { RunMode, RunTrigger, Signal, SignalNote } from '../config/vocabulary.js'
import type { EntryReport, ExitReport } from '../engine/messages.js'

export type { EntryReport, ExitReport } from '../engine/messages.js'

export interface StartedRun {
  runId: number
  mode: RunMode
  legs: readonly EntryReport[]
}

export interface StoppedRun {
  /** Null if nothing ran. */
  runId: number | null
  mode: RunMode
  /** True until fills prove that every position of the run is closed. */
  stopPending: boolean
  exits: readonly ExitReport[]
  /** The reason the broker or the sandbox refused exits; the run stays managed and the stop may be retried. */
  refused: string | null
  /** True for a reserved run: nothing was stopped. */
  isReserved?: true
}

/** An unfinished run that the service does not manage: a person must look at it. */
export interface ReservedRun {
  runId: number
  strategyId: number
  /** A sentence without its full stop. */
  reason: string
}

/** A run in memory, or a reserved one. */
export interface UnfinishedRun {
  runId: number
  state: 'running' | 'stop_pending' | 'reserved'
}

/** The word of a person who has closed the positions of a reserved run by hand. */
export interface RunRelease {
  by: string
  reason: string
  /** True if he says that the positions of the account, whatever they are, do not belong to the run. */
  positionsChecked: boolean
}

export interface ClosedLeg {
  runId: number
  mode: RunMode
  legId: number
  runStopped: boolean
  exits: readonly ExitReport[]
}

/** The request for a run, and its origin. */
export interface StartOrder {
  mode: RunMode
  trigger: RunTrigger
  webhookEventId?: number | undefined
  reviewed?: ReviewedStart | undefined
}

/** The facts that a person saw before the start. A start with other facts is refused. */
export interface ReviewedStart {
  /** The active broker. A run in the sandbox has no broker. */
  broker?: string | undefined
  /** The last change of the strategy, ISO 8601. */
  updated_at?: string | undefined
}

/** A signal for one leg of a signal strategy, whose configuration accepts it. */
export interface SignalOrder {
  legId: number
  signal: Signal
  /** The configuration that accepts it, as it is stored: a run does not open with another one. */
  configText?: string | undefined
  webhookEventId?: number | undefined
  /** The row of the call that brought it. It is durable before its orders leave, unless the signal only reduces. */
  first?: RowsFirst | undefined
}

export interface SignalledLeg {
  /** Null if nothing ran and the signal opened no run. */
  runId: number | null
  /** The reason the signal had no effect. */
  note: SignalNote | null
  /** The reason the signal was refused. */
  refused: string | null
}
