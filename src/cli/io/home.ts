import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isObject, numberMember, parseJson, textMember } from '../../client/answers/json.js'
import { withoutByteOrderMark } from '../../core/csv/index.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import type { Io } from './io.js'

/** `--home` > `SVC_HOME` > `$XDG_DATA_HOME/svc` > `~/.local/share/svc`. */
export function homeDirectory(flag: string | undefined, io: Pick<Io, 'env' | 'userHome'>): string {
  const { SVC_HOME, XDG_DATA_HOME } = io.env
  return resolve(flag || SVC_HOME || join(XDG_DATA_HOME || join(io.userHome, '.local', 'share'), 'svc'))
}

/**
 * Creates the home and its parent folders, one by one: Node's recursive mode never returns on a file system
 * that refuses new folders as if their parents were missing (/proc).
 * @throws CliError (exit 1) when it cannot be created
 */
export function makeHome(home: string): void {
  try {
    makeFolder(home)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(EXIT.failed, `The home ${home} cannot be created: ${why}.`, {
      hint: 'Choose another: --home, or SVC_HOME.',
      cause,
    })
  }
}

function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Files of the home, for `svc help files` and for the commands that use them. */
export const HOME_FILES = {
  'config.env': 'configuration and generated secrets of the daemon (0600)',
  'daemon.json': 'pid and addresses of the running daemon',
  'apikey.json': 'the API key stored by `svc setup`, `svc apikey rotate` and `svc apikey show --save` (0600)',
  'session.json': 'the session stored by `svc login` (0600)',
  'svc.db': 'users, orders, approvals, workflows, instruments, settings',
  'sandbox.db': 'accounts of Analyzer mode',
  'logs.db': 'order and analyzer logs',
  'svc.db-instruments': 'a copy of the instrument master for a fast start; rebuilt when missing',
  brokers: 'data of broker plugins, such as the book of the simulated exchange',
  'daemon.lock': 'the lock of the running daemon, so that only one runs',
  backups: 'backups, unless BACKUP_DIR names another folder',
  'restored.json': 'after svc restore: the next start turns the kill switch on and removes it',
  'upgrade.json': 'the steps of an upgrade that is not finished: `svc upgrade` goes on with it (0600)',
  'upgrade.lock': 'the lock of `svc upgrade`, so that only one works on the home',
  'setup-token': 'the token to create the first user from another machine; deleted afterwards (0600)',
  'tui.yaml': 'your settings of `svc tui`: theme, bell, keys',
  log: 'application logs, and daemon.out of `svc up --detach`',
} as const

export type HomeFile = keyof typeof HOME_FILES

export function homeFile(home: string, name: HomeFile): string {
  return join(home, name)
}

/** Entries that prove no home: other programs have such folders, and commands make the locks in any folder. */
const NO_PROOF: ReadonlySet<string> = new Set(['backups', 'brokers', 'log', 'daemon.lock', 'upgrade.lock'])
/** Entries that the file system or the desktop puts into a folder. */
const NOBODYS: ReadonlySet<string> = new Set(['lost+found', '.DS_Store'])

/** @throws a usage error for a folder of something else: the daemon would put its secrets beside those files */
export function requireHome(home: string): void {
  const found = existsSync(home) ? entriesOf(home) : []
  const isOurs = (name: string) => Object.hasOwn(HOME_FILES, name)
  if (found.some((name) => isOurs(name) && !NO_PROOF.has(name))) return
  // A start in the background makes the log before the daemon makes the rest.
  const other = found.find((name) => !isOurs(name) && !NOBODYS.has(name))
  if (other === undefined) return
  throw usageError(
    `${home} has files of something else (${other}), and secrets would stand beside them.`,
    'Name a folder that is empty or does not exist: --home, or SVC_HOME.',
  )
}

function entriesOf(home: string): readonly string[] {
  try {
    return readdirSync(home)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CliError(EXIT.failed, `The home ${home} cannot be read: ${why}.`, {
      hint: 'Choose another: --home, or SVC_HOME.',
      cause,
    })
  }
}

/** The port that `svc up` uses in a home: `SVC_PORT` of the environment, or of its config.env, or 5000. */
export function homePort(home: string, env: Io['env']): number {
  const port = Number(env.SVC_PORT || configured(home) || DEFAULT_PORT)
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : DEFAULT_PORT
}

const DEFAULT_PORT = 5000

/** Returns the port of a daemon's URL, which leaves out that of its protocol. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (/^(https|wss):/.test(protocol) ? 443 : 80) : Number(port)
}

function configured(home: string): string | undefined {
  try {
    return parseEnv(withoutByteOrderMark(readFileSync(homeFile(home, 'config.env'), 'utf8'))).SVC_PORT
  } catch {
    return undefined
  }
}

/** The daemon's own description of its process; undefined when the file is missing or unreadable. */
export interface DaemonFile {
  pid: number
  url: string
  wsUrl: string | undefined
  /** The id of the home, which the daemon proves; undefined for an older daemon. */
  id: string | undefined
  version: string | undefined
}

export function readDaemonFile(home: string): DaemonFile | undefined {
  const row = readJson(homeFile(home, 'daemon.json'))
  const pid = row && numberMember(row, 'pid')
  const url = row && textMember(row, 'url')
  if (!row || !pid || !url) return undefined
  return {
    pid,
    url: url.replace(/\/+$/, ''),
    wsUrl: textMember(row, 'ws_url') ?? textMember(row, 'wsUrl'),
    id: textMember(row, 'id'),
    version: textMember(row, 'version'),
  }
}

/** A secret and the daemon it belongs to. */
export interface StoredSecret {
  value: string
  username: string | undefined
  url: string
  /** The context that it was stored for; undefined in the home. */
  context?: string | undefined
  /** The id of the daemon; undefined for one that does not say it. */
  id?: string | undefined
  expiresAt: string | undefined
}

export type SecretFile = 'apikey.json' | 'session.json' | 'token.json'

/** Reads a secret from the home, or from the folder of a context. */
export function readSecret(folder: string, name: SecretFile): StoredSecret | undefined {
  const row = readJson(join(folder, name))
  const value = row && textMember(row, 'value')
  const url = row && textMember(row, 'url')
  if (!row || !value || !url) return undefined
  return {
    value,
    url,
    username: textMember(row, 'username'),
    context: textMember(row, 'context'),
    id: textMember(row, 'id'),
    expiresAt: textMember(row, 'expiresAt'),
  }
}

/** Writes to a temporary file and renames it; only the owner can read it, from the first byte on. */
export function storeSecret(folder: string, name: SecretFile, secret: StoredSecret): void {
  makeHome(folder)
  writePrivately(join(folder, name), `${JSON.stringify(secret)}\n`)
}

/** Writes a file that only the owner can read, all at once. */
export function writePrivately(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' })
  chmodSync(fresh, 0o600)
  renameSync(fresh, file)
}

export function deleteSecret(folder: string, name: SecretFile): void {
  rmSync(join(folder, name), { force: true })
}

function readJson(file: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(withoutByteOrderMark(readFileSync(file, 'utf8')))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
