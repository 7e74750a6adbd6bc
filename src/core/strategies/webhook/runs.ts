import type { StoppedRun, StrategyRuns } from '../ports.js'
import type { StopOutcome, WebhookRuns } from './ports.js'

interface RunParts {
  runs: Pick<StrategyRuns, 'start' | 'stop' | 'signal' | 'needsStop'>
  isRunning(strategyId: number): Promise<boolean>
}

const NOTHING_RAN: StopOutcome = { ok: true, stopPending: false, exits: [] }

/** Returns the runs of strategies as the webhook uses them: a stop while nothing runs is no error there. */
export function webhookRuns({ isRunning, runs }: RunParts): WebhookRuns {
  return {
    start: (strategyId, mode, webhookEventId) =>
      runs.start(strategyId, { mode, trigger: 'webhook', webhookEventId }),
    stop: async (strategyId) => {
      try {
        return outcomeOf(await runs.stop(strategyId, 'manual'))
      } catch (error) {
        // Only the database says that nothing runs: any other refusal must not look like a stop.
        if (await isRunning(strategyId)) throw error
        return NOTHING_RAN
      }
    },
    needsStop: (strategyId) => runs.needsStop(strategyId),
    signal: async (strategyId, legId, signal, { first, id: webhookEventId }) => {
      const order = { legId, signal, webhookEventId, first }
      const { note, refused, runId } = await runs.signal(strategyId, order)
      return refused === null
        ? { ok: true, note: note ?? undefined, runId: runId ?? undefined }
        : { ok: false, message: refused }
    },
  }
}

function outcomeOf({ exits, refused, runId, stopPending }: StoppedRun): StopOutcome {
  const facts = { runId: runId ?? undefined, stopPending, exits }
  return refused === null ? { ok: true, ...facts } : { ok: false, ...facts, message: refused }
}
