import type { StrategyCatalog } from './catalog/catalog.js'
import type { Strategy } from './catalog/strategy.js'
import type { RunService } from './runs/index.js'
import type { StoppedRun } from './runs/schema.js'

/** The outcome of locking a webhook. */
export interface LockedStrategy {
  stopped: StoppedRun | undefined
  /** True if a run was stopped and holds nothing any more. False if nothing ran. */
  runStopped: boolean
  message: string
}

/**
 * Locks the webhook of a strategy, then stops its run. The lock is durable before the stop begins, so that no alert
 * starts the strategy again in between.
 */
export async function lockAndStop(
  catalog: StrategyCatalog,
  runs: Pick<RunService, 'kill'>,
  userId: string,
  id: number,
): Promise<LockedStrategy> {
  return stopLocked(catalog, runs, await catalog.lockWebhook(userId, id))
}

/**
 * Completes the locks that a crash interrupted: stops each run and records the lock. The service calls it at its start,
 * once the runs are recovered.
 */
export async function completeLocks(catalog: StrategyCatalog, runs: Pick<RunService, 'kill'>): Promise<void> {
  for (const strategy of await catalog.unrecordedLocks()) await stopLocked(catalog, runs, strategy)
}

async function stopLocked(
  catalog: StrategyCatalog,
  runs: Pick<RunService, 'kill'>,
  strategy: Strategy,
): Promise<LockedStrategy> {
  const stopped = await runs.kill(strategy.id)
  const message = `Kill switch engaged${outcomeOf(stopped)}`
  await catalog.recordLock(strategy, stopped?.runId ?? null, message)
  const runStopped = stopped !== undefined && !stopped.stopPending && stopped.refused === null
  return { stopped, runStopped, message }
}

function outcomeOf(stopped: StoppedRun | undefined): string {
  if (!stopped) return ''
  if (stopped.isReserved) return `; nothing was stopped. ${stopped.refused}`
  if (stopped.refused !== null) return '; flatten refused, stop remains pending and retryable'
  return stopped.stopPending ? '; exit fills pending' : ' and open legs closed'
}
