import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databasesOf } from '../../core/backup/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Logger } from '../../core/logging/index.js'
import { isEmptyDatabase } from '../../core/storage/index.js'

const MAIN = 'svc.db'
/**
 * Files that the service creates only after `svc.db` has its tables. `config.env` is not among them: people
 * write it before the first start.
 */
const LATER_FILES = ['svc.db-instruments', 'sandbox.db', 'logs.db']
const UPGRADE_COPY = /^svc\.db\.before-\d+$/

/** The ways to get databases back. A copy that is put back by hand is as old as a backup, so its start must hold back as much. */
export const RESTORE_WAYS =
  'Restore a backup: svc backup list, then svc restore ID --replace. Copies from before upgrades are in the same folder, ' +
  'named .before-…: after you put one back by hand, run svc restore --mark before the start, so that no order is sent twice.'

/**
 * Checks that a home without a filled `svc.db` is new. After the loss of that file the service would start
 * without users, settings and the kill switch, and the first caller could set it up. A new `sandbox.db`
 * beside a filled `svc.db` is only logged: no real order is in it.
 * @returns whether the home is new
 * @throws ServiceError when `svc.db` is missing or empty beside files of an earlier run
 */
export async function isNewHome(home: string, log: Logger): Promise<boolean> {
  const state = await absence(join(home, MAIN))
  if (state === undefined) {
    const sandbox = join(home, 'sandbox.db')
    if (existsSync(join(home, 'logs.db')) && (await absence(sandbox)) !== undefined) {
      const message = 'It was missing or empty: Analyzer mode begins with no orders and the opening funds.'
      log.warn('storage.sandbox_new', { file: sandbox, message })
    }
    return false
  }
  const trace = traceOf(home)
  if (trace === undefined) return true
  throw new ServiceError(
    'storage_full',
    `${join(home, MAIN)} is ${state}, but ${trace} shows that this home is not new. The service does not start ` +
      `without its users, settings, kill switch and order journal. ${RESTORE_WAYS} To begin anew, choose another ` +
      'folder with --home.',
  )
}

/** Returns how the content of a database is absent; undefined when it is there. */
async function absence(file: string): Promise<'missing' | 'empty' | undefined> {
  if (!existsSync(file)) return 'missing'
  // The size comes first: to open an empty file would delete the write-ahead log beside it.
  return statSync(file).size === 0 || (await isEmptyDatabase(file)) ? 'empty' : undefined
}

/** Returns a file that an earlier run left in the home. */
function traceOf(home: string): string | undefined {
  const log = join(home, `${MAIN}-wal`)
  if (!existsSync(join(home, MAIN)) && filled(log)) return log
  const ofBrokers = databasesOf(home).filter((name) => name.startsWith('brokers/'))
  const later = [...LATER_FILES, ...ofBrokers].map((name) => join(home, name)).find(filled)
  if (later !== undefined) return later
  const copy = readdirSync(home).find((name) => UPGRADE_COPY.test(name))
  return copy === undefined ? undefined : join(home, copy)
}

const filled = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
