import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { restoreOffline, verifyOffline } from '../../../src/daemon/backup/offline.js'
import {
  copyHome,
  factsOfHome,
  lockFile,
  migrateStopped,
  StoppedHome,
  schemasOf,
} from '../../../src/daemon/backup/upgrade.js'
import { execute } from '../../support/files/files.js'
import { tempDir } from '../../support/files/temp.js'

/** Makes a stopped home with its three databases. */
async function stopped() {
  const home = tempDir()
  const env = {}
  loadConfig({ home, env })
  for (const schema of ['svc', 'sandbox', 'logs'] as const) {
    await (await Database.open({ file: join(home, `${schema}.db`), schema })).close()
  }
  return { home, env }
}

const ORDER = (state: string) =>
  `insert into order_journal (order_ref, user_id, api_type, source, mode, broker, state, symbol, exchange, action, quantity,
     product, request, created_at, updated_at)
   values ('${state}', 'asha', 'placeorder', 'api', 'live', 'simulated', '${state}', 'SBIN', 'NSE', 'BUY', '1', 'CNC', '{}', 1, 1)`

test('the facts of a home count the orders and runs that nobody may leave alone', async () => {
  const at = await stopped()
  const schemas = await schemasOf(at.home)
  expect(Object.values(schemas).every((newest) => newest > 0)).toBe(true)
  expect(await factsOfHome(at)).toMatchObject({ schemas, unsettled: 0, running: 0 })
  for (const state of ['claimed', 'sending', 'unknown', 'filled', 'accepted']) {
    await execute(join(at.home, 'svc.db'), ORDER(state))
  }
  expect(await factsOfHome(at)).toMatchObject({ unsettled: 3 })
  expect(await factsOfHome({ ...at, home: tempDir() })).toMatchObject({
    schemas: { svc: 0, sandbox: 0, logs: 0 },
    bytes: 0,
    unsettled: 0,
  })
})

test('a home that is held gets a backup that is checked and sealed, and no daemon', async () => {
  const at = await stopped()
  const home = await StoppedHome.hold(at)
  try {
    const backup = await home.backUp()
    expect(await verifyOffline(at, backup)).toMatchObject({
      seal: 'ok',
      manifest: {
        files: ['svc.db', 'sandbox.db', 'logs.db'].map((name) => expect.objectContaining({ name })),
      },
    })
    await expect(StoppedHome.hold(at)).rejects.toMatchObject({ code: 'conflict' })
    await expect(migrateStopped(at)).rejects.toMatchObject({ code: 'conflict' })
  } finally {
    await home.release()
  }
})

test('a copy of a home is private, and has what a migration needs', async () => {
  const at = await stopped()
  await execute(join(at.home, 'svc.db'), ORDER('filled'))
  const copy = join(at.home, '.upgrade-trial')
  await copyHome(at.home, copy, new AbortController().signal)
  expect(statSync(copy).mode & 0o777).toBe(0o700)
  expect(readdirSync(copy).sort()).toEqual(['config.env', 'logs.db', 'sandbox.db', 'svc.db'])
  expect(await migrateStopped({ home: copy, env: {} })).toEqual(await schemasOf(at.home))
  await expect(copyHome(at.home, copy, AbortSignal.abort(new Error('ended')))).rejects.toThrow('ended')
})

test('a restored home that was not started is upgraded like any other', async () => {
  const at = await stopped()
  await execute(join(at.home, 'svc.db'), ORDER('filled'))
  const held = await StoppedHome.hold(at)
  const backup = await held.backUp()
  await held.release()
  await restoreOffline(at, backup, true)
  const copy = join(at.home, '.upgrade-trial')
  await copyHome(at.home, copy, new AbortController().signal)
  expect(await migrateStopped({ home: copy, env: {} })).toEqual(await schemasOf(at.home))
  const again = await StoppedHome.hold(at)
  await expect(verifyOffline(at, await again.backUp())).resolves.toMatchObject({ seal: 'ok' })
  await again.release()
})

test('a lock is for one process at a time', async () => {
  const file = join(tempDir(), 'lock')
  const held = await lockFile(file)
  expect(await lockFile(file)).toBeUndefined()
  await held?.release()
  const again = await lockFile(file)
  expect(again).toBeDefined()
  await again?.release()
})

test('a stopped home is migrated without a start, and a home without databases gets none', async () => {
  const at = await stopped()
  const newest = await schemasOf(at.home)
  rmSync(join(at.home, 'logs.db'))
  expect(await schemasOf(at.home)).toMatchObject({ logs: 0 })
  expect(await migrateStopped(at)).toEqual(newest)
  const home = tempDir()
  await migrateStopped({ home, env: {} })
  expect(existsSync(join(home, 'svc.db'))).toBe(false)
})

test('a home of a newer version is refused in one sentence, and not changed', async () => {
  const at = await stopped()
  await execute(join(at.home, 'logs.db'), `insert into __migrations values (4000000000000, 'x', 1)`)
  await expect(migrateStopped(at)).rejects.toThrow(
    'was written by a newer version of svc; start that version, or restore a backup',
  )
  expect(await schemasOf(at.home)).toMatchObject({ logs: 4_000_000_000_000 })
})
