import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isObject, parseJson } from '../../../client/answers/json.js'
import { upgradeLockIn } from '../../../core/backup/vocabulary.js'
import type { Schemas } from '../../../daemon/backup/upgrade.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { homeFile } from '../../io/home.js'
import { move } from '../../io/move.js'
import type { Ports } from './proc.js'

/** Returns the options of `svc up` for the ports of a daemon. */
export const portWords = ({ port, ws_port: wsPort }: Ports): string[] => [
  ...['--port', String(port)],
  ...(wsPort ? ['--ws-port', String(wsPort)] : []),
]

/** How a daemon ran, and runs again. */
export interface How extends Ports {
  /** The names of the settings in its environment. Their values are secrets, and stay out of the file. */
  settings: readonly string[]
  /** The options of Node with which it was started. */
  node?: readonly string[]
}

/** Returns what a person does before the daemon is started by hand: its settings are not stored. */
export const settingsText = (daemon: How | null): string[] =>
  daemon && daemon.settings.length > 0
    ? [`Set first, as the daemon had them in its environment: ${daemon.settings.join(', ')}`]
    : []

/** What each step of an upgrade has left when it is cut off. `back` is the way back from any other. */
const LEFT = {
  stop: 'svc starts the former version, and the daemon may be stopped',
  start: 'the new version may have run',
  back: 'it was on its way back',
} as const
export type Step = keyof typeof LEFT

/** What an upgrade has done so far: `upgrade.json` in the home, from before the stop of the daemon to the end. */
export interface Journal {
  from: string
  to: string
  /** The moment at which it began, in ISO 8601. */
  at: string
  /** The step that began last. */
  step: Step
  /** The package that it replaces. */
  folder: string
  /** The id of the home, which its daemon says; null if no daemon ran. */
  id: string | null
  /** Null if no daemon ran: then none is started. */
  daemon: How | null
  /** The newest migrations before. */
  schemas: Schemas
  /** The folder of the backup from before; null until it is made. */
  backup: string | null
}

const fileOf = (home: string): string => homeFile(home, 'upgrade.json')

/**
 * Returns whether a home in which an upgrade was begun has one that is not finished. A home without its lock cannot be looked at and
 * may have one: its disk may be away.
 */
export const mayHaveJournal = (home: string): boolean =>
  !existsSync(upgradeLockIn(home)) || existsSync(fileOf(home))

/** Returns the upgrade of a home that is not finished; undefined without one. @throws CliError for a damaged file */
export function readJournal(home: string): Journal | undefined {
  if (!existsSync(fileOf(home))) return undefined
  const read = parseJson(readFileSync(fileOf(home), 'utf8'))
  if (isJournal(read)) return read
  throw new CliError(EXIT.failed, `${fileOf(home)} is damaged.`, {
    hint: 'See which version is installed (svc --version) and whether it starts. Then delete the file.',
  })
}

function isJournal(value: unknown): value is Journal {
  if (!isObject(value)) return false
  const { at, backup, daemon, folder, from, schemas, step, to } = value
  const texts = [from, to, folder, backup ?? ''].every((text) => typeof text === 'string')
  const isDated = typeof at === 'string' && !Number.isNaN(Date.parse(at))
  const isHow = daemon === null || (isObject(daemon) && Array.isArray(daemon.settings))
  return (
    texts && isDated && typeof step === 'string' && Object.hasOwn(LEFT, step) && isHow && isObject(schemas)
  )
}

/** Stores the journal on the disk: what follows must not be there before it. */
export function writeJournal(home: string, journal: Journal): void {
  const fresh = `${fileOf(home)}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(journal, null, 2)}\n`, { flag: 'wx', mode: 0o600, flush: true })
  move(fresh, fileOf(home))
}

export function removeJournal(home: string): void {
  rmSync(fileOf(home), { force: true })
}

/** Returns what an upgrade that was cut off has left, as a sentence. */
export function cutOffText({ at, from, step, to }: Pick<Journal, 'at' | 'from' | 'step' | 'to'>): string {
  return `An upgrade from ${from} to ${to}, begun ${at}, is not finished (step "${step}"): ${LEFT[step]}.`
}

/** The versions in the folders of an upgrade; undefined for a folder that is not there. */
interface Versions {
  installed: string | undefined
  next: string | undefined
  former: string | undefined
}

export type Way = 'forward' | 'back'

/**
 * Returns how an upgrade goes on that was cut off. It goes forward as long as it had not turned back and the new version is there:
 * that one has been tried on a copy of the databases, and going forward loses no row. `void` says that somebody has installed another
 * version since, or removed what the upgrade needs.
 */
export function wayOn(
  { from, step, to }: Pick<Journal, 'from' | 'step' | 'to'>,
  found: Versions,
): Way | 'void' {
  const { former, installed, next } = found
  if (installed !== undefined && installed !== from && installed !== to) return 'void'
  if (step !== 'back' && (installed === to || (next === to && former === from))) return 'forward'
  return former === from || (step === 'back' && installed === from) ? 'back' : 'void'
}
