import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { casesFor, testInTorture } from '../support/chance/cases.js'
import { query } from '../support/files/files.js'
import {
  change,
  FORMER,
  NEXT,
  type NextVersion,
  NpmInstallation,
  PackageRegistry,
} from '../support/process/npm-installation.js'

/*
 * An upgrade that is killed at any step leaves a program that starts, and `svc upgrade` ends what it began: with one whole version,
 * and with every order. `npm test` kills it while no version is in its place and after the exchange, on the way there and back.
 */

let registry: PackageRegistry
let made: NpmInstallation | undefined

beforeAll(async () => {
  registry = await PackageRegistry.open()
})
afterAll(() => registry.close())
afterEach(async () => {
  await made?.dispose()
  made = undefined
})

const MIGRATION = 'create table upgrade_probe (x integer);'
/** A version that does not come up. */
const BREAKS = `if (argv[0] === 'up' && !argv.join(' ').includes('svc-self-check')) process.exit(3)`

/** Makes an installation with an order, whose upgrade was killed before it stopped the daemon. The daemon is gone, too. */
async function begun(next: NextVersion): Promise<NpmInstallation> {
  await registry.publishNext(next)
  const first = NpmInstallation.make(registry)
  await first.up({ LOG_LEVEL: 'WARNING' })
  expect(await first.place()).toMatchObject({ code: 0 })
  expect(await first.svc('upgrade --yes', { SVC_CRASH_AT: 'upgrade.stop' })).toMatchObject({
    signal: 'SIGKILL',
  })
  await first.svc('down')
  return first
}

const HAD = { LOG_LEVEL: 'WARNING' }

/** Kills an upgrade at a point. The home has an upgrade then, and `svc` starts. */
async function killedAt(point: string, of: NpmInstallation): Promise<NpmInstallation> {
  made = of.copy()
  const { signal, stderr } = await made.svc('upgrade --yes', { SVC_CRASH_AT: point, ...HAD })
  expect(signal, stderr).toBe('SIGKILL')
  const doctor = await made.svc('doctor')
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('is not finished (step') })
  return made
}

/** Ends the upgrade, and expects that one version is installed and runs, with nothing left behind. */
async function ends(
  of: NpmInstallation,
  line: string,
  { code: wanted, orders, version }: { code: number; orders: readonly string[]; version: string },
): Promise<void> {
  const { code, stderr } = await of.svc(line, HAD)
  expect({ code, ...(await of.versions()) }, stderr).toEqual({
    ...{ code: wanted, client: version, daemon: version },
  })
  expect([of.leftovers, await symbolsOf(of)]).toEqual([[], orders])
}

const symbolsOf = async ({ home }: NpmInstallation) =>
  (
    await query<{ symbol: string }>(
      join(home, 'svc.db'),
      'select symbol from order_journal order by created_at',
    )
  ).map(({ symbol }) => symbol)

const ON_THE_WAY = [
  { point: 'upgrade.stop', starts: FORMER },
  { point: 'upgrade.backup', starts: FORMER },
  { point: 'upgrade.swap', starts: FORMER },
  { point: 'upgrade.led', starts: FORMER },
  { point: 'upgrade.aside', starts: FORMER },
  { point: 'upgrade.placed', starts: FORMER },
  { point: 'upgrade.start', starts: FORMER },
  { point: 'upgrade.switched', starts: NEXT },
]

describe('on the way there', () => {
  let first: NpmInstallation
  beforeAll(async () => {
    first = await begun({ migration: MIGRATION })
  })
  afterAll(() => first.dispose())

  test.each(casesFor(ON_THE_WAY, ({ point }) => /aside|switched/.test(point)))(
    'killed at $point, svc $starts takes orders, and the upgrade is finished with all of them',
    async ({ point, starts }) => {
      const cut = await killedAt(point, first)
      await cut.up(HAD)
      expect(await cut.versions()).toEqual({ client: starts, daemon: starts })
      expect(await cut.place('INFY')).toMatchObject({ code: 0 })
      await ends(cut, 'upgrade --yes', { code: 0, version: NEXT, orders: ['SBIN', 'INFY'] })
      expect(await cut.place('TCS')).toMatchObject({ code: 0 })
    },
  )

  const beforeItRuns = ON_THE_WAY.filter(({ point }) => /led|aside|placed|start$/.test(point))
  test.each(casesFor(beforeItRuns, ({ point }) => point === 'upgrade.placed'))(
    'killed at $point, svc upgrade --back goes back to the same databases',
    async ({ point }) => {
      const cut = await killedAt(point, first)
      await ends(cut, 'upgrade --back --yes', { code: 0, version: FORMER, orders: ['SBIN'] })
      expect(await cut.place()).toMatchObject({ code: 0 })
    },
  )

  testInTorture('it goes on where the daemon is stopped, and does not begin a second time', async () => {
    const cut = await killedAt('upgrade.placed', first)
    await ends(cut, 'upgrade --yes', { code: 0, version: NEXT, orders: ['SBIN'] })
    expect(await cut.svc('upgrade --yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing to do'),
    })
  })

  testInTorture(
    'it does not start a daemon without the settings that it had, and has stored only their names',
    async () => {
      const cut = await killedAt('upgrade.start', first)
      expect(await cut.svc('upgrade --yes')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('lacks: LOG_LEVEL'),
      })
      expect(JSON.parse(readFileSync(join(cut.home, 'upgrade.json'), 'utf8')).daemon).toEqual({
        ...{ port: expect.any(Number), ws_port: expect.any(Number), node: [] },
        settings: ['SVC_API_KEY', 'LOG_LEVEL', 'NODE_OPTIONS'],
      })
    },
  )

  testInTorture('it keeps the backup from before, when the databases have changed since', async () => {
    const cut = await killedAt('upgrade.swap', first)
    const file = join(cut.home, 'upgrade.json')
    const { backup } = JSON.parse(readFileSync(file, 'utf8'))
    change(file, (text) => text.replace(/"logs": \d+/, '"logs": 1'))
    const again = await cut.svc('upgrade --yes', { SVC_CRASH_AT: 'upgrade.start', ...HAD })
    expect(again, again.stderr).toMatchObject({ signal: 'SIGKILL' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ backup, schemas: { logs: 1 } })
    expect(backup).toEqual(expect.stringContaining('/backups/'))
  })

  testInTorture('it replaces no third version', async () => {
    const cut = await killedAt('upgrade.start', first)
    const manifest = join(cut.folder, 'prefix/lib/node_modules/svc-desk/package.json')
    change(manifest, (text) => text.replace(`"version": "${NEXT}"`, '"version": "0.3.0"'))
    const forgotten = await cut.svc('upgrade --yes', HAD)
    expect(forgotten).toMatchObject({ code: 1, stderr: expect.stringContaining('it is forgotten') })
    // The daemon that the upgrade has stopped is started by a person, with the new version or not at all.
    expect(forgotten.stderr).toMatch(
      /Set first, .*LOG_LEVEL, NODE_OPTIONS\n {2}svc up --detach --port \d+ --ws-port \d+ --home /,
    )
    expect(readFileSync(manifest, 'utf8')).toContain('0.3.0')
  })

  testInTorture('it starts the daemon again when the files of the upgrade were removed', async () => {
    const cut = await killedAt('upgrade.swap', first)
    rmSync(cut.stage, { recursive: true })
    await ends(cut, 'upgrade --yes', { code: 0, version: FORMER, orders: ['SBIN'] })
  })
})

describe('on the way back', () => {
  let first: NpmInstallation
  beforeAll(async () => {
    first = await begun({ migration: MIGRATION, begins: BREAKS })
  })
  afterAll(() => first.dispose())

  const onTheWayBack = [
    { point: 'upgrade.back' },
    { point: 'upgrade.ledBack' },
    { point: 'upgrade.asideBack' },
    { point: 'upgrade.placedBack' },
    { point: 'upgrade.again' },
  ]
  test.each(casesFor(onTheWayBack, ({ point }) => point === 'upgrade.asideBack'))(
    'killed at $point, svc upgrade ends with the former version and its databases',
    async ({ point }) => {
      const cut = await killedAt(point, first)
      await ends(cut, 'upgrade --yes', { code: 1, version: FORMER, orders: ['SBIN'] })
      expect(await cut.place()).toMatchObject({ code: 0 })
    },
  )

  for (const point of ['upgrade.ledBack', 'upgrade.asideBack'])
    testInTorture(`killed at ${point}, svc up starts the former version, and its orders stay`, async () => {
      const cut = await killedAt(point, first)
      await cut.up(HAD)
      expect(await cut.versions()).toEqual({ client: FORMER, daemon: FORMER })
      expect(await cut.place('INFY')).toMatchObject({ code: 0 })
      await ends(cut, 'upgrade --yes', { code: 1, version: FORMER, orders: ['SBIN', 'INFY'] })
    })
})
