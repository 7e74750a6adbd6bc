import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { finishRestore, restoreBackup } from '../../../src/core/backup/index.js'
import { execute, query } from '../../support/files/files.js'
import { tempDir } from '../../support/files/temp.js'
import { madeBackup, openHome, SECRETS } from './support.js'

const NOW = Date.parse('2026-11-20T11:00:00+05:30')
const NAMES = ['svc.db', 'sandbox.db', 'logs.db', 'brokers/simulated/exchange.db']
const base = { secrets: SECRETS, replace: false, now: NOW }
const notesIn = async (file: string) =>
  (await query<{ text: string }>(file, 'select text from notes')).map(({ text }) => text)

test('an empty home gets the databases, for its owner alone', async () => {
  const { path } = await madeBackup()
  const home = tempDir()
  writeFileSync(join(home, 'config.env'), '')
  const { setAside } = await restoreBackup({ ...base, home, backup: path })
  expect(setAside).toBeUndefined()
  for (const name of NAMES) {
    expect(await notesIn(join(home, name))).toEqual(['first'])
    expect(statSync(join(home, name)).mode & 0o777).toBe(0o600)
  }
  expect(readdirSync(home).sort()).toEqual([
    'brokers',
    'config.env',
    'logs.db',
    'restored.json',
    'sandbox.db',
    'svc.db',
  ])
})

test('a home with databases is refused; with replace they are set aside, with their logs and copies', async () => {
  const { path } = await madeBackup('old')
  const { home } = await madeBackup('new')
  for (const name of ['svc.db-wal', 'svc.db-instruments', 'brokers/simulated/exchange.db-journal']) {
    writeFileSync(join(home, name), `the ${name}`)
  }
  await expect(restoreBackup({ ...base, home, backup: path })).rejects.toMatchObject({ code: 'conflict' })
  expect(existsSync(join(home, 'restored.json'))).toBe(false)
  const { setAside } = await restoreBackup({ ...base, home, backup: path, replace: true })
  const aside = join(home, 'before-restore-20261120T053000Z')
  expect(setAside).toBe(aside)
  for (const name of NAMES) expect(await notesIn(join(home, name))).toEqual(['old'])
  expect(await notesIn(join(aside, 'sandbox.db'))).toEqual(['new'])
  for (const name of ['svc.db-wal', 'svc.db-instruments', 'brokers/simulated/exchange.db-journal']) {
    expect(readFileSync(join(aside, name), 'utf8')).toBe(`the ${name}`)
    expect(existsSync(join(home, name))).toBe(false)
  }
  const again = await restoreBackup({ ...base, home, backup: path, replace: true })
  expect(again.setAside).toBe(`${aside}-2`)
})

test('a database that the backup does not have is set aside', async () => {
  const { home: other, path } = await madeBackup('old')
  expect(existsSync(other)).toBe(true)
  const { home } = await madeBackup('new')
  mkdirSync(join(home, 'brokers/another'))
  await execute(join(home, 'brokers/another/book.db'), 'create table notes (text)')
  await restoreBackup({ ...base, home, backup: path, replace: true })
  expect(existsSync(join(home, 'brokers/another/book.db'))).toBe(false)
})

test.each(['APP_KEY', 'API_KEY_PEPPER', 'FERNET_SALT'] as const)(
  'a home with another %s is refused by name',
  async (name) => {
    const { path } = await madeBackup()
    const home = tempDir()
    const secrets = { ...SECRETS, [name]: 'd'.repeat(64) }
    await expect(restoreBackup({ ...base, home, backup: path, secrets })).rejects.toThrow(
      new RegExp(`another ${name} than`),
    )
    expect(readdirSync(home)).toEqual([])
  },
)

test('a backup of a newer version is refused by name', async () => {
  const newer = await openHome()
  const [svc] = newer.databases
  await svc?.write((tx) => tx.exec("insert into __migrations values (9999999999999, '', 0)"))
  const { id } = await newer.backups.make('manual')
  const home = tempDir()
  const backup = join(newer.home, 'backups', id)
  await expect(restoreBackup({ ...base, home, backup })).rejects.toThrow(
    /svc\.db of the backup \(svc [\d.]+\) was written by a newer/,
  )
})

test('a restore that was not decided leaves the home as it was', async () => {
  const { home } = await madeBackup('new')
  mkdirSync(join(home, '.restore-stage'))
  writeFileSync(join(home, '.restore-stage/svc.db'), 'half')
  await finishRestore(home)
  expect(existsSync(join(home, '.restore-stage'))).toBe(false)
  expect(await notesIn(join(home, 'svc.db'))).toEqual(['new'])
})
