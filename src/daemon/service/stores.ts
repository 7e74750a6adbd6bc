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
  /** One that was derived before; it is slow on purpose. */
  secrets?: SecretBox | undefined
}

/**
 * The databases of a home, checked and brought up to date, and the box that seals what is secret in them.
 * @throws ServiceError when one is damaged; only the logs are set aside then and begun anew
 * @throws Error when a newer version wrote one of them: none is touched then
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

/** Orders, positions and settings are in these files: going on without them would be a lie to whoever trades. */
async function refuseDamaged(file: string): Promise<void> {
  const damage = await damageOf(file)
  if (damage === undefined) return
  throw new ServiceError(
    'storage_full',
    `${file} is damaged (${damage}). The service does not start with it. Restore the file from a backup; ` +
      'copies from before upgrades are beside it, named .before-…. To go on without it, move it away together ' +
      'with its -wal and -shm files: what it held is lost then, so compare orders and positions with the broker first.',
  )
}

/** Trading needs no log rows: damaged ones give way to a fresh file and stay beside it for whoever wants them. */
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
