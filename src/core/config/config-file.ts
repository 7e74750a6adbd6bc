import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { withoutByteOrderMark } from '../csv/index.js'
import { randomHex } from '../secrets/index.js'

/** The configuration file in the home folder, with `KEY=VALUE` lines. */
const CONFIG_FILE = 'config.env'

export interface ConfigFile {
  path: string
  /** The text as it was read; undefined if the file does not exist. */
  text: string | undefined
  values: Readonly<Record<string, string>>
  /** True if users other than the owner can read the file. */
  exposed: boolean
}

export function readConfigFile(home: string): ConfigFile {
  const path = linkedPath(join(home, CONFIG_FILE))
  if (!existsSync(path)) return { path, text: undefined, values: {}, exposed: false }
  const text = configText(path)
  const values = Object.entries(parseEnv(text)).map(([key, value]) => [key, value ?? ''])
  return { path, text, values: Object.fromEntries(values), exposed: (statSync(path).mode & 0o077) !== 0 }
}

function configText(path: string): string {
  return withoutByteOrderMark(readFileSync(path, 'utf8'))
}

/** Returns the file that a link leads to, which need not exist: a change must not replace the link with a file. */
function linkedPath(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path
  return existsSync(path) ? realpathSync(path) : resolve(dirname(path), readlinkSync(path))
}

/** Adds lines to the file, like {@link replaceConfigFile}. */
export function extendConfigFile(
  file: ConfigFile,
  heading: string,
  values: Readonly<Record<string, string>>,
): boolean {
  const kept =
    file.text === undefined || file.text === '' || file.text.endsWith('\n') ? file.text : `${file.text}\n`
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`)
  return replaceConfigFile(file, `${kept ?? ''}# ${heading}\n${lines.join('')}`)
}

/**
 * Replaces the text of the file atomically: a temporary file (0600) is written, synced to disk and renamed.
 * Returns false without any change if another process
 * changed the file since it was read.
 */
export function replaceConfigFile(file: ConfigFile, text: string): boolean {
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 })
  const temporary = `${file.path}.${randomHex(6)}.tmp`
  writeDurably(temporary, text)
  try {
    return file.text === undefined ? placeNew(temporary, file.path) : replace(temporary, file)
  } finally {
    if (existsSync(temporary)) unlinkSync(temporary)
  }
}

/** Writes a new file that only the owner can read. */
export function writeDurably(path: string, text: string): void {
  writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
}

/**
 * A link fails if the file exists, while a rename would overwrite it. So of two simultaneous first starts,
 * only one wins.
 */
function placeNew(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  syncFolder(dirname(path))
  return true
}

function replace(temporary: string, file: ConfigFile): boolean {
  if (configText(file.path) !== file.text) return false
  renameSync(temporary, file.path)
  syncFolder(dirname(file.path))
  return true
}

/** Makes the names of a folder durable. */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
