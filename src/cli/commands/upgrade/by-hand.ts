import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { GlobalSettings } from '../../framework/globals.js'
import { PACKAGE_NAME } from '../../package.js'
import { portWords } from './journal.js'
import { type Ports, portsOf, runningDaemon, type Unit, unitOf } from './proc.js'

/** Returns a command of svc as a person types it. */
export type Svc = (words: string) => string

/** The part of a command's context that says which home it works on. */
export interface AtHome {
  settings: Pick<GlobalSettings, 'daemon' | 'home'>
}

/** Returns how a person types commands for the home of this run. It is named, unless it is the one without any name. */
export function svcAt({ settings: { daemon, home } }: AtHome): Svc {
  const named = daemon === undefined ? '' : ` --home ${inShell(home)}`
  return (words) => `svc ${words}${named}`
}

/** Returns a word as a shell reads it. */
export const inShell = (word: string): string =>
  /^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** The facts that decide the commands of an upgrade by hand. */
export interface ByHand {
  svc: Svc
  home: string
  /** A version, or `latest`. */
  version: string
  /** The folder of the package. */
  folder: string
  /** Who runs this command; undefined on systems that do not say it. */
  uid: number | undefined
  /** Whom home and package belong to; undefined for what does not exist. */
  owners: { home: number | undefined; package: number | undefined }
  /** The daemon of the home; undefined if none is seen. */
  daemon: Ports | undefined
  /** The unit that runs it; undefined for one that `svc up` has started, or for none. */
  unit: Unit | undefined
}

/** Returns what an upgrade by hand of a package depends on. The folders of the package are those in which an upgrade writes. */
export function byHandFacts(
  at: AtHome,
  {
    folder,
    folders = [folder],
    uid,
    version,
  }: Pick<ByHand, 'folder' | 'uid' | 'version'> & { folders?: string[] },
): ByHand {
  const { home } = at.settings
  const owners = {
    home: ownerOf(home),
    package: folders.map(ownerOf).find((one) => one !== uid) ?? ownerOf(folder),
  }
  const daemon = runningDaemon(home)
  const found = daemon && unitOf(daemon.pid)
  // A terminal may be a unit, too: it is not stopped to stop what was started in it.
  const unit = found?.name === unitOf('self')?.name ? undefined : found
  return {
    ...{ svc: svcAt(at), home, version, folder, uid, owners },
    daemon: daemon && portsOf(daemon),
    // Nobody else sees the daemon of a service.
    unit: unit ?? (!daemon && isOfOthers(owners.home, uid) ? { name: 'svc', isOfUser: false } : undefined),
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}

/** Root works on what belongs to a service. */
const isOfOthers = (owner: number | undefined, uid: number | undefined): boolean =>
  uid === 0 || (owner !== undefined && owner !== uid)

/** Returns the words before a command that the owner of something must run. */
function asOwner(owner: number | undefined, uid: number | undefined): string {
  if (owner === undefined || uid === undefined || owner === uid) return ''
  return owner === 0 ? 'sudo ' : `sudo -H -u '#${owner}' `
}

/** Returns the prefix of npm of a global package. */
export const prefixOf = (folder: string): string => join(folder, '../../..')

/** Returns the command that installs a version where a package is, with the program that has installed it. */
function install({ folder, owners, uid, version }: ByHand): string {
  const named = `${PACKAGE_NAME}@${version}`
  const as = asOwner(owners.package, uid)
  if (/\/\.?pnpm\//.test(folder)) return `${as}pnpm add --global ${named}`
  if (folder.includes('/yarn/global/')) return `${as}yarn global add ${named}`
  const prefix = isGlobal(folder) ? ` --prefix ${inShell(prefixOf(folder))}` : ''
  return `${as}npm install --global${prefix} ${named}`
}

/** Returns whether a folder is one of `npm install --global`. */
export const isGlobal = (folder: string): boolean => folder.endsWith(`/lib/node_modules/${PACKAGE_NAME}`)

const systemctl = ({ isOfUser }: Unit): string => (isOfUser ? 'systemctl --user' : 'sudo systemctl')

function stop({ owners, svc, uid, unit }: ByHand): string {
  if (unit) return `${systemctl(unit)} stop ${inShell(unit.name)}`
  return `${asOwner(owners.home, uid)}${svc('down')}`
}

function start({ daemon, owners, svc, uid, unit }: ByHand): string {
  if (unit) return `${systemctl(unit)} start ${inShell(unit.name)}`
  const as = asOwner(owners.home, uid)
  const up = ['up --detach', ...(daemon ? portWords(daemon) : [])].join(' ')
  return `${as}${svc(up)} && ${as}${svc('doctor')}`
}

function copy({ home, owners, uid }: ByHand): string {
  return isOfOthers(owners.home, uid)
    ? `sudo cp -a ${inShell(home)} /var/backups/${inShell(basename(home))}-$(date +%F)`
    : `cp -a ${inShell(home)} ~/svc-$(date +%F)`
}

/** The commands of an upgrade by hand, for each way to run svc: those of docs/deployment.md. */
export const BY_HAND = {
  package: (facts: ByHand) => [stop(facts), copy(facts), install(facts), start(facts)],
  container: () => [
    'podman build -f deploy/Containerfile -t svc .',
    'podman exec svc svc backup',
    'podman stop svc && podman rm svc',
    'podman volume export svc-home > svc-$(date +%F).tar',
    'podman run -d --name svc --restart on-failure -p 127.0.0.1:5000:5000 -v svc-home:/home/node/svc svc',
  ],
  checkout: (facts: ByHand) => [
    `${facts.svc('backup')} && ${stop(facts)}`,
    'git pull && npm ci',
    start(facts),
  ],
  stopped: (facts: ByHand) => [stop(facts), facts.svc('upgrade'), start(facts)],
  'own unit': ({ svc }: ByHand) => [`systemd-run --user --scope ${svc('upgrade')}`],
} as const satisfies Record<string, (facts: ByHand) => readonly string[]>

/** Returns the refusal of an upgrade that a person must do: why, and with which commands. */
export function byHand(reason: string, way: keyof typeof BY_HAND, facts: ByHand): CliError {
  const commands = BY_HAND[way](facts).map((line) => `  ${line}`)
  const lines = [
    `${reason} Nothing was changed. By hand, after the close:`,
    ...commands,
    'A copy that you put back later is older than the book of the broker: run svc restore --mark before you start it.',
    'More: docs/deployment.md.',
  ]
  return new CliError(EXIT.refused, lines.join('\n'), { code: 'by_hand', lines: true })
}
