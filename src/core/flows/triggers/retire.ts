import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'

/** Why a trigger is spent: a one-shot that ran, or an alert whose time is over. */
export type RetireReason = 'fired' | 'expired'

export interface RetirePorts {
  /** The trigger is gone for good: its workflow is to be deactivated. */
  retire(workflowId: number, reason: RetireReason): void | Promise<void>
  log: Pick<Logger, 'error'>
}

/** Tells the owner that a trigger is spent; a failure of that is told in turn. */
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
