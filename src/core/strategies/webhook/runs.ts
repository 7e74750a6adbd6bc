import type { RunMode, Signal, SignalNote } from '../config/vocabulary.js'
import type { ExitReport } from '../engine/messages.js'
import type { RunService } from '../runs/index.js'
import type { StoppedRun } from '../runs/schema.js'
import type { StrategyHistory } from '../store/history-store.js'
import type { WebhookCallRow } from '../store/webhook-event-store.js'
import type { WebhookStrategy } from './strategies.js'

interface StopOutcome {
  /** False if the broker refused an exit: the run stays managed. */
  readonly ok: boolean
  /** Undefined if nothing ran. */
  readonly runId?: number | undefined
  readonly stopPending: boolean
  readonly exits: readonly ExitReport[]
  readonly message?: string | undefined
}

type SignalOutcome =
  | { readonly ok: true; readonly note?: SignalNote | undefined; readonly runId?: number | undefined }
  | { readonly ok: false; readonly message?: string | undefined }

const NOTHING_RAN: StopOutcome = { ok: true, stopPending: false, exits: [] }

/**
 * The runs of strategies as the webhook uses them: a stop while nothing runs is no error there. A function that throws has
 * started nothing, so the sender may repeat the delivery.
 */
export class WebhookRuns {
  constructor(
    private readonly runs: Pick<RunService, 'start' | 'stop' | 'signal' | 'needsStop'>,
    private readonly history: Pick<StrategyHistory, 'isRunning'>,
  ) {}

  start(strategyId: number, mode: RunMode, webhookEventId: number | undefined): Promise<{ runId: number }> {
    return this.runs.start(strategyId, { mode, trigger: 'webhook', webhookEventId })
  }

  async stop(strategyId: number): Promise<StopOutcome> {
    try {
      return outcomeOf(await this.runs.stop(strategyId, 'manual'))
    } catch (error) {
      // Only the database says that nothing runs: any other refusal must not look like a stop.
      if (await this.history.isRunning(strategyId)) throw error
      return NOTHING_RAN
    }
  }

  /** Returns whether a run is open, or is about to open, that nobody has stopped yet. */
  needsStop(strategyId: number): boolean {
    return this.runs.needsStop(strategyId)
  }

  async signal(
    { configText, id: strategyId }: Pick<WebhookStrategy, 'configText' | 'id'>,
    legId: number,
    signal: Signal,
    { first, id: webhookEventId }: WebhookCallRow,
  ): Promise<SignalOutcome> {
    const { note, refused, runId } = await this.runs.signal(strategyId, {
      legId,
      signal,
      configText,
      webhookEventId,
      first,
    })
    return refused === null
      ? { ok: true, note: note ?? undefined, runId: runId ?? undefined }
      : { ok: false, message: refused }
  }
}

function outcomeOf({ exits, refused, runId, stopPending }: StoppedRun): StopOutcome {
  const facts = { runId: runId ?? undefined, stopPending, exits }
  return refused === null ? { ok: true, ...facts } : { ok: false, ...facts, message: refused }
}
