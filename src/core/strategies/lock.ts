import type { StrategyCatalog } from './catalog/catalog.js'
import type { StoppedRun, StrategyRuns } from './ports.js'

/** The outcome of locking a webhook. */
export interface LockedStrategy {
  stopped: StoppedRun | undefined
  /** True once nothing is held: nothing ran, or every position is closed. */
  runStopped: boolean
  message: string
}

/**
 * Locks the webhook of a strategy, then stops its run. The lock is durable before the stop begins, so that no alert
 * starts the strategy again in between.
 */
export async function lockAndStop(
  catalog: StrategyCatalog,
  runs: StrategyRuns,
  userId: string,
  id: number,
): Promise<LockedStrategy> {
  const strategy = await catalog.lockWebhook(userId, id)
  const stopped = await runs.kill(id)
  const message = `Kill switch engaged${outcomeOf(stopped)}`
  await catalog.recordLock(strategy, stopped?.runId ?? null, message)
  const runStopped = stopped !== undefined && !stopped.stopPending && stopped.refused === null
  return { stopped, runStopped, message }
}

function outcomeOf(stopped: StoppedRun | undefined): string {
  if (!stopped) return ''
  if (stopped.refused !== null) return '; flatten refused, stop remains pending and retryable'
  return stopped.stopPending ? '; exit fills pending' : ' and open legs closed'
}
