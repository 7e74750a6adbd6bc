import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { BY_HAND, RESTORED } from '../../core/backup/index.js'
import { messageOf, serviceErrorIn } from '../../core/errors/index.js'
import { mayHaveRun } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import { istStamp } from '../../core/time/index.js'
import type { Service } from '../service.js'
import { endAgain } from './ended-since.js'

const restored = z.object({
  id: z.string(),
  created_at: z.string(),
  /** The folder of the home with the databases of before, if the restore has set some aside. */
  set_aside: z.string().optional(),
})

/**
 * Turns the kill switch on in a home that was restored. The service does not know the orders sent after the backup
 * was made: an approval, a workflow or a retry could send one of them a second time. An order that was not sent yet at
 * the moment of the backup may have been sent since, so it counts as one in flight: the recovery searches for it. The live
 * runs of strategies are reserved for the same reason, and the workflows that may have run since become inactive. Access
 * that was ended since must not come back: all sessions, links of a password reset and grants of assistants end, and so do
 * tokens and chats as far as the databases of before know of their end. Runs before the recovery and before anything can
 * send an order.
 */
export async function honourRestore(service: Service, home: string): Promise<void> {
  const file = join(home, RESTORED)
  if (!existsSync(file)) return
  const { approvals, bus, clock, flows, identity, journal, log, mcp, risk, strategyRuns } = service
  const mark = restored.parse(JSON.parse(readFileSync(file, 'utf8')))
  const waiting = approvals.pending
  const flowsHeld = mayHaveRun(flows.workflows.list(), clock.now())
  const reason = restoredReason(mark, waiting, flowsHeld.repeatable, risk.killSwitch.reason)
  log.warn('backup.restored', { ...mark, waiting, workflows: flowsHeld.repeatable })
  await risk.setKillSwitch(true, reason, 'svc restore')
  bus.publish('kill_switch', { engaged: true, reason, by: 'svc restore' })
  const unsent = await journal.inState('claimed')
  await journal.moveAll(unsent.map(({ orderRef }) => ({ orderRef, to: 'sending' })))
  const done = await Promise.all([
    isDone(flows.workflows.holdBack(flowsHeld), 'backup.workflows_not_held', log),
    strategyRuns.reserveRestored(
      mark.id === BY_HAND ? 'a copy that was put back by hand' : `the backup of ${mark.created_at}`,
    ),
    isDone(mcp.killAll('restored'), 'backup.assistants_not_ended', log),
    isDone(identity.sessions.revokeAll(), 'backup.sessions_not_ended', log),
    isDone(identity.passwords.endResets(), 'backup.resets_not_ended', log),
    mark.set_aside === undefined || endAccess(service, join(home, mark.set_aside, 'svc.db')),
  ])
  // While the disk refuses to store one of them, or the kill switch, the next start must do it again.
  if (risk.killSwitchStored && done.every((one) => one)) rmSync(file)
}

/**
 * Ends what was ended since the backup. Returns false while the disk refuses to store it. Databases of before that cannot be
 * read hold nothing up, because the next start could not read them either: the access of the backup stays.
 */
async function endAccess(service: Service, file: string): Promise<boolean> {
  try {
    const { contacts, tokens } = await endAgain(file, service)
    if (tokens + contacts > 0) service.log.warn('backup.access_ended_again', { tokens, contacts })
    return true
  } catch (error) {
    service.log.error('backup.access_not_compared', { file, error: messageOf(error) })
    const code = serviceErrorIn(error)?.code
    return code !== 'unavailable' && code !== 'storage_full'
  }
}

/** Returns whether a step has succeeded. */
function isDone(step: Promise<unknown>, failure: string, log: Pick<Logger, 'error'>): Promise<boolean> {
  return step.then(
    () => true,
    (error: unknown) => {
      log.error(failure, { error: messageOf(error) })
      return false
    },
  )
}

/**
 * Says what a person does before the service sends orders again. A request that was approved since waits like one that was
 * not. A start that was cut off has said it already, and has deactivated the workflows that its text names.
 */
function restoredReason(
  { created_at, id }: z.output<typeof restored>,
  waiting: number,
  workflows: readonly number[],
  before: string,
): string {
  const at = istStamp(Date.parse(created_at))
  const beginning =
    id === BY_HAND
      ? `Restored by hand from an older copy (svc restore --mark of ${at}). `
      : `Restored from the backup of ${at}. `
  if (workflows.length === 0 && before.startsWith(beginning)) return before
  const check = 'Compare orders and positions with the broker'
  const next =
    waiting === 0
      ? `${check}, then resume.`
      : `${check}, reject what it has (svc approval list), then resume.`
  return `${beginning}${ordersText(waiting)}${workflowsText(workflows)}${next}`
}

function ordersText(waiting: number): string {
  if (waiting === 0) return ''
  const orders = waiting === 1 ? '1 order waits' : `${waiting} orders wait`
  return `${orders} for approval again, also what was approved after it: to approve that would send it twice. `
}

/** The workflows that the reason names by their ids. */
const MOST_NAMED = 10

function workflowsText(ids: readonly number[]): string {
  if (ids.length === 0) return ''
  const named = ids.slice(0, MOST_NAMED).join(', ')
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : ''
  const workflows = ids.length === 1 ? 'Workflow' : 'Workflows'
  return (
    `${workflows} ${named}${more} (started once, or by order updates) may have run after it and will not run again ` +
    'before you activate them: svc flow activate ID. '
  )
}
