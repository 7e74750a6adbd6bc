import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type FieldErrors, ServiceError } from '../errors/index.js'
import { randomHex } from '../secrets/index.js'
import { nearestName } from '../validation/index.js'
import { type ConfigFile, extendConfigFile, readConfigFile } from './config-file.js'
import { CONFIG_KEYS, type Config, type ConfigKey, configSchema, OTHER_ENVIRONMENT } from './schema.js'

export type Environment = Readonly<Record<string, string | undefined>>

export type ConfigSource = 'environment' | 'file' | 'default'

interface LoadedConfig {
  /** The folder with the databases, the logs and the configuration file. */
  home: string
  values: Config
  /** The source of each value; a key that is not set has `default`. */
  sources: Readonly<Record<ConfigKey, ConfigSource>>
  /** Sentences for the operator, without secrets. */
  warnings: readonly string[]
}

/** Length in bytes of the secrets generated at the first start. */
export const GENERATED = { APP_KEY: 32, API_KEY_PEPPER: 32, FERNET_SALT: 16 } as const satisfies Partial<
  Record<ConfigKey, number>
>
/** The database with the data that was encrypted and hashed with the secrets. */
export const MAIN_DATABASE = 'svc.db'
const ATTEMPTS = 3

/**
 * Loads the configuration. The environment overrides `<home>/config.env`, which overrides the defaults. At
 * the first start, secrets are generated into that file (0600, the home 0700).
 * @throws ServiceError `validation` that lists every bad value by name
 */
export function loadConfig({ home, env }: { home: string; env: Environment }): LoadedConfig {
  const file = withSecrets(home, env)
  const { given, sources } = merge(file.values, env)
  const parsed = configSchema.safeParse(given)
  if (!parsed.success) {
    const errors: FieldErrors = {}
    for (const issue of parsed.error.issues) {
      const key = String(issue.path[0])
      errors[key] = [...(errors[key] ?? []), issue.message]
    }
    throw refusal(errors, (key) => (env[key] ? 'environment' : file.path))
  }
  if (parsed.data.CORS_ALLOWED_ORIGINS === '*' && parsed.data.CORS_ALLOW_CREDENTIALS) {
    const errors = { CORS_ALLOW_CREDENTIALS: ['must be false while CORS_ALLOWED_ORIGINS is *'] }
    throw refusal(errors, (key) => (env[key] ? 'environment' : file.path))
  }
  return { home, values: parsed.data, sources, warnings: [...exposure(file), ...unknownKeys(file, env)] }
}

/**
 * Returns the settings that the environment or the file of a home gives, as text. Unlike {@link loadConfig} it
 * generates no secrets and checks nothing, so it also serves a home that has no databases yet.
 */
export function givenSettings({
  home,
  env,
}: {
  home: string
  env: Environment
}): Partial<Record<ConfigKey, string>> {
  return merge(readConfigFile(home).values, env).given
}

/** Reads the configuration file and adds the secrets that neither the file nor the environment has. */
function withSecrets(home: string, env: Environment): ConfigFile {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const file = readConfigFile(home)
    const missing = Object.entries(GENERATED).filter(([key]) => !env[key] && !file.values[key])
    if (missing.length === 0) return file
    const keys = missing.map(([key]) => key)
    if (existsSync(join(home, MAIN_DATABASE))) {
      const text = `is missing, but ${join(home, MAIN_DATABASE)} was created with it; restore it from a backup`
      throw refusal(Object.fromEntries(keys.map((key) => [key, [text]])), () => file.path)
    }
    const secrets = Object.fromEntries(missing.map(([key, bytes]) => [key, randomHex(bytes)]))
    extendConfigFile(
      file,
      'Generated at first start. Keep a copy: without these values the data cannot be read.',
      secrets,
    )
  }
  throw new ServiceError(
    'conflict',
    `${join(home, 'config.env')} is being changed by another process; try again.`,
  )
}

function merge(file: Readonly<Record<string, string>>, env: Environment) {
  const given: Partial<Record<ConfigKey, string>> = {}
  const sources = Object.fromEntries(CONFIG_KEYS.map(({ key }) => [key, 'default'])) as Record<
    ConfigKey,
    ConfigSource
  >
  for (const { key } of CONFIG_KEYS) {
    // An empty value means that the key is not set.
    const value = env[key] || file[key]
    if (!value) continue
    given[key] = value
    sources[key] = env[key] ? 'environment' : 'file'
  }
  return { given, sources }
}

function refusal(errors: FieldErrors, source: (key: string) => string): ServiceError {
  const lines = Object.entries(errors).map(([key, texts]) => `  ${key} (${source(key)}): ${texts.join('; ')}`)
  return new ServiceError('validation', `The configuration cannot be used:\n${lines.join('\n')}`, { errors })
}

function exposure(file: ConfigFile): string[] {
  return file.exposed
    ? [`other users of this machine can read ${file.path}; run: chmod 600 ${file.path}`]
    : []
}

/**
 * Warns about mistyped settings: unknown `SVC_` names in the environment, and any unknown name in the file.
 */
function unknownKeys(file: ConfigFile, env: Environment): string[] {
  const known = CONFIG_KEYS.map(({ key }) => String(key))
  const expected = new Set([...known, ...OTHER_ENVIRONMENT])
  const inEnvironment = Object.keys(env).filter((key) => key.startsWith('SVC_') && !expected.has(key))
  const inFile = Object.keys(file.values).filter((key) => !known.includes(key))
  const text = (key: string, place: string) => {
    const near = nearestName(key, [...expected])
    return `${key} (${place}) is not a setting${near ? `; did you mean ${near}?` : ''}`
  }
  return [
    ...inEnvironment.map((key) => text(key, 'environment')),
    ...inFile.map((key) => text(key, file.path)),
  ]
}
