import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { RESTORED } from '../../core/backup/index.js'
import { istStamp } from '../../core/time/index.js'
import type { Service } from '../service.js'

const restored = z.object({ id: z.string(), created_at: z.string() })

/**
 * Turns the kill switch on in a home that was restored. The service does not know the orders sent after the backup
 * was made: an approval, a workflow or a retry could send one of them a second time. An order that was not sent yet at
 * the moment of the backup may have been sent since, so it counts as one in flight: the recovery searches for it. The live
 * runs of strategies are reserved for the same reason. Access of assistants that was revoked since must not come back, so
 * all of it ends. Runs before the recovery and before anything can send an order.
 */
export async function honourRestore(
  { approvals, bus, journal, log, mcp, risk, strategyRuns }: Service,
  home: string,
): Promise<void> {
  const file = join(home, RESTORED)
  if (!existsSync(file)) return
  const { id, created_at } = restored.parse(JSON.parse(readFileSync(file, 'utf8')))
  const waiting = approvals.pending
  const reason = restoredReason(created_at, waiting)
  log.warn('backup.restored', { id, created_at, waiting })
  await risk.setKillSwitch(true, reason, 'svc restore')
  bus.publish('kill_switch', { engaged: true, reason, by: 'svc restore' })
  const unsent = await journal.inState('claimed')
  await journal.moveAll(unsent.map(({ orderRef }) => ({ orderRef, to: 'sending' })))
  const isReserved = await strategyRuns.reserveRestored(created_at)
  const isRevoked = await mcp.killAll('restored').then(
    () => true,
    () => false,
  )
  // While the disk refuses to store the kill switch, the reserved runs or the revocation, the next start must do it again.
  if (risk.killSwitchStored && isReserved && isRevoked) rmSync(file)
}

/** Says what a person does before the service sends orders again. A request that was approved since waits like one that was not. */
function restoredReason(createdAt: string, waiting: number): string {
  const orders = waiting === 1 ? '1 order waits' : `${waiting} orders wait`
  const again =
    waiting === 0
      ? ''
      : `${orders} for approval again, also what was approved after it: to approve that would send it twice. `
  const check = 'Compare orders and positions with the broker'
  const next =
    waiting === 0
      ? `${check}, then resume.`
      : `${check}, reject what it has (svc approval list), then resume.`
  return `Restored from the backup of ${istStamp(Date.parse(createdAt))}. ${again}${next}`
}
