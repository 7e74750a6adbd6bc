import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseJson } from '../../client/answers/json.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { makeHome, writePrivately } from './home.js'
import type { Io } from './io.js'
import { isAlive } from './processes.js'

/** A JSON file of the user's configuration, which only its owner may change. */
export interface ConfigFile {
  path: string
  /** The code of the error for a file that cannot be used. */
  code: string
  /** What to do with such a file. */
  repair: string
}

const NOBODY_ELSE = 0o022
const LOCK_TRIES = 200
const LOCK_PAUSE_MS = 10

/**
 * Returns the content of the file; undefined for a missing one.
 * @throws CliError (exit 1) for a file that cannot be read, or that others may change
 */
export function readConfigFile(file: ConfigFile): { content: unknown } | undefined {
  let text: string
  try {
    text = readFileSync(file.path, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw unusable(file, `it cannot be read (${reasonOf(cause)})`)
  }
  if ((statSync(file.path).mode & NOBODY_ELSE) !== 0) {
    throw unusable(file, 'other users may change it', `chmod 600 ${file.path}`)
  }
  return { content: parseJson(text) }
}

/**
 * Changes the file. Two commands at once change it one after the other; a reader sees the old file or the new one.
 * @param change returns the new content
 * @throws CliError (exit 1) when the file cannot be used or written
 */
export async function changeConfigFile(io: Io, file: ConfigFile, change: () => object): Promise<void> {
  makeHome(dirname(file.path))
  const release = await locked(io, file)
  try {
    writePrivately(file.path, `${JSON.stringify(change(), null, 2)}\n`)
  } finally {
    release()
  }
}

/** Returns the error for a file that cannot be used. */
export function unusable({ code, path, repair }: ConfigFile, problem: string, hint = repair): CliError {
  return new CliError(EXIT.failed, `${path} cannot be used: ${problem}.`, { code, hint })
}

/** Takes the lock of the file. The lock of a process that ended without releasing it is taken over. */
async function locked(io: Io, file: ConfigFile): Promise<() => void> {
  const lock = `${file.path}.lock`
  for (let tries = 1; ; tries += 1) {
    try {
      writeFileSync(lock, String(process.pid), { mode: 0o600, flag: 'wx' })
      return () => rmSync(lock, { force: true })
    } catch (cause) {
      const isTaken = codeOf(cause) === 'EEXIST'
      if (!isTaken || tries >= LOCK_TRIES) {
        const reason = isTaken ? 'another svc changes it' : reasonOf(cause)
        throw unusable(file, `it cannot be changed (${reason})`, `If none runs, remove ${lock}.`)
      }
      const owner = existsSync(lock) ? Number(readText(lock)) : undefined
      if (owner !== undefined && owner > 0 && !isAlive(owner)) rmSync(lock, { force: true })
      else await io.sleep(LOCK_PAUSE_MS)
    }
  }
}

const codeOf = (cause: unknown): unknown => cause instanceof Error && 'code' in cause && cause.code
const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : 'no reason')

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
