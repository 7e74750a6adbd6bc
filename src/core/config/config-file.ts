import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { randomHex } from '../secrets/index.js'

/** The settings file of a home: `KEY=VALUE` lines. */
const CONFIG_FILE = 'config.env'

export interface ConfigFile {
  path: string
  /** Its text as it was read; undefined when there is none. */
  text: string | undefined
  values: Readonly<Record<string, string>>
  /** Others than its owner may read it. */
  exposed: boolean
}

export function readConfigFile(home: string): ConfigFile {
  const path = join(home, CONFIG_FILE)
  if (!existsSync(path)) return { path, text: undefined, values: {}, exposed: false }
  const text = readFileSync(path, 'utf8')
  const values = Object.entries(parseEnv(text)).map(([key, value]) => [key, value ?? ''])
  return { path, text, values: Object.fromEntries(values), exposed: (statSync(path).mode & 0o077) !== 0 }
}

/**
 * Adds lines to the file, whole or not at all: a new file is written aside (0600), made durable and put in place.
 * Returns false, changing nothing, when somebody else wrote the file since it was read.
 */
export function extendConfigFile(
  file: ConfigFile,
  heading: string,
  values: Readonly<Record<string, string>>,
): boolean {
  mkdirSync(dirname(file.path), { recursive: true, mode: 0o700 })
  const kept =
    file.text === undefined || file.text === '' || file.text.endsWith('\n') ? file.text : `${file.text}\n`
  const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`)
  const aside = `${file.path}.${randomHex(6)}.tmp`
  writeDurably(aside, `${kept ?? ''}# ${heading}\n${lines.join('')}`)
  try {
    return file.text === undefined ? placeNew(aside, file.path) : replace(aside, file)
  } finally {
    if (existsSync(aside)) unlinkSync(aside)
  }
}

function writeDurably(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** A link fails where a rename would overwrite: of two first starts at once, one wins. */
function placeNew(aside: string, path: string): boolean {
  try {
    linkSync(aside, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
  syncFolder(dirname(path))
  return true
}

function replace(aside: string, file: ConfigFile): boolean {
  if (readFileSync(file.path, 'utf8') !== file.text) return false
  renameSync(aside, file.path)
  syncFolder(dirname(file.path))
  return true
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
