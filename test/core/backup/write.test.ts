import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listBackups, verifyBackup } from '../../../src/core/backup/index.js'
import { filesBelow, query } from '../../support/files/files.js'
import { mountSmallDisk, noMounts, unmount } from '../../support/files/small-disk.js'
import { tempDir } from '../../support/files/temp.js'
import { openHome, SECRETS } from './support.js'

const NAMES = ['svc.db', 'sandbox.db', 'logs.db', 'brokers/simulated/exchange.db']
const notesIn = async (file: string) =>
  (await query<{ text: string }>(file, 'select text from notes')).map(({ text }) => text)

test('a backup has every database, complete, for its owner alone, and no secret', async () => {
  const { home, backups, note } = await openHome()
  await note('before')
  const made = await backups.make('manual')
  await note('after')
  const path = join(home, 'backups', made.id)
  expect(made.files.map(({ name }) => name)).toEqual(NAMES)
  for (const name of NAMES) expect(await notesIn(join(path, name))).toEqual(['before'])
  for (const file of filesBelow(path)) {
    expect(statSync(file).mode & 0o777, file).toBe(0o600)
    const bytes = readFileSync(file)
    for (const secret of Object.values(SECRETS)) expect(bytes.includes(secret), file).toBe(false)
  }
  expect(filesBelow(path)).toHaveLength(NAMES.length + 1)
  for (const folder of [
    join(home, 'backups'),
    path,
    join(path, 'brokers'),
    join(path, 'brokers/simulated'),
  ]) {
    expect(statSync(folder).mode & 0o777, folder).toBe(0o700)
  }
  expect(await verifyBackup(path, SECRETS)).toEqual({ manifest: made, seal: 'ok' })
})

test('a broker file that nobody has open is in the backup too', async () => {
  const { home, backups, databases, note } = await openHome({ databases: () => [] })
  await note('before')
  const { id } = await backups.make('manual')
  expect(databases).toHaveLength(NAMES.length)
  for (const name of NAMES) expect(await notesIn(join(home, 'backups', id, name))).toEqual(['before'])
})

test('a second backup waits for nothing: it is refused while the first is made', async () => {
  const { backups } = await openHome()
  const first = backups.make('manual')
  await expect(backups.make('manual')).rejects.toMatchObject({ code: 'conflict' })
  await first
  await backups.make('manual')
})

test('a stop in the middle leaves nothing', async () => {
  const { home, backups, note } = await openHome()
  await note('x'.repeat(20_000_000))
  const making = backups.make('manual')
  const failed = expect(making).rejects.toMatchObject({ code: 'unavailable' })
  while (!existsSync(join(home, 'backups')) || readdirSync(join(home, 'backups')).length === 0) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await backups.close()
  await failed
  expect(readdirSync(join(home, 'backups'))).toEqual([])
})

test('files that a crash left are removed, those of another home are not', async () => {
  const folder = join(tempDir(), 'shared')
  const { backups } = await openHome({ folder })
  const first = await backups.make('manual')
  const mark = first.key_checks.APP_KEY.slice(0, 8)
  const left = join(folder, `.partial-${mark}-20261120T101500Z-3f9c2a`)
  const other = join(folder, '.partial-00000000-20261120T101500Z-3f9c2a')
  for (const path of [left, other]) mkdirSync(path)
  await backups.make('manual')
  expect([existsSync(left), existsSync(other)]).toEqual([false, true])
  expect(await listBackups(folder)).toHaveLength(2)
})

test('a folder whose parent is missing is refused: it may be an unmounted disk', async () => {
  const folder = join(tempDir(), 'missing', 'backups')
  const { backups } = await openHome({ folder })
  await expect(backups.make('manual')).rejects.toMatchObject({ code: 'storage_full' })
  expect((await backups.state()).failure?.message).toContain(folder)
})

test.skipIf(noMounts !== undefined)('a disk without room is refused before anything is written', async () => {
  const disk = mountSmallDisk()
  onTestFinished(() => unmount(disk))
  const { backups, note } = await openHome({ folder: join(disk, 'backups') })
  await note('x'.repeat(12_000_000))
  await expect(backups.make('manual')).rejects.toMatchObject({
    code: 'storage_full',
    message: expect.stringContaining('BACKUP_DIR'),
  })
  expect(filesBelow(disk)).toEqual([])
})

test.skipIf(noMounts !== undefined)('a disk that fills up in the middle leaves nothing', async () => {
  const disk = mountSmallDisk()
  onTestFinished(() => unmount(disk))
  const folder = join(disk, 'backups')
  const { backups, note } = await openHome({ folder })
  await note('x'.repeat(6_000_000))
  const making = backups.make('manual')
  const failed = expect(making).rejects.toMatchObject({ code: 'storage_full' })
  while (!existsSync(folder) || readdirSync(folder).length === 0) await new Promise((r) => setImmediate(r))
  // Another program takes the rest of the disk.
  writeFileSync(join(disk, 'other'), Buffer.alloc(52_000_000))
  await failed
  expect(readdirSync(folder)).toEqual([])
})
