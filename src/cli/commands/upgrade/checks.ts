import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { HomeFacts } from '../../../daemon/backup/upgrade.js'
import { countText } from '../../../views/text/count.js'
import { versionIn } from '../../package.js'
import { type Finding, type Found, fail, ok, warn } from '../daemon/checks.js'
import type { Svc } from './by-hand.js'
import type { Installation } from './installation.js'
import { daemonsOf, runningDaemon, runsFrom } from './proc.js'
import type { Release } from './registry.js'
import { activeFolder, isInPlace, repairOf } from './swap.js'
import { isNewer, satisfies } from './versions.js'

/** Room for the next version, for what npm unpacks meanwhile, and for a copy of the present one. */
const PACKAGE_BYTES = 300_000_000
/**
 * Copies of the databases that the home has at once: the backup, what a migration keeps of before, its write-ahead log, and one to
 * spare.
 */
const COPIES = 4
const RESERVE_BYTES = 100_000_000

interface Looked {
  svc: Svc
  installation: Installation
  home: string
  facts: HomeFacts
  /** The user accepts that strategies run. */
  withStrategies: boolean
  /** An order in doubt counts: `svc` is about to start another version than the one that sent it. */
  orders: boolean
  /** The release to download; undefined for an upgrade that goes on. */
  begins?: { from: string; release: Release }
}

/** Checks what an upgrade needs, before anything is downloaded or stopped. */
export async function upgradeChecks(looked: Looked): Promise<Found[]> {
  const { begins, facts, home, installation, orders, svc, withStrategies } = looked
  const running = runningDaemon(home)?.pid
  const isAccepted = withStrategies || running === undefined
  return [
    ...(begins ? await downloadChecks(looked, begins) : []),
    ...(orders ? [{ check: 'orders', ...ordersFinding(facts.unsettled, svc, running !== undefined) }] : []),
    { check: 'strategies', ...strategiesFinding(facts.running, isAccepted, svc) },
    { check: 'disk of the home', ...(await room(home, COPIES * facts.bytes + RESERVE_BYTES)) },
    { check: 'other daemons', ...othersFinding(daemonsOf(installation), running) },
  ]
}

async function downloadChecks(
  looked: Looked,
  { from, release }: NonNullable<Looked['begins']>,
): Promise<Found[]> {
  const { installation } = looked
  const { node, registry, version: to } = release
  const caution = 'it is tried on a copy of the databases, and refused if it cannot read them'
  const version = isNewer(to, from)
    ? ok(`${from} is installed, ${registry} has ${to}`)
    : warn(`${to} is older than ${from}`, caution)
  return [
    { check: 'installation', ...placeFinding(looked, from) },
    { check: 'version', ...version },
    { check: 'node', ...nodeFinding(process.versions.node, node) },
    { check: 'disk of the package', ...(await room(dirname(installation.folder), PACKAGE_BYTES)) },
  ]
}

/** The stage is about to be removed: it must have neither the only copy of a program nor the one that runs. */
function placeFinding({ home, installation, svc }: Looked, from: string): Finding {
  const { bin, folder, stage } = installation
  const daemon = runningDaemon(home)
  if (daemon && runsFrom(daemon.pid, stage)) {
    return fail(
      `the daemon runs from ${stage}`,
      `start it from its place: ${svc('down')}, then ${svc('up --detach')}`,
    )
  }
  if (isInPlace(installation) && versionIn(folder) === from) return ok(folder)
  const detail = `${bin} starts ${activeFolder(installation) ?? 'nothing'}, not ${folder}`
  return fail(detail, repairOf(installation))
}

export function nodeFinding(node: string, range: string | undefined): Finding {
  if (range === undefined || satisfies(node, range) !== false) return ok(`node ${node}`)
  return fail(`node ${node}, but the new version needs ${range}`, 'install a newer Node')
}

function ordersFinding(unsettled: number, svc: Svc, isRunning: boolean): Finding {
  if (unsettled === 0) return ok('all are settled')
  const fix = isRunning ? 'wait for them' : `start the daemon, and wait for them: ${svc('up --detach')}`
  return fail(unsettledText(unsettled, svc, isRunning), fix)
}

/** Returns why an upgrade must wait for orders. A stopped daemon settles none. */
export function unsettledText(count: number, svc: Svc, isRunning: boolean): string {
  const orders = count === 1 ? '1 order is' : `${count} orders are`
  const next = isRunning
    ? svc('order journal --state unknown')
    : `start it (${svc('up --detach')}); what it cannot settle, a person can (${svc('order settle')})`
  return `${orders} being sent or in doubt, and the version that sent them must settle them: ${next}`
}

function strategiesFinding(running: number, isAccepted: boolean, svc: Svc): Finding {
  if (running === 0) return ok('none runs')
  const detail = `${countText(running, 'strategy run')} open: nothing watches stops while the daemon is stopped`
  return isAccepted
    ? warn(detail, 'better after the close')
    : fail(detail, `${svc('strategy stop')}, or ${svc('upgrade --with-strategies')}`)
}

async function room(folder: string, needed: number): Promise<Finding> {
  let path = folder
  while (!existsSync(path)) path = dirname(path)
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  const detail = `${megabytes(free)} free, ${megabytes(needed)} needed (${folder})`
  return free >= needed ? ok(detail) : fail(detail, 'free some space')
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1_000_000).toLocaleString('en-IN')} MB`

/**
 * A daemon of another home runs this program too, and would lose the files that it has not loaded yet. One of this home that is still
 * starting cannot be asked how it runs.
 * @param found the daemons of the installation; undefined where the system does not show them
 */
export function othersFinding(found: readonly number[] | undefined, own: number | undefined): Finding {
  if (found === undefined)
    return warn('this system does not show them', 'svc down --home FOLDER in each other home first')
  const others = found.filter((pid) => pid !== own)
  return others.length === 0
    ? ok('none runs from this installation')
    : fail(othersText(others), 'svc down --home FOLDER')
}

/** Returns why an upgrade must wait for daemons. */
export const othersText = (pids: readonly number[]): string =>
  `${countText(pids.length, 'other daemon')} of this installation, or one that is still starting: pid ${pids.join(', ')}`
