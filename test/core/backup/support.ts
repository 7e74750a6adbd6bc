import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type BackupOptions, Backups } from '../../../src/core/backup/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { SystemClock } from '../../../src/core/time/index.js'
import { tempDir } from '../../support/files/temp.js'

export const SECRETS = {
  APP_KEY: 'a'.repeat(64),
  API_KEY_PEPPER: 'b'.repeat(64),
  FERNET_SALT: 'c'.repeat(32),
}

export interface TestHome {
  home: string
  backups: Backups
  databases: readonly Database[]
  /** Adds a row to every database. */
  note(text: string): Promise<void>
}

const CREATE = 'create table if not exists notes (text text not null)'

/** Opens the four databases of a home in a folder, and its backups. */
export async function openHome(
  options: Partial<BackupOptions> = {},
  { closes = true }: { closes?: boolean } = {},
): Promise<TestHome> {
  const home = options.home ?? tempDir()
  mkdirSync(join(home, 'brokers/simulated'), { recursive: true })
  const databases = await Promise.all([
    Database.open({ file: join(home, 'svc.db'), schema: 'svc' }),
    Database.open({ file: join(home, 'sandbox.db'), schema: 'sandbox' }),
    Database.open({ file: join(home, 'logs.db'), schema: 'logs' }),
    Database.open({ file: join(home, 'brokers/simulated/exchange.db'), schema: undefined }),
  ])
  if (closes)
    onTestFinished(() => Promise.all(databases.map((database) => database.close())).then(() => undefined))
  for (const database of databases) await database.write((tx) => tx.exec(CREATE))
  const backups = new Backups({
    home,
    folder: join(home, 'backups'),
    secrets: SECRETS,
    version: '1.0.0',
    schedule: undefined,
    keep: 2,
    databases: () => databases,
    onMade: () => undefined,
    onRemoved: () => undefined,
    onFailure: () => undefined,
    clock: new SystemClock(),
    log: silentLogger,
    ...options,
  })
  onTestFinished(() => backups.close())
  const note = async (text: string) => {
    for (const database of databases) {
      await database.write((tx) => tx.exec('insert into notes (text) values (?)', [text]))
    }
  }
  return { home, backups, databases, note }
}

/** Makes a backup of a home with one note, and stops the home. */
export async function madeBackup(text = 'first'): Promise<{ home: string; path: string; id: string }> {
  const { home, backups, databases, note } = await openHome({}, { closes: false })
  await note(text)
  const { id } = await backups.make('manual')
  for (const database of databases) await database.close()
  return { home, id, path: join(home, 'backups', id) }
}
