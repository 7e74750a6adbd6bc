import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DATABASES, FIXTURE_SECRETS } from '../fixtures/upgrade/secrets.js'
import { casesFor } from '../support/chance/cases.js'
import { approvalsOf, sandboxOf } from '../support/desk/desk-state.js'
import { damages, execute, query, type Row } from '../support/files/files.js'
import { DaemonProcess } from '../support/process/daemon-process.js'

/*
 * Promise 15: every released schema upgrades with its data intact, also when the upgrade is killed and
 * repeated. Each folder of the fixtures is a home that this version wrote (see dump.ts there).
 */
const FIXTURES = fileURLToPath(new URL('../fixtures/upgrade/', import.meta.url))
const MIGRATIONS = fileURLToPath(new URL('../../src/core/storage/migrations/', import.meta.url))
const VERSIONS = readdirSync(FIXTURES).filter((name) => /^v\d+$/.test(name))

/** Columns that a start may change: notes about use, not the user's data. */
const MAY_CHANGE: ReadonlySet<string> = new Set(['last_used_at', 'last_seen'])
/** Tables that a start replaces, and counters that it moves on. */
const NOT_DATA: ReadonlySet<string> = new Set([
  '__migrations',
  'audit_seal',
  'event_numbers',
  'sandbox_order_ids',
  'instruments',
  'qty_freeze',
  'master_contract_status',
])

async function homeOf(version: string): Promise<DaemonProcess> {
  const home = mkdtempSync(join(tmpdir(), 'svc-e2e-'))
  for (const name of DATABASES) {
    await execute(join(home, `${name}.db`), readFileSync(join(FIXTURES, version, `${name}.sql`), 'utf8'))
  }
  const account: { apikey: string } = JSON.parse(
    readFileSync(join(FIXTURES, version, 'account.json'), 'utf8'),
  )
  const daemon = Object.assign(new DaemonProcess({ home, env: FIXTURE_SECRETS }), account)
  onTestFinished(() => daemon.dispose())
  return daemon
}

interface Table {
  name: string
  columns: string[]
  rows: Row[]
}

/** Returns the rows of every table, with the given columns or all. */
async function tablesOf(home: string, like?: ReadonlyMap<string, Table[]>): Promise<Map<string, Table[]>> {
  const found = new Map<string, Table[]>()
  for (const database of DATABASES) {
    const file = join(home, `${database}.db`)
    const names = await query<{ name: string }>(
      file,
      `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`,
    )
    const wanted = like?.get(database)?.map(({ name }) => name) ?? names.map(({ name }) => name)
    const tables: Table[] = []
    for (const name of wanted.filter((each) => !NOT_DATA.has(each))) {
      const columns =
        like?.get(database)?.find((table) => table.name === name)?.columns ??
        (await query<{ name: string }>(file, `pragma table_info("${name}")`))
          .map((column) => column.name)
          .filter((column) => !MAY_CHANGE.has(column))
      const list = columns.map((column) => `"${column}"`).join(', ')
      tables.push({ name, columns, rows: await query(file, `select ${list} from "${name}" order by rowid`) })
    }
    found.set(database, tables)
  }
  return found
}

/** Checks that a home still has every row. A start adds some of its own, for example to the audit trail. */
async function expectKept(home: string, before: ReadonlyMap<string, Table[]>): Promise<void> {
  const after = await tablesOf(home, before)
  for (const [database, tables] of before) {
    for (const { name, rows } of tables) {
      const kept = after.get(database)?.find((table) => table.name === name)?.rows
      expect(kept?.slice(0, rows.length), `${database}.${name}`).toEqual(rows)
    }
  }
}

/** Returns tables, columns and indexes, however they were created, and the migrations recorded for them. */
async function shapeOf(home: string): Promise<Map<string, { shape: Row[]; ledger: Row[] }>> {
  const found = new Map<string, { shape: Row[]; ledger: Row[] }>()
  for (const database of DATABASES) {
    const file = join(home, `${database}.db`)
    const shape = await query(
      file,
      `select m.type, m.tbl_name, m.name, c.name as column, c.type as kind, c."notnull", c.pk
       from sqlite_master m left join pragma_table_info(m.name) c on m.type = 'table'
       where m.type in ('table', 'index') and m.name not like 'sqlite_%' order by 1, 2, 3, 4`,
    )
    const ledger = await query(file, 'select created_at, hash from __migrations order by 1')
    found.set(database, { shape, ledger })
  }
  return found
}

/** Returns how many migrations the databases of a home lack. */
async function pendingIn(home: string): Promise<number> {
  let pending = 0
  for (const database of DATABASES) {
    const rows = await query<{ at: number }>(
      join(home, `${database}.db`),
      'select created_at as at from __migrations',
    )
    const applied = new Set(rows.map(({ at }) => at))
    for (const { folderMillis } of readMigrationFiles({ migrationsFolder: MIGRATIONS + database })) {
      if (!applied.has(folderMillis)) pending += 1
    }
  }
  return pending
}

/**
 * Kills the process at a migration of the upgrade, with later ones missing or not committed, and checks that none is
 * half done.
 */
async function dieUpgrading(daemon: DaemonProcess, passage: number): Promise<void> {
  const [pending, before] = [await pendingIn(daemon.home), await shapeOf(daemon.home)]
  const starting = daemon.start({ env: { SVC_CRASH_AT: `migrate.midStep:${passage}` } })
  await expect(starting, `migration ${passage} of ${pending}`).rejects.toThrow('did not start')
  expect(await daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await pendingIn(daemon.home)).toBeGreaterThan(0)
  const after = await shapeOf(daemon.home)
  for (const [database, { ledger, shape }] of before) {
    if (JSON.stringify(after.get(database)?.ledger) !== JSON.stringify(ledger)) continue
    expect(after.get(database)?.shape, `${database}.db`).toEqual(shape)
  }
}

/** The migrations at which the upgrade is killed: the first one, one in the middle, the last. */
const DEATHS: readonly ((pending: number) => number)[] = [
  () => 1,
  (pending) => Math.ceil(pending / 2),
  (pending) => pending,
]

describe.each(VERSIONS)('a home of %s', (version) => {
  it('keeps every row through killed upgrades and a second start', async () => {
    const daemon = await homeOf(version)
    const before = await tablesOf(daemon.home)
    expect([...before.values()].flat().filter(({ rows }) => rows.length > 0).length).toBeGreaterThan(10)

    for (const passageOf of casesFor(DEATHS, (_, index) => index === 1)) {
      const pending = await pendingIn(daemon.home)
      // The current schema has no upgrade to kill.
      if (pending === 0) break
      await dieUpgrading(daemon, passageOf(pending))
      expect(await tablesOf(daemon.home, before)).toEqual(before)
    }
    for (const _time of ['first', 'second']) {
      await daemon.start()
      await expectKept(daemon.home, before)
      await daemon.signal('SIGTERM')
    }
    expect(await damages(daemon.home)).toEqual([])
  })

  it('keeps working: password, API key, modes, limits, queue, sandbox, idempotency keys', async () => {
    const daemon = await homeOf(version)
    await daemon.start()
    await daemon.signIn()
    expect((await daemon.api('ping')).status).toBe(200)
    const { data } = (await daemon.request<{ data: Record<string, unknown> }>('GET', '/auth/whoami')).body
    expect(data).toMatchObject({ order_mode: 'semi_auto', analyze_mode: false })
    const risk = await daemon.request<{ data: { rules: Record<string, unknown> } }>('GET', '/risk')
    expect(risk.body.data.rules).toMatchObject({ max_order_quantity: 500, allowed_exchanges: ['NSE', 'NFO'] })

    const replay = await daemon.place(
      { quantity: 3, strategy: 'left pending' },
      { 'idempotency-key': 'queued-1' },
    )
    const pending = (await approvalsOf(daemon)).filter(({ status }) => status === 'pending')
    // A key is stored for a day: it leads to the order that it queued, or queues the order once more.
    expect(pending.map(({ id }) => id)).toContain(replay.body.pending_order_id)
    await daemon.analyze(true)
    const held = (await sandboxOf(daemon)).held
    expect((await daemon.request('POST', `/action-center/approve/${pending[0]?.id}`)).status).toBe(200)
    expect((await sandboxOf(daemon)).held).toBe(held + 3)
  })

  it('then has the schema of a new home', async () => {
    const daemon = await homeOf(version)
    await daemon.start()
    const fresh = await DaemonProcess.ready()
    onTestFinished(() => fresh.dispose())
    expect(await shapeOf(daemon.home)).toEqual(await shapeOf(fresh.home))
  })
})

it.each([
  [
    'a newer version',
    `insert into __migrations values (99999999999999, 'future', 0)`,
    'by a newer version of svc',
  ],
  [
    'the time before the first release',
    'update __migrations set created_at = 1',
    'before the first release of svc',
  ],
])('a home of %s is refused with a clear message and stays unchanged', async (_name, change, message) => {
  const daemon = await homeOf(VERSIONS.at(-1) ?? '')
  const file = join(daemon.home, 'svc.db')
  await execute(file, change)
  const before = await tablesOf(daemon.home)
  await daemon.start({ expectFailure: true })
  expect((await daemon.exited()).code).toBe(1)
  expect(daemon.output).toContain(`was written ${message}`)
  expect(await tablesOf(daemon.home)).toEqual(before)
})
