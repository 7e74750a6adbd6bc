import { join } from 'node:path'
import type { Config } from '../../core/config/index.js'
import { SecretBox } from '../../core/secrets/index.js'
import { Database, type SchemaName } from '../../core/storage/index.js'

export type Stores = Awaited<ReturnType<typeof openStores>>

/**
 * The databases of a home, brought up to date, and the box that seals what is secret in them.
 * @param box one that was derived before; it is slow on purpose
 * @throws Error when a newer version wrote one of them: none is touched then
 */
export async function openStores(home: string, config: Config, box?: SecretBox) {
  const fileOf = <S extends SchemaName>(schema: S) => ({ file: join(home, `${schema}.db`), schema })
  const files = { svc: fileOf('svc'), sandbox: fileOf('sandbox'), logs: fileOf('logs') }
  await Database.refuseNewer(Object.values(files))
  const [svc, sandbox, logs, secrets] = await Promise.all([
    Database.open(files.svc),
    Database.open(files.sandbox),
    Database.open(files.logs),
    box ?? SecretBox.derive({ appKey: config.APP_KEY, salt: config.FERNET_SALT }),
  ])
  return { databases: { svc, sandbox, logs }, secrets }
}
