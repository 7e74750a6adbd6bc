import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ServiceError } from '../errors/index.js'
import { nearestName } from '../validation/index.js'
import { type ConfigFile, readConfigFile, replaceConfigFile } from './config-file.js'
import { type ConfigSource, type Environment, GENERATED, MAIN_DATABASE } from './load.js'
import { CONFIG_KEYS, type ConfigKeyRow, configSchema } from './schema.js'

/** A setting as users see it, before a daemon reads it. */
export interface StoredSetting {
  key: string
  /** The value as text, or the default; null without either. The value of a secret is never given. */
  value: string | null
  origin: ConfigSource
  default: string | null
  range: string
  description: string
  secret: boolean
  /** Why a daemon would refuse the value; null for a valid one. */
  problem: string | null
}

/** The text in place of a secret. */
const HIDDEN = '********'

/** Returns every setting as the next daemon of this home and environment would read it. Writes nothing. */
export function storedSettings(home: string, env: Environment): StoredSetting[] {
  const { values } = readConfigFile(home)
  return CONFIG_KEYS.map((row) => settingOf(row, values, env))
}

function settingOf(
  { key, secret, range, description, ...row }: ConfigKeyRow,
  file: Readonly<Record<string, string>>,
  env: Environment,
): StoredSetting {
  // An empty value means that the key is not set.
  const given = env[key] || file[key] || undefined
  const byDefault = row.default ?? null
  return {
    key,
    value: given === undefined ? byDefault : secret ? HIDDEN : given,
    origin: given === undefined ? 'default' : env[key] ? 'environment' : 'file',
    default: byDefault,
    range,
    description,
    secret,
    problem: given === undefined ? null : problemOf(key, given),
  }
}

function problemOf(key: ConfigKeyRow['key'], value: string): string | null {
  const parsed = configSchema.shape[key].safeParse(value)
  return parsed.success ? null : parsed.error.issues.map(({ message }) => message).join('; ')
}

/** @throws ServiceError `validation` that names the nearest setting */
export function knownSetting(key: string): ConfigKeyRow {
  const found = CONFIG_KEYS.find((row) => row.key === key)
  if (found !== undefined) return found
  const near = nearestName(
    key.toUpperCase(),
    CONFIG_KEYS.map((row) => row.key),
  )
  throw new ServiceError('validation', `${key} is not a setting${near ? `; did you mean ${near}?` : '.'}`)
}

/**
 * Returns why a value cannot be stored; null for a valid one.
 * @throws ServiceError `validation` for an unknown key
 */
export function settingProblem(key: string, value: string): string | null {
  return problemOf(knownSetting(key).key, value)
}

/**
 * Stores a setting in `config.env` of the home, atomically and readable by the owner only. An empty value
 * removes it. A daemon that runs keeps its former value until it is started again.
 * @returns the path of the file
 * @throws ServiceError `validation` for an unknown key or a value out of range, `conflict` while another
 * process changes the file
 */
export function storeSetting(home: string, key: string, value: string): string {
  const row = knownSetting(key)
  refuseLostKey(home, row.key)
  const problem = value === '' ? null : problemOf(row.key, value)
  if (problem !== null) throw new ServiceError('validation', `${key} ${problem}`)
  const file = readConfigFile(home)
  if (!replaceConfigFile(file, changedText(file, row.key, value))) {
    throw new ServiceError('conflict', `${file.path} is being changed by another process; try again.`)
  }
  return file.path
}

/** The data of a home can be read only with the keys that it was created with. */
function refuseLostKey(home: string, key: string): void {
  const database = join(home, MAIN_DATABASE)
  if (!Object.hasOwn(GENERATED, key) || !existsSync(database)) return
  const hint = key === 'API_KEY_PEPPER' ? '' : ' To replace it, run: svc config rotate-key'
  throw new ServiceError('validation', `${key} cannot be changed: ${database} was created with it.${hint}`)
}

/** Returns the text of the file with one setting changed, and every other line as it is. */
export function changedText(file: ConfigFile, key: string, value: string): string {
  const assigns = new RegExp(`^\\s*(export\\s+)?${key}\\s*=`)
  const lines = (file.text ?? '').split('\n').filter((line) => !assigns.test(line))
  const kept = lines.join('\n').replace(/\n*$/, '')
  const text = [kept, value === '' ? '' : `${key}=${quoted(value)}`].filter((part) => part !== '').join('\n')
  const changed = text === '' ? '' : `${text}\n`
  const expected = { ...file.values, [key]: value }
  const read = parseEnv(changed)
  const names = new Set([...Object.keys(expected), ...Object.keys(read)])
  if ([...names].some((name) => (read[name] ?? '') !== (expected[name] ?? ''))) {
    throw new ServiceError('validation', `${file.path} cannot hold this value of ${key}; edit it by hand.`)
  }
  return changed
}

/** Returns a value as a line of the file holds it: in quotes if it has characters with a meaning there. */
function quoted(value: string): string {
  if (/^[\w./:;,=+@%-]([\w./:;,=+@% -]*[\w./:;,=+@%-])?$/.test(value)) return value
  const quote = ["'", '"', '`'].find((mark) => !value.includes(mark)) ?? ''
  return `${quote}${value}${quote}`
}
