import { isAbsolute, join } from 'node:path'
import { Backups } from '../../core/backup/index.js'
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
}

/** Returns the backups of the service. */
export function openBackups({ home, config, clock, log, databases, brokers, bus }: Parts): Backups {
  return new Backups({
    home,
    folder: backupFolder(home, config.BACKUP_DIR),
    secrets: config,
    version: VERSION,
    schedule: config.BACKUP_SCHEDULE,
    keep: config.BACKUP_KEEP,
    databases: () => [...Object.values(databases), ...brokers.databases()],
    onFailure: ({ message, since }, origin) =>
      bus.publish('backup_failed', { origin, message, since: new Date(since).toISOString() }),
    clock,
    log,
  })
}

/** Returns the folder of the backups of a home. */
export function backupFolder(home: string, setting: string): string {
  return isAbsolute(setting) ? setting : join(home, setting)
}
