import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { isObject, parseJson } from '../../../client/answers/json.js'
import type { Schemas } from '../../../daemon/backup/upgrade.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { homeFile } from '../../io/home.js'

/** How a daemon ran, and runs again. */
export interface How {
  port: number
  ws_port: number | null
  /** The unit of the user's own systemd that runs it; null if it was started by hand. */
  unit: string | null
  /** The settings of its environment, which are in no file. */
  env: Readonly<Record<string, string>>
}

/** What each step of an upgrade has left when it is cut off. `back` is the way back from any other. */
const LEFT = {
  stop: 'nothing was replaced',
  swap: 'the two versions were being exchanged',
  start: 'the new version may have run',
  back: 'it was on its way back',
} as const
export type Step = keyof typeof LEFT

/** What an upgrade has done so far: `upgrade.json` in the home, from before the stop of the daemon to the end. */
export interface Journal {
  from: string
  to: string
  /** The step that began last. */
  step: Step
  /** The package that it replaces. */
  folder: string
  /** The id of the home, which its daemon says; null if no daemon ran. */
  id: string | null
  /** Null if no daemon ran: then none is started. */
  daemon: How | null
  /** The newest migrations before, and the backup that has them. */
  schemas: Schemas
  backup: string | null
}

const fileOf = (home: string): string => homeFile(home, 'upgrade.json')

export const hasJournal = (home: string): boolean => existsSync(fileOf(home))

/** Returns the upgrade of a home that is not finished; undefined without one. @throws CliError for a damaged file */
export function readJournal(home: string): Journal | undefined {
  if (!hasJournal(home)) return undefined
  const read = parseJson(readFileSync(fileOf(home), 'utf8'))
  if (isJournal(read)) return read
  throw new CliError(EXIT.failed, `${fileOf(home)} is damaged.`, {
    hint: 'See which version is installed (svc --version) and whether it starts. Then delete the file.',
  })
}

function isJournal(value: unknown): value is Journal {
  if (!isObject(value)) return false
  const { backup, daemon, folder, from, schemas, step, to } = value
  const texts = [from, to, folder, backup ?? ''].every((text) => typeof text === 'string')
  const isHow = daemon === null || (isObject(daemon) && isObject(daemon.env))
  return texts && typeof step === 'string' && Object.hasOwn(LEFT, step) && isHow && isObject(schemas)
}

/** Stores the journal on the disk: what follows must not be there before it. */
export function writeJournal(home: string, journal: Journal): void {
  const fresh = `${fileOf(home)}.new`
  rmSync(fresh, { force: true })
  const file = openSync(fresh, 'wx', 0o600)
  try {
    writeSync(file, `${JSON.stringify(journal, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(fresh, fileOf(home))
  const folder = openSync(home, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

export function removeJournal(home: string): void {
  rmSync(fileOf(home), { force: true })
}

/** Returns what an upgrade that was cut off has left, as a sentence. */
export function cutOffText({ from, step, to }: Pick<Journal, 'from' | 'step' | 'to'>): string {
  return `An upgrade from ${from} to ${to} is not finished (step "${step}"): ${LEFT[step]}.`
}

/** The versions in the folders of an upgrade; undefined for a folder that is not there. */
interface Found {
  installed: string | undefined
  next: string | undefined
  former: string | undefined
}

/**
 * Returns how an upgrade goes on that was cut off. It goes forward as long as it had not turned back: the new version has been
 * tried on a copy of the databases, and going forward loses no row. `void` says that somebody has installed another version since.
 */
export function wayOn({ from, step, to }: Pick<Journal, 'from' | 'step' | 'to'>, found: Found) {
  const { former, installed, next } = found
  if (step === 'back') return installed === from || former === from ? 'back' : 'void'
  return installed === to || next === to ? 'forward' : 'void'
}
