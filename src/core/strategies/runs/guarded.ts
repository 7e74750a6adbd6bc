import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'

/** Runs one part of the work on runs. A failure is logged and does not stop the other parts. Never rejects. */
export async function guarded(log: Logger, part: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.error('strategy_runs.failed', { part, error: messageOf(error) })
  }
}
