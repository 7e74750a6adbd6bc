import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FileLock } from '../../src/core/storage/index.js'
import { testInTorture } from '../support/chance/cases.js'
import { eventually } from '../support/eventually.js'
import { execute, query } from '../support/files/files.js'
import {
  FORMER,
  importing,
  NEXT,
  NpmInstallation,
  PackageRegistry,
} from '../support/process/npm-installation.js'

let registry: PackageRegistry
let made: NpmInstallation

beforeAll(async () => {
  registry = await PackageRegistry.open()
})
afterAll(() => registry.close())
beforeEach(() => {
  registry.latest = NEXT
  made = NpmInstallation.make(registry)
})
afterEach(() => made.dispose())

const MIGRATION = 'create table upgrade_probe (x integer);'
const UP = `argv[0] === 'up' && !argv.join(' ').includes('svc-self-check')`
const MIGRATES = `const { execFileSync } = await import('node:child_process')
  const home = argv[argv.indexOf('--home') + 1]
  execFileSync(process.argv[1], ['__migrate', '--home', home])`
/** Leaves an order in doubt, as a version does that is killed while it sends one. */
const DOUBTS = `const { default: sqlite3 } = await import('sqlite3')
  const db = new sqlite3.Database(argv[argv.indexOf('--home') + 1] + '/svc.db')
  await new Promise((done) => db.exec("update order_journal set state = 'unknown'", done))`
/** Statements that only the first start of the next version runs. */
const once = (statements: string) => `if (${UP}) {
  const { existsSync, writeFileSync } = await import('node:fs')
  const mark = argv[argv.indexOf('--home') + 1] + '/started-once'
  if (!existsSync(mark)) { writeFileSync(mark, ''); ${statements}; process.exit(3) }
}`

const orders = ({ home }: NpmInstallation) =>
  query(join(home, 'svc.db'), 'select order_ref, state from order_journal')
const probes = ({ home }: NpmInstallation) =>
  query(join(home, 'logs.db'), "select 1 from sqlite_schema where name = 'upgrade_probe'")

/** Starts a daemon of another home when the upgrade renames something to a name, and goes on then. */
const whenRenamedTo = (end: string, { bin, folder }: NpmInstallation) =>
  importing(`import fs from 'node:fs'
import { execFileSync } from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'
const rename = fs.renameSync
let isStarted = false
fs.renameSync = (from, to) => {
  if (!isStarted && to.endsWith('${end}')) {
    isStarted = true
    const { NODE_OPTIONS: _, ...env } = process.env
    const words = ['up', '--detach', '--home', '${join(folder, 'other')}', '--port', '0', '--ws-port', '0']
    execFileSync('${bin}', words, { env })
  }
  return rename(from, to)
}
syncBuiltinESMExports()`)
const other = async (line: string) => made.svc(`${line} --home ${join(made.folder, 'other')}`)

async function runs(): Promise<void> {
  await made.up()
  expect(await made.place()).toMatchObject({ code: 0 })
}

/** Expects that the present version is installed and runs as before, with nothing left behind. */
async function isAsBefore(): Promise<void> {
  expect([await made.versions(), made.leftovers]).toEqual([{ client: FORMER, daemon: FORMER }, []])
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
    await isAsBefore()

    const { code, stderr, stdout } = await made.svc('upgrade --yes --json')
    expect(code, stderr).toBe(0)
    const result = JSON.parse(stdout)
    expect(result).toEqual({ from: FORMER, to: NEXT, backup: expect.stringMatching(/\/backups\/\d{8}T/) })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: NEXT })
    expect(JSON.parse((await made.svc('status --json')).stdout)).toMatchObject({ url })
    expect([await orders(made), (await probes(made)).length, made.leftovers]).toEqual([before, 1, []])
    expect(await made.svc(`backup verify ${result.backup}`)).toMatchObject({ code: 0 })

    // Only --to names an older version. It is tried on a copy, and cannot read it.
    registry.latest = FORMER
    const newest = await made.svc('upgrade --yes')
    expect(newest).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to do') })
    const older = await made.svc(`upgrade --to ${FORMER} --yes`)
    expect(older).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was written by a newer version'),
    })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: NEXT })
    expect(await made.svc('upgrade --back --yes')).toMatchObject({ code: 5 })
  })

  testInTorture('leaves a stopped home stopped, and its databases as they are', async () => {
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
    for (const file of [made.lock, join(made.home, 'upgrade.lock')]) {
      const other = await FileLock.acquire(file)
      try {
        expect(await made.svc('upgrade --yes')).toMatchObject({
          code: 5,
          stderr: expect.stringContaining('at work'),
        })
      } finally {
        await other.release()
      }
    }
    expect([made.pid, made.leftovers]).toEqual([pid, []])
  })

  testInTorture('waits for a daemon that takes 12 s to stop', async () => {
    await registry.publishNext({})
    const slow = `const on = process.on.bind(process)
process.on = (name, run) => on(name, name === 'SIGTERM' ? () => setTimeout(run, 12_000) : run)`
    await made.up({ NODE_OPTIONS: importing(slow) })
    const upgraded = await made.svc('upgrade --yes')
    expect(upgraded, upgraded.stderr).toMatchObject({ code: 0 })
    expect(await made.versions()).toEqual({ client: NEXT, daemon: NEXT })
  })

  testInTorture('replaces nothing while the daemon does not stop, and kills nothing', async () => {
    await registry.publishNext({})
    const deaf = `const on = process.on.bind(process)
process.on = (name, run) => on(name, name === 'SIGTERM' ? () => {} : run)`
    await made.up({ NODE_OPTIONS: importing(deaf) })
    const { pid } = made
    const waits = await made.svc('upgrade --yes')
    expect(waits).toMatchObject({ code: 1, stderr: expect.stringContaining('still runs after 15 s') })
    expect([await made.versions(), made.pid]).toEqual([{ client: FORMER, daemon: FORMER }, pid])
    expect(await made.svc('upgrade --back --yes')).toMatchObject({ code: 0 })
    expect(made.pid).toBe(pid)
    await isAsBefore()
    process.kill(pid, 'SIGKILL')
  })

  testInTorture(
    'installs from the registry that it has asked, which the settings of a prefix may name',
    async () => {
      await registry.publishNext({})
      made.write('.npmrc', `prefix=${join(made.folder, 'prefix')}\n`)
      made.write('prefix/etc/npmrc', `registry=${registry.url}\n`)
      const upgraded = await made.svc('upgrade --yes', { npm_config_registry: '' })
      expect(upgraded, upgraded.stderr).toMatchObject({ code: 0 })
      expect(await made.versions()).toEqual({ client: NEXT, daemon: null })
    },
  )

  testInTorture('starts no daemon in the unit of another service, with which it would end', async () => {
    await made.up()
    const { pid } = made
    const inUnit = importing(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const read = fs.readFileSync
const cgroup = '0::/system.slice/weekly.service\\n'
fs.readFileSync = (path, ...rest) => (path === '/proc/self/cgroup' ? cgroup : read(path, ...rest))
syncBuiltinESMExports()`)
    const refused = await made.svc('upgrade --yes', { NODE_OPTIONS: inUnit })
    expect(refused).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('runs in the unit weekly.service'),
    })
    expect([made.pid, made.leftovers]).toEqual([pid, []])
  })

  testInTorture('stops no daemon while one of another home runs from the installation', async () => {
    await registry.publishNext({})
    await made.up()
    const { pid } = made
    try {
      const NODE_OPTIONS = whenRenamedTo('/upgrade.json', made)
      const refused = await made.svc('upgrade --yes', { NODE_OPTIONS })
      expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('1 other daemon') })
      expect([await made.versions(), made.pid]).toEqual([{ client: FORMER, daemon: FORMER }, pid])
    } finally {
      await other('down')
    }
  })

  testInTorture('keeps the program from which a daemon of another home was started meanwhile', async () => {
    await registry.publishNext({})
    await made.up()
    try {
      const upgraded = await made.svc('upgrade --yes', { NODE_OPTIONS: whenRenamedTo('/aside', made) })
      expect(upgraded, upgraded.stderr).toMatchObject({ code: 0 })
      expect([await made.versions(), made.leftovers]).toEqual([{ client: NEXT, daemon: NEXT }, [made.stage]])
      expect(JSON.parse((await other('status --json')).stdout)).toMatchObject({ version: FORMER })
    } finally {
      await other('down')
    }
  })

  testInTorture('forgets what is unfinished of an installation that is gone', async () => {
    const journal = {
      ...{ from: FORMER, to: NEXT, at: '2026-11-27T15:45:00.000Z', step: 'start', id: null, daemon: null },
      ...{
        folder: '/gone/lib/node_modules/svc-desk',
        backup: null,
        schemas: { svc: 1, sandbox: 1, logs: 1 },
      },
    }
    made.write('home/upgrade.json', JSON.stringify(journal))
    const forgotten = await made.svc('upgrade --yes')
    expect(forgotten).toMatchObject({ code: 0, stderr: expect.stringContaining('is gone: it is forgotten') })
    expect(made.leftovers).toEqual([])
  })

  testInTorture('takes over the settings of the environment, and stores none of them', async () => {
    await registry.publishNext({})
    // The address of another daemon, for the commands of a person, is among them.
    const given = { LOG_LEVEL: 'WARNING', TZ: 'Asia/Kolkata', SVC_URL: 'https://desk.example.com' }
    const up = await made.svc('up --detach --context local --port 0 --ws-port 0', given)
    expect(up, up.stderr).toMatchObject({ code: 0 })
    const upgraded = await made.svc('upgrade --yes')
    expect(upgraded, upgraded.stderr).toMatchObject({ code: 0 })
    const env = readFileSync(`/proc/${made.pid}/environ`, 'utf8').split('\0')
    expect(env).toEqual(expect.arrayContaining(Object.entries(given).map((pair) => pair.join('='))))
  })

  test('leaves a daemon alone that another installation has started', async () => {
    const other = NpmInstallation.make(registry)
    try {
      await other.up({ SVC_HOME: made.home })
      const { pid } = made
      const refused = await made.svc('upgrade --yes')
      expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('was not started by') })
      expect([made.pid, made.leftovers]).toEqual([pid, []])
    } finally {
      await made.svc('down --force')
      await other.dispose()
    }
  })

  testInTorture('removes the copy of the databases when a signal ends it', async () => {
    await registry.publishNext({
      begins: `if (argv[0] === '__migrate') await new Promise((done) => setTimeout(done, 1e9))`,
    })
    await runs()
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
      const { exited, process: child } = made.begin('upgrade --yes')
      await eventually(() => existsSync(join(made.home, '.upgrade-trial/logs.db')), 'the trial begins')
      child.kill(name)
      expect(await exited).toEqual({ code: 130, signal: null })
      await isAsBefore()
    }
  })
})

describe('svc upgrade goes back', () => {
  test('when the new version does not come up', async () => {
    await registry.publishNext({ begins: `if (${UP}) process.exit(3)`, migration: MIGRATION })
    await runs()
    const before = await orders(made)
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${FORMER} is installed and running`),
    })
    await isAsBefore()
    expect(await orders(made)).toEqual(before)
    expect(await made.place()).toMatchObject({ code: 0 })
  })

  testInTorture('after Ctrl-C, and goes on when it is killed or its terminal closes', async () => {
    await registry.publishNext({ begins: `if (${UP}) await new Promise((done) => setTimeout(done, 1e9))` })
    await runs()
    const { exited, process: child } = made.begin('upgrade --yes')
    const journal = join(made.home, 'upgrade.json')
    const starts = () => existsSync(journal) && readFileSync(journal, 'utf8').includes('"step": "start"')
    await eventually(starts, 'the new version starts')
    for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) child.kill(name)
    expect(await exited).toEqual({ code: 130, signal: null })
    await isAsBefore()
  })

  // The renames of the exchange: the former version aside, and the next one in its place.
  for (const to of ['/aside', '/svc-desk'])
    testInTorture(`when the rename to ${to} fails`, async () => {
      await registry.publishNext({})
      await runs()
      const fails = importing(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const rename = fs.renameSync
let failed = false
fs.renameSync = (from, to) => {
  if (failed || !to.endsWith('${to}')) return rename(from, to)
  failed = true
  throw new Error('EXDEV: cross-device link not permitted')
}
syncBuiltinESMExports()`)
      const failed = await made.svc('upgrade --yes', { NODE_OPTIONS: fails })
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('EXDEV') })
      await isAsBefore()
    })

  testInTorture('to a command that starts, also when no folder can be put back', async () => {
    await registry.publishNext({})
    await runs()
    const fails = importing(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const rename = fs.renameSync
fs.renameSync = (from, to) => {
  if (to.endsWith('/svc-desk')) throw new Error('EIO: i/o error')
  return rename(from, to)
}
syncBuiltinESMExports()`)
    const failed = await made.svc('upgrade --yes', { NODE_OPTIONS: fails })
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/EIO[\s\S]*svc 0\.1\.0 is in place\. Its daemon runs\./),
    })
    expect(await made.versions()).toEqual({ client: FORMER, daemon: FORMER })
    expect(await made.svc('upgrade --back --yes')).toMatchObject({ code: 0 })
    await isAsBefore()
  })

  testInTorture('when the journal cannot be written any more', async () => {
    await registry.publishNext({})
    await runs()
    const fails = importing(`import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
const write = fs.writeFileSync
let written = 0
fs.writeFileSync = (path, ...rest) => {
  if (String(path).endsWith('upgrade.json.new') && ++written > 2) throw new Error('ENOSPC: no space left on device')
  return write(path, ...rest)
}
syncBuiltinESMExports()`)
    const failed = await made.svc('upgrade --yes', { NODE_OPTIONS: fails })
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOSPC[\s\S]*and running/) })
    await isAsBefore()
  })
})

describe('svc upgrade does not go back', () => {
  test('from migrated databases: the new version is started again, and the way back is a command', async () => {
    await registry.publishNext({ begins: once(MIGRATES), migration: MIGRATION })
    await runs()
    const before = await orders(made)
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /migrated the databases[\s\S]*svc 0\.2\.0 is in place\. Its daemon runs\./,
      ),
    })
    expect([await made.versions(), await orders(made)]).toEqual([{ client: NEXT, daemon: NEXT }, before])
    expect((await made.svc('doctor')).stdout).toContain('the new version may have run')
    const { pid } = made
    const refused = await made.svc('upgrade --back --yes')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Its daemon runs.') })
    expect(made.pid).toBe(pid)

    // By hand, as the message says.
    const commands = failed.stderr.split('\n').filter((line) => /^ {2}\S/.test(line))
    expect(commands).toHaveLength(5)
    const { url, ws_url: wsUrl } = JSON.parse((await made.svc('status --json')).stdout)
    for (const command of commands) {
      const ran = await made.shell(command)
      expect(ran.code, `${command}: ${ran.stderr}`).toBe(0)
    }
    expect([await orders(made), await probes(made)]).toEqual([before, []])
    expect(await made.place()).toMatchObject({ code: 5 })
    // The daemon that comes back is the one that ran.
    expect(failed.stderr).toContain('Set first, as the daemon had them in its environment: SVC_API_KEY')
    expect(JSON.parse((await made.svc('status --json')).stdout)).toMatchObject({ url, ws_url: wsUrl })
    await isAsBefore()
  })

  test('from an order in doubt, before and after the exchange', async () => {
    await registry.publishNext({ begins: once(DOUBTS) })
    await runs()
    const failed = await made.svc('upgrade --yes')
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/1 order is being sent or in doubt[\s\S]*svc 0\.2\.0 is in place/),
    })
    expect((await made.versions()).client).toBe(NEXT)
    // The new version settles its own order, and the upgrade is finished.
    await eventually(async () => (await orders(made))[0]?.state === 'filled', 'the order is settled')
    expect(await made.svc('upgrade --yes')).toMatchObject({ code: 0 })
    expect([await made.versions(), made.leftovers]).toEqual([{ client: NEXT, daemon: NEXT }, []])
  })

  test('nor begins, while an order is in doubt', async () => {
    await runs()
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
    expect(newer, newer.stderr).toMatchObject({ code: 9 })
    expect(JSON.parse(newer.stdout)).toMatchObject({ client: FORMER, newest: NEXT, registry: registry.url })
    expect(registry.asked).toEqual(['/svc-desk svc'])
    const offline = await made.svc('version --check', { npm_config_registry: 'http://127.0.0.1:9/' })
    expect(offline).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be asked') })
    const open = await made.svc('version --check', { npm_config_registry: 'http://npm.example.com/' })
    expect(open).toMatchObject({ code: 5, stderr: expect.stringContaining('http://npm.example.com/ is not') })
    const secret = { npm_config_registry: 'https://asha:secret@npm.example.com/' }
    const protectedOne = await made.svc('version --check', secret)
    expect(protectedOne).toMatchObject({ code: 1, stderr: expect.stringContaining('_auth') })
    expect(protectedOne.stderr).not.toContain('secret')
  })
})
