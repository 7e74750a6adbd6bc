import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listBackups, verifyBackup } from '../../../src/core/backup/index.js'
import { sha256Hex } from '../../../src/core/secrets/index.js'
import { chance } from '../../support/chance/chance.js'
import { execute } from '../../support/files/files.js'
import { madeBackup, SECRETS } from './support.js'

const NAMES = ['svc.db', 'sandbox.db', 'logs.db', 'brokers/simulated/exchange.db', 'manifest.json']

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

function sparse(file: string, bytes: number): void {
  writeFileSync(file, '')
  truncateSync(file, bytes)
}

/** Changes fields of the manifest, as somebody does who also repairs its digest. */
function rewrite(path: string, change: (manifest: Record<string, unknown>) => void): void {
  const file = join(path, 'manifest.json')
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'))
  change(manifest)
  const { digest: _, ...body } = manifest
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : value !== null && typeof value === 'object'
        ? Object.fromEntries(
            Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, part]) => [key, sorted(part)]),
          )
        : value
  const digest = sha256Hex(JSON.stringify(sorted(body)))
  writeFileSync(
    file,
    `${JSON.stringify({ ...body, digest }, null, 2)}
`,
  )
}

describe.each(NAMES)('%s', (name) => {
  test('a flipped bit is found, with the secrets and without', async () => {
    const { path } = await madeBackup()
    const random = chance(`flip ${name}`)
    const size = readFileSync(join(path, name)).length
    for (let round = 0; round < (name === 'manifest.json' ? 200 : 5); round++) {
      const at = random.between(0, size - 1)
      flip(join(path, name), at)
      for (const secrets of [SECRETS, undefined]) {
        await expect(verifyBackup(path, secrets), `byte ${at}`).rejects.toMatchObject({
          code: 'validation',
          message: expect.stringContaining(name),
        })
      }
      flip(join(path, name), at)
    }
    await verifyBackup(path, SECRETS)
  })

  test('a file cut short or missing is named', async () => {
    const { path } = await madeBackup()
    const size = readFileSync(join(path, name)).length
    truncateSync(join(path, name), size - 1)
    await expect(verifyBackup(path, SECRETS)).rejects.toThrow(name)
    rmSync(join(path, name))
    await expect(verifyBackup(path, SECRETS)).rejects.toThrow(
      name === 'manifest.json' ? 'is no backup' : name,
    )
  })

  test('the file of another backup is named', async () => {
    const [first, second] = [await madeBackup('first'), await madeBackup('other')]
    cpSync(join(second.path, name), join(first.path, name))
    await expect(verifyBackup(first.path, SECRETS)).rejects.toThrow(
      /is damaged or of another backup|bytes, but/,
    )
  })
})

test('a manifest that was rewritten with its digest fails its seal', async () => {
  const { path } = await madeBackup()
  rewrite(path, (manifest) => {
    manifest.created_at = '2020-01-01T00:00:00.000Z'
  })
  await expect(verifyBackup(path, SECRETS)).rejects.toThrow('its seal does not match')
})

test('a manifest cannot name a file outside its folder', async () => {
  const { path } = await madeBackup()
  rewrite(path, (manifest) => {
    const [file] = manifest.files as { name: string }[]
    if (file) file.name = '../../svc.db'
  })
  await expect(verifyBackup(path, undefined)).rejects.toThrow('is no database file of a home')
})

test('a manifest of a newer format is not called damaged', async () => {
  const { path } = await madeBackup()
  writeFileSync(join(path, 'manifest.json'), JSON.stringify({ format: 2 }))
  await expect(verifyBackup(path, undefined)).rejects.toThrow('newer version of svc')
})

test('rows that changed are found although the digest was repaired', async () => {
  const { path } = await madeBackup()
  await execute(join(path, 'svc.db'), "insert into notes (text) values ('forged')")
  const { createHash } = await import('node:crypto')
  const bytes = readFileSync(join(path, 'svc.db'))
  rewrite(path, (manifest) => {
    const [file] = manifest.files as { sha256: string; bytes: number }[]
    if (file)
      Object.assign(file, { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length })
  })
  await expect(verifyBackup(path, undefined)).rejects.toThrow(
    /svc\.db has 2 rows in notes, but the backup has 1/,
  )
})

test.each([
  ['a named pipe, which a read waits for', (file: string) => execFileSync('mkfifo', [file])],
  ['a folder', (file: string) => mkdirSync(file)],
  ['larger than a manifest can be', (file: string) => sparse(file, 2 ** 30)],
])('a manifest that is %s is refused at once', async (_what, create) => {
  const { path } = await madeBackup()
  const file = join(path, 'manifest.json')
  rmSync(file)
  create(file)
  await expect(verifyBackup(path, undefined)).rejects.toThrow(
    /is no backup: .*manifest\.json is (no file|too large)/,
  )
  const [listed] = await listBackups(dirname(path))
  expect(listed?.problem).toContain('is no backup')
})

test('a list shows a damaged backup with its problem', async () => {
  const { home, id, path } = await madeBackup()
  writeFileSync(join(path, 'manifest.json'), '{')
  expect(await listBackups(join(home, 'backups'))).toMatchObject([
    { id, problem: expect.stringContaining('not JSON') },
  ])
})
