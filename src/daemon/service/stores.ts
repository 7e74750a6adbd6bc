import { join } from 'node:path'
import type { Config } from '../../core/config/index.js'
import { messageOf, ServiceError } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import { SecretBox } from '../../core/secrets/index.js'
import {
  Database,
  type DatabaseOptions,
  damageOf,
  isDamage,
  type SchemaName,
  setAside,
} from '../../core/storage/index.js'
import type { Clock } from '../../core/time/index.js'

export type Stores = Awaited<ReturnType<typeof openStores>>

interface StoreParts {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** A secret box that was derived before: deriving one is slow on purpose. */
  secrets?: SecretBox | undefined
}

/**
 * Checks, opens and migrates the databases of a home, and opens the box that encrypts secrets in them. A
 * damaged logs database is set aside and replaced by a fresh one.
 * @throws ServiceError when one of the other databases is damaged
 * @throws Error when a newer version wrote one of them. No database is changed then
 */
export async function openStores({ home, config, secrets: box, ...parts }: StoreParts) {
  const fileOf = <S extends SchemaName>(schema: S) => ({ file: join(home, `${schema}.db`), schema })
  const files = { svc: fileOf('svc'), sandbox: fileOf('sandbox'), logs: fileOf('logs') }
  await Promise.all([refuseDamaged(files.svc.file), refuseDamaged(files.sandbox.file)])
  const damage = await damageOf(files.logs.file)
  if (damage !== undefined) startLogsAnew(files.logs.file, damage, parts)
  await Database.refuseNewer(Object.values(files))
  const [svc, sandbox, logs, secrets] = await Promise.all([
    Database.open(files.svc),
    Database.open(files.sandbox),
    openLogs(files.logs, parts),
    box ?? SecretBox.derive({ appKey: config.APP_KEY, salt: config.FERNET_SALT }),
  ])
  return { databases: { svc, sandbox, logs }, secrets }
}

/**
 * Refuses a damaged file. Orders, positions and settings are in it: without them the service would show wrong
 * data.
 */
async function refuseDamaged(file: string): Promise<void> {
  const damage = await damageOf(file)
  if (damage === undefined) return
  throw new ServiceError(
    'storage_full',
    `${file} is damaged (${damage}), so the service does not start. Restore the file from a backup; ` +
      'copies made before upgrades are in the same folder, named .before-…. To start without the data, move the file away together ' +
      'with its -wal and -shm files. Its data is then lost, so compare orders and positions with the broker first.',
  )
}

/**
 * Sets a damaged logs file aside, so that a fresh one can be created: trading needs no logs. The old file is
 * kept.
 */
function startLogsAnew(
  file: string,
  damage: string,
  { clock, log }: Pick<StoreParts, 'clock' | 'log'>,
): void {
  const stamp = new Date(clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const kept = setAside(file, `damaged-${stamp}`)
  log.error('storage.logs_set_aside', { file, kept, damage })
}

async function openLogs(
  options: DatabaseOptions,
  parts: Pick<StoreParts, 'clock' | 'log'>,
): Promise<Database> {
  try {
    return await Database.open(options)
  } catch (error) {
    if (!isDamage(error)) throw error
    startLogsAnew(options.file, messageOf(error), parts)
    return Database.open(options)
  }
}
