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
  type PendingMigration,
  type SchemaName,
  setAside,
} from '../../core/storage/index.js'
import type { Clock } from '../../core/time/index.js'
import { isNewHome, RESTORE_WAYS } from './lost-files.js'

export type Stores = Awaited<ReturnType<typeof openStores>>

const WITHOUT_SVC =
  'To begin anew, choose another folder with --home, and compare orders and positions with the broker first.'
const WITHOUT_SANDBOX =
  'To go on without it, move it away together with its -wal and -shm files: the simulated orders are lost then.'

interface StoreParts {
  home: string
  config: Config
  clock: Clock
  log: Logger
  /** A secret box that was derived before: deriving one is slow on purpose. */
  secrets?: SecretBox | undefined
  /** The lock of the home: nothing is stored once it is lost. */
  lock?: { missing(): string | undefined } | undefined
}

/**
 * Checks, opens and migrates the databases of a home, and opens the box that encrypts secrets in them. A
 * damaged logs database is set aside and replaced by a fresh one.
 * @throws ServiceError when one of the other databases is damaged, or `svc.db` is lost
 * @throws Error when this version cannot read one of them. No database is changed then
 */
export async function openStores({ home, config, secrets: box, lock, ...parts }: StoreParts) {
  const fileOf = <S extends SchemaName>(schema: S) => ({
    file: join(home, `${schema}.db`),
    schema,
    guard: lock && (() => lock.missing()),
    onMigrate: (pending: PendingMigration) => parts.log.info('storage.migrating', { ...pending }),
  })
  const files = { svc: fileOf('svc'), sandbox: fileOf('sandbox'), logs: fileOf('logs') }
  // A thread derives the keys while the files are checked and opened.
  const deriving = box ? Promise.resolve(box) : deriveBox(config)
  // Where a file is refused, nobody asks for the keys any more.
  deriving.catch(() => undefined)
  const isNew = await isNewHome(home, parts.log)
  const [damage] = await Promise.all([
    damageOf(files.logs.file),
    refuseDamaged(files.svc.file, WITHOUT_SVC),
    refuseDamaged(files.sandbox.file, WITHOUT_SANDBOX),
  ])
  if (damage !== undefined) startLogsAnew(files.logs.file, damage, parts)
  await Database.refuseUnreadable(Object.values(files))
  const svcOpens = Database.open(files.svc)
  // A crash of the first start must not leave the other files beside an empty `svc.db`.
  if (isNew) await svcOpens
  const [svc, sandbox, logs, secrets] = await Promise.all([
    svcOpens,
    Database.open(files.sandbox),
    openLogs(files.logs, parts),
    deriving,
  ])
  return { databases: { svc, sandbox, logs }, secrets }
}

const deriveBox = (config: Config): Promise<SecretBox> =>
  SecretBox.derive({ appKey: config.APP_KEY, salt: config.FERNET_SALT })

/**
 * Refuses a damaged file. Orders, positions and settings are in it: without them the service would show wrong
 * data.
 */
async function refuseDamaged(file: string, without: string): Promise<void> {
  const damage = await damageOf(file)
  if (damage === undefined) return
  throw new ServiceError(
    'storage_full',
    `${file} is damaged (${damage}), so the service does not start. ${RESTORE_WAYS} ${without}`,
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
