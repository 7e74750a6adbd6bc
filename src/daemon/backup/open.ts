import { isAbsolute, join } from 'node:path'
import type { AuditTrail } from '../../core/audit/index.js'
import { type Actor, SERVICE } from '../../core/audit/schema.js'
import { Backups, sizeOf } from '../../core/backup/index.js'
import type { BrokerService } from '../../core/brokers/index.js'
import type { Config } from '../../core/config/index.js'
import type { EventBus } from '../../core/events/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Database } from '../../core/storage/index.js'
import type { Clock } from '../../core/time/index.js'
import { VERSION } from '../version.js'

interface Parts {
  home: string
  config: Config
  clock: Clock
  log: Logger
  databases: Readonly<Record<string, Database>>
  brokers: Pick<BrokerService, 'databases'>
  bus: Pick<EventBus, 'publish'>
  audit: Pick<AuditTrail, 'appendLater'>
}

/** The actor of backups that nobody asked for. */
const SCHEDULE: Actor = { ...SERVICE, name: 'schedule' }

/** Returns the backups of the service. The trail gets those of the schedule; the route records the others. */
export function openBackups({ home, config, clock, log, databases, brokers, bus, audit }: Parts): Backups {
  return new Backups({
    home,
    folder: backupFolder(home, config.BACKUP_DIR),
    secrets: config,
    version: VERSION,
    schedule: config.BACKUP_SCHEDULE,
    keep: config.BACKUP_KEEP,
    databases: () => [...Object.values(databases), ...brokers.databases()],
    onMade: (manifest) => {
      if (manifest.origin !== 'scheduled') return
      const after = { bytes: sizeOf(manifest), held_ms: manifest.held_ms }
      audit.appendLater({ act: 'backup.make', actor: SCHEDULE, target: manifest.id }, { after })
    },
    onRemoved: (ids) => {
      for (const target of ids) audit.appendLater({ act: 'backup.remove', actor: SCHEDULE, target })
    },
    onFailure: ({ message, since }, origin) => {
      bus.publish('backup_failed', { origin, message, since: new Date(since).toISOString() })
      if (origin !== 'scheduled') return
      audit.appendLater({ act: 'backup.make', actor: SCHEDULE }, { outcome: 'failed', after: { message } })
    },
    clock,
    log,
  })
}

/** Returns the folder of the backups of a home. */
export function backupFolder(home: string, setting: string): string {
  return isAbsolute(setting) ? setting : join(home, setting)
}
