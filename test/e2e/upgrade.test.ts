import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FileLock } from '../../src/core/storage/index.js'
import { execute, query } from '../support/files/files.js'
import { FORMER, NEXT, NpmInstallation, PackageRegistry } from '../support/process/npm-installation.js'

let registry: PackageRegistry
let made: NpmInstallation

beforeAll(async () => {
  registry = await PackageRegistry.open()
})
afterAll(() => registry.close())
beforeEach(() => {
  made = NpmInstallation.make(registry)
})
afterEach(() => made.dispose())

const MIGRATION = 'create table upgrade_probe (x integer);'
const UP = `argv[0] === 'up' && !argv.join(' ').includes('svc-self-check')`
const MIGRATES = `const { execFileSync } = await import('node:child_process')
  const home = argv[argv.indexOf('--home') + 1]
  execFileSync(process.argv[1], ['__migrate', '--home', home])`
const INSERTS = `const { default: sqlite3 } = await import('sqlite3')
  const db = new sqlite3.Database(home + '/svc.db')
  await new Promise((done) => db.exec("create temp table one as select * from order_journal limit 1; update one set order_ref = 'new', order_id = 'new'; insert into order_journal select * from one", done))`

const orders = ({ home }: NpmInstallation) =>
  query(join(home, 'svc.db'), 'select order_ref, state from order_journal')
const probes = ({ home }: NpmInstallation) =>
  query(join(home, 'logs.db'), "select 1 from sqlite_schema where name = 'upgrade_probe'")

async function runs(): Promise<void> {
  await made.up()
  expect(await made.place()).toMatchObject({ code: 0 })
}

describe('svc upgrade', () => {
  test('brings program and databases to the next version, and starts the daemon at its address', async () => {
    await registry.publishNext({ migration: MIGRATION })
    await runs()
    const before = await orders(made)
    const { url } = JSON.parse((await made.svc('status --json')).stdout)
    const check = await made.svc('upgrade --check')
    expect(check, check.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(`has ${NEXT}`) })
    expect(await made.svc('upgrade')).toMatchObject({ code: 2 })
    expect(await made.versions()).toEqual({ client: FORMER, daemon: FORMER })

    const { code, stderr, stdout } = await made.svc('upgrade --yes --json')
    expect(code, stderr).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toEqual({ from: FORMER, to: NEXT, backup: expect.stringMatching(/^\d{8}T/) })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: NEXT })
    expect(JSON.parse((await made.svc('status --json')).stdout)).toMatchObject({ url })
    expect([await orders(made), (await probes(made)).length, made.leftovers]).toEqual([before, 1, []])
    expect(await made.svc(`backup verify ${result.backup}`)).toMatchObject({ code: 0 })

    // The older version is tried on a copy, and cannot read it.
    const older = await made.svc(`upgrade --to ${FORMER} --yes`)
    expect(older).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was written by a newer version'),
    })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: NEXT })
  })

  test('leaves a stopped home stopped, and its files as they are', async () => {
    await registry.publishNext({ migration: MIGRATION })
    await runs()
    await made.svc('down')
    expect(await made.svc('upgrade --yes')).toMatchObject({ code: 0 })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: null })
    expect(await probes(made)).toEqual([])
  })

  test('changes nothing when the new version does not run here, or when another upgrade is at work', async () => {
    await registry.publishNext({ begins: `if (argv[0] === 'self-check') throw new Error('no such library')` })
    await made.up()
    const { pid } = made
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no such library[\s\S]*Nothing was changed/),
    })
    const other = await FileLock.acquire(made.lock)
    try {
      expect(await made.svc('upgrade --yes')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('at work'),
      })
    } finally {
      await other.release()
    }
    expect([made.pid, made.leftovers]).toEqual([pid, []])
  })

  test('goes back to the same databases when the new version does not come up', async () => {
    await registry.publishNext({ begins: `if (${UP}) process.exit(3)`, migration: MIGRATION })
    await runs()
    const before = await orders(made)
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining(`${FORMER} is running again`) })
    expect(failed.stderr).not.toContain('kill switch')
    expect(await made.versions()).toEqual({ client: FORMER, daemon: FORMER })
    expect([await orders(made), made.leftovers]).toEqual([before, []])
    expect(await made.place()).toMatchObject({ code: 0 })
  })

  test('goes back with its backup, and the kill switch, when the new version has migrated the databases', async () => {
    await registry.publishNext({
      begins: `if (${UP}) { ${MIGRATES}\n process.exit(3) }`,
      migration: MIGRATION,
    })
    await runs()
    const before = await orders(made)
    const failed = await made.svc('upgrade --yes')
    expect(failed, failed.stderr).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the kill switch is on'),
    })
    expect(await made.versions()).toEqual({ client: FORMER, daemon: FORMER })
    expect([await orders(made), await probes(made), made.leftovers]).toEqual([before, [], []])
    expect(await made.place()).toMatchObject({ code: 5 })
  })

  test('never gives up an order of the new version: a person decides', async () => {
    const begins = `if (${UP}) { ${MIGRATES}\n ${INSERTS}\n process.exit(3) }`
    await registry.publishNext({ begins, migration: MIGRATION })
    await runs()
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/order_journal[\s\S]*svc restore \d{8}T/),
    })
    expect([(await orders(made)).length, (await probes(made)).length]).toEqual([2, 1])
    expect(existsSync(join(made.stage, 'former/bin/svc'))).toBe(true)
    expect((await made.svc('doctor')).stdout).toContain('the new version may have run')
    // By hand, as the message says.
    const backup = /svc restore (\S+)/.exec(failed.stderr)?.[1] ?? ''
    expect(await made.svc(`restore ${backup} --replace`)).toMatchObject({ code: 0 })
    expect(await orders(made)).toHaveLength(1)
  })

  test('waits for orders that are in doubt, and for strategies', async () => {
    await made.up()
    await made.place()
    await made.svc('down')
    await execute(join(made.home, 'svc.db'), "update order_journal set state = 'unknown'")
    const refused = await made.svc('upgrade --yes')
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('1 order is being sent or in doubt'),
    })
    expect(made.leftovers).toEqual([])
  })
})

describe('svc version --check', () => {
  test('asks for the newest version, and for nothing else; no other command asks', async () => {
    registry.asked.length = 0
    expect(await made.svc('version')).toMatchObject({ code: 0 })
    await made.svc('doctor')
    await made.svc('status')
    expect(registry.asked).toEqual([])
    const newer = await made.svc('version --check --json')
    expect(newer).toMatchObject({ code: 9 })
    expect(JSON.parse(newer.stdout)).toMatchObject({ client: FORMER, newest: NEXT, registry: registry.url })
    expect(registry.asked).toEqual(['/svc-desk/latest svc'])
    const offline = await made.svc('version --check', { npm_config_registry: 'http://127.0.0.1:9/' })
    expect(offline).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be asked') })
  })
})
