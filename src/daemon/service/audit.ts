import { AuditTrail, OrderRecorder, Origins } from '../../core/audit/index.js'
import { SERVICE } from '../../core/audit/schema.js'
import type { BrokerService } from '../../core/brokers/index.js'
import type { Config } from '../../core/config/index.js'
import { messageOf } from '../../core/errors/index.js'
import type { EventBus } from '../../core/events/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { RiskGate } from '../../core/risk/index.js'
import type { IpSecurity } from '../../core/security/index.js'
import { type Clock, DAY_MS } from '../../core/time/index.js'
import { ActTurns } from '../audit/turns.js'
import type { Stores } from './stores.js'

/** Opens the audit trail and the recorder of orders, which the daemon starts. */
export async function openAudit(
  { databases: { sandbox, svc }, secrets: secretBox }: Stores,
  { clock, log }: { clock: Clock; log: Logger },
) {
  const origins = new Origins()
  const audit = await AuditTrail.open({ db: svc, secretBox, clock, log })
  const orderAudit = await OrderRecorder.open({ trail: audit, origins, svc, sandbox, clock, log })
  return { audit, orderAudit, origins, actTurns: new ActTurns() }
}

/** Records what the service does by itself. */
export function recordServiceActs(audit: AuditTrail, bus: EventBus, security: IpSecurity): void {
  const options = { vital: true }
  security.onBanned((address) => {
    const ban = security.bans.get(address)
    if (ban?.source !== '404_detector' && ban?.source !== 'api_key_detector') return
    const { count, expiresAt, reason, source } = ban
    const after = { reason, source, count, expiresAt }
    audit.appendLater({ act: 'ban.automatic', actor: SERVICE, target: address }, { after })
  })
  bus.subscribe(
    'sandbox.auto_squareoff',
    'audit',
    ({ user_id: target, ...after }) =>
      audit.appendLater({ act: 'sandbox.square_off', actor: SERVICE, target: target ?? null }, { after }),
    options,
  )
  bus.subscribe(
    'sandbox.t1_settlement',
    'audit',
    ({ user_id: target, ...after }) =>
      audit.appendLater({ act: 'sandbox.settle', actor: SERVICE, target: target ?? null }, { after }),
    options,
  )
  bus.subscribe(
    'pending_order_updated',
    'audit',
    (update) => {
      if (update.action !== 'expired') return
      audit.appendLater({ act: 'approval.expire', actor: SERVICE, target: String(update.order_id) })
    },
    options,
  )
  bus.subscribe(
    'master_contract_download',
    'audit',
    ({ broker: target, message, status }) =>
      audit.appendLater(
        { act: 'instrument.load', actor: SERVICE, target },
        { outcome: status === 'success' ? 'done' : 'failed', after: { message } },
      ),
    options,
  )
}

interface Audited {
  audit: AuditTrail
  orderAudit: OrderRecorder
  brokers: Pick<BrokerService, 'brokerId'>
  mode(): string
  risk: Pick<RiskGate, 'killSwitch'>
}

interface Pruned {
  audit: AuditTrail
  clock: Clock
  config: Pick<Config, 'AUDIT_RETENTION_DAYS'>
  log: Logger
}

/** Records the start, and begins to record orders. */
export function startAudit({ audit, brokers, mode, orderAudit, risk }: Audited, version: string): void {
  const after = { version, mode: mode(), broker: brokers.brokerId, kill_switch: risk.killSwitch.on }
  audit.appendLater({ act: 'service.start', actor: SERVICE }, { after })
  orderAudit.start()
}

/** Records the stop, and writes all that waits. Orders that are not recorded yet are after the next start. */
export async function stopAudit({ audit, orderAudit }: Audited): Promise<void> {
  await orderAudit.stop()
  audit.appendLater({ act: 'service.stop', actor: SERVICE })
  await audit.flush()
}

/** Removes the rows of the trail that are older than their retention period. A failure is logged. */
export async function pruneAudit({ audit, clock, config, log }: Pruned): Promise<void> {
  const days = config.AUDIT_RETENTION_DAYS
  if (days === 0) return
  try {
    const removed = await audit.prune(clock.ago(days * DAY_MS))
    if (removed > 0) log.info('audit.pruned', { removed })
  } catch (error) {
    log.error('audit.prune_failed', { reason: messageOf(error) })
  }
}
