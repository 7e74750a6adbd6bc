import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'

/** The reason why a trigger ends: a one-shot that fired, or an alert that expired. */
export type RetireReason = 'fired' | 'expired'

export interface RetirePorts {
  /** Deactivates the workflow of a trigger that has ended. */
  retire(workflowId: number, reason: RetireReason): void | Promise<void>
  log: Pick<Logger, 'error'>
}

/** Retires a trigger, and logs a failure. */
export async function retireSafely(
  ports: RetirePorts,
  workflowId: number,
  reason: RetireReason,
): Promise<void> {
  try {
    await ports.retire(workflowId, reason)
  } catch (error) {
    ports.log.error('flow.retire_failed', { workflowId, reason, error: messageOf(error) })
  }
}
