import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { query } from '../support/files/files.js'
import {
  FORMER,
  NEXT,
  type NextVersion,
  NpmInstallation,
  PackageRegistry,
} from '../support/process/npm-installation.js'

/*
 * An upgrade that is killed at any step leaves a program that starts, and `svc upgrade` ends what it began: with one whole version,
 * and with every order.
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
const UP = `argv[0] === 'up' && !argv.join(' ').includes('svc-self-check')`
/** A version that migrates the databases at its start, and does not come up. */
const BREAKS = `if (${UP}) {
  const { execFileSync } = await import('node:child_process')
  execFileSync(process.argv[1], ['__migrate', '--home', argv[argv.indexOf('--home') + 1]])
  process.exit(3)
}`

/** Makes an installation with an order, whose upgrade was killed before it stopped the daemon. The daemon is gone, too. */
async function begun(next: NextVersion): Promise<NpmInstallation> {
  await registry.publishNext(next)
  const first = NpmInstallation.make(registry)
  await first.up()
  expect(await first.place()).toMatchObject({ code: 0 })
  expect(await first.svc('upgrade --yes', { SVC_CRASH_AT: 'upgrade.stop' })).toMatchObject({
    signal: 'SIGKILL',
  })
  await first.svc('down')
  return first
}

/** Kills an upgrade at a point. The home has an upgrade then, and `svc` starts. */
async function killedAt(point: string, of: NpmInstallation): Promise<NpmInstallation> {
  made = of.copy()
  const { signal, stderr } = await made.svc('upgrade --yes', { SVC_CRASH_AT: point })
  expect(signal, stderr).toBe('SIGKILL')
  const doctor = await made.svc('doctor')
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining('is not finished (step') })
  return made
}

/** Ends the upgrade, and expects that one version is installed and runs, with nothing left behind. */
async function ends(of: NpmInstallation, version: string, orders: readonly string[]): Promise<void> {
  const { code, stderr } = await of.svc('upgrade --yes')
  expect({ code, ...(await of.versions()) }, stderr).toEqual({
    code: version === NEXT ? 0 : 1,
    client: version,
    daemon: version,
  })
  expect(of.leftovers).toEqual([])
  expect(await symbolsOf(of)).toEqual(orders)
}

const symbolsOf = async ({ home }: NpmInstallation) =>
  (
    await query<{ symbol: string }>(
      join(home, 'svc.db'),
      'select symbol from order_journal order by created_at',
    )
  ).map(({ symbol }) => symbol)

describe('on the way there', () => {
  let first: NpmInstallation
  beforeAll(async () => {
    first = await begun({ migration: MIGRATION })
  })
  afterAll(() => first.dispose())

  test.each([
    { point: 'upgrade.stop' },
    { point: 'upgrade.backup' },
    { point: 'upgrade.swap' },
    { point: 'upgrade.led' },
    { point: 'upgrade.aside' },
    { point: 'upgrade.placed' },
    { point: 'upgrade.start' },
  ])(
    'killed at $point, the home takes orders, and the upgrade is finished with all of them',
    async ({ point }) => {
      const cut = await killedAt(point, first)
      await cut.up()
      expect(await cut.place('INFY')).toMatchObject({ code: 0 })
      await ends(cut, NEXT, ['SBIN', 'INFY'])
      expect(await cut.place('TCS')).toMatchObject({ code: 0 })
    },
  )

  test('it goes on where the daemon is stopped, and does not begin a second time', async () => {
    const cut = await killedAt('upgrade.placed', first)
    await ends(cut, NEXT, ['SBIN'])
    expect(await cut.svc('upgrade --yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing to do'),
    })
  })
})

describe('on the way back', () => {
  let first: NpmInstallation
  beforeAll(async () => {
    first = await begun({ migration: MIGRATION, begins: BREAKS })
  })
  afterAll(() => first.dispose())

  // The way there passes the points of the exchange, too.
  test.each([
    { point: 'upgrade.back', passage: 1 },
    { point: 'upgrade.led', passage: 2 },
    { point: 'upgrade.aside', passage: 2 },
    { point: 'upgrade.placed', passage: 2 },
    { point: 'upgrade.restore', passage: 1 },
    { point: 'upgrade.again', passage: 1 },
  ])(
    'killed at $point, it ends with the former version, its databases, and the kill switch',
    async ({ passage, point }) => {
      const cut = await killedAt(`${point}:${passage}`, first)
      await ends(cut, FORMER, ['SBIN'])
      const refused = await cut.place()
      expect(refused).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('ompare orders and positions'),
      })
      expect(existsSync(join(cut.home, 'restored.json'))).toBe(false)
    },
  )
})
