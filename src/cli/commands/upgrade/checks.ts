import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HomeFacts } from '../../../daemon/backup/upgrade.js'
import { countText } from '../../../views/text/count.js'
import { readDaemonFile } from '../../io/home.js'
import { type Finding, type Found, fail, ok, warn } from '../daemon/checks.js'
import type { Installation } from './installation.js'
import type { Release } from './registry.js'
import { isNewer, satisfies } from './versions.js'

/** Room for the next version, and for what npm unpacks meanwhile. */
const PACKAGE_BYTES = 200_000_000
/**
 * Copies of the databases that the home has at once, on the way there and back: the copy and the write-ahead log of a migration,
 * the backup, what a restore copies beside them, and one to spare.
 */
const COPIES = 5
const RESERVE_BYTES = 100_000_000

interface Looked {
  installation: Installation
  home: string
  facts: HomeFacts
  from: string
  release: Release
  /** The user accepts that strategies run. */
  withStrategies: boolean
}

/** Checks what an upgrade needs, before anything is downloaded or stopped. */
export async function upgradeChecks(looked: Looked): Promise<Found[]> {
  const { facts, from, home, installation, release } = looked
  const { node, version: to } = release
  return [
    { check: 'installation', ...ok(installation.folder) },
    {
      check: 'version',
      ...(isNewer(to, from)
        ? ok(`${from} is installed, ${release.registry} has ${to}`)
        : warn(
            `${to} is older than ${from}`,
            'it is tried on a copy of the databases, and refused if it cannot read them',
          )),
    },
    { check: 'node', ...nodeFinding(process.versions.node, node) },
    { check: 'orders', ...ordersFinding(facts.unsettled) },
    { check: 'strategies', ...strategiesFinding(facts.running, looked.withStrategies) },
    { check: 'disk of the home', ...(await room(home, COPIES * facts.bytes + RESERVE_BYTES)) },
    { check: 'disk of the package', ...(await room(dirname(installation.folder), PACKAGE_BYTES)) },
    { check: 'other daemons', ...othersFinding(installation.folder, home) },
  ]
}

export function nodeFinding(node: string, range: string | undefined): Finding {
  if (range === undefined || satisfies(node, range) !== false) return ok(`node ${node}`)
  return fail(`node ${node}, but the new version needs ${range}`, 'install a newer Node')
}

function ordersFinding(unsettled: number): Finding {
  return unsettled === 0 ? ok('all are settled') : fail(unsettledText(unsettled), 'wait for them')
}

/** Returns why an upgrade must wait for orders. */
export function unsettledText(count: number): string {
  const orders = count === 1 ? '1 order is' : `${count} orders are`
  return `${orders} being sent or in doubt, and the version that sent them must settle them: svc order journal --state unknown`
}

function strategiesFinding(running: number, isAccepted: boolean): Finding {
  if (running === 0) return ok('none runs')
  const detail = `${countText(running, 'strategy run')} open: nothing watches stops while the daemon is stopped`
  return isAccepted
    ? warn(detail, 'better after the close')
    : fail(detail, 'svc strategy stop, or svc upgrade --with-strategies')
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

/** A daemon of another home runs this program too, and would lose the files that it has not loaded yet. */
function othersFinding(folder: string, home: string): Finding {
  const own = readDaemonFile(home)?.pid
  const found = daemonsOf(folder).filter((pid) => pid !== own)
  if (found.length === 0) return ok('none runs from this installation')
  const detail = `${countText(found.length, 'other daemon')} of this installation: pid ${found.join(', ')}`
  return fail(detail, 'svc down --home FOLDER')
}

/** Returns the processes that run `svc up` of a package, where the system shows them (Linux). */
export function daemonsOf(folder: string, proc = '/proc'): number[] {
  return pidsIn(proc).filter((pid) => {
    try {
      const [, program = '', ...words] = readFileSync(join(proc, String(pid), 'cmdline'), 'utf8').split('\0')
      return words.includes('up') && realpathSync(program).startsWith(`${realpathSync(folder)}/`)
    } catch {
      return false
    }
  })
}

function pidsIn(proc: string): number[] {
  try {
    return readdirSync(proc).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
