import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { crashPoint, ServiceError } from '../../errors/index.js'
import { randomHex } from '../../secrets/index.js'
import { readConfigFile, replaceConfigFile, syncFolder, writeDurably } from '../config-file.js'
import { type Environment, GENERATED } from '../load.js'
import { changedText } from '../stored-settings.js'

/**
 * Holds new keys while the data is sealed with them: until `config.env` has them, a crash must lose neither the
 * old keys nor the new ones.
 */
export const NEXT_KEYS = 'keys.next'

/** The two settings from which the key of sealed data is derived. */
export interface SealingKeys {
  APP_KEY: string
  FERNET_SALT: string
}

/**
 * Returns the keys of a home.
 * @throws ServiceError `refused` when the environment has one, which no command can change
 */
export function sealingKeys(home: string, env: Environment): SealingKeys {
  const inEnvironment = (['APP_KEY', 'FERNET_SALT'] as const).find((key) => env[key])
  if (inEnvironment) {
    throw new ServiceError(
      'refused',
      `${inEnvironment} is set in the environment. Move it to config.env of the home first.`,
    )
  }
  const { path, values } = readConfigFile(home)
  const { APP_KEY, FERNET_SALT } = values
  if (!APP_KEY || !FERNET_SALT) throw new ServiceError('not_found', `${path} has no APP_KEY and FERNET_SALT.`)
  return { APP_KEY, FERNET_SALT }
}

/** Stores new random keys beside those of the home, durably. */
export function prepareNextKeys(home: string): SealingKeys {
  const keys = { APP_KEY: randomHex(GENERATED.APP_KEY), FERNET_SALT: randomHex(GENERATED.FERNET_SALT) }
  dropNextKeys(home)
  writeDurably(join(home, NEXT_KEYS), `APP_KEY=${keys.APP_KEY}\nFERNET_SALT=${keys.FERNET_SALT}\n`)
  syncFolder(home)
  return keys
}

/** Returns the keys of a change that was not finished. */
export function nextKeys(home: string): SealingKeys | undefined {
  const file = join(home, NEXT_KEYS)
  if (!existsSync(file)) return undefined
  const { APP_KEY, FERNET_SALT } = parseEnv(readFileSync(file, 'utf8'))
  return APP_KEY && FERNET_SALT ? { APP_KEY, FERNET_SALT } : undefined
}

/** Makes the new keys those of the home. */
export function adoptNextKeys(home: string, keys: SealingKeys): void {
  const file = readConfigFile(home)
  const text = changedText(file, 'APP_KEY', keys.APP_KEY)
  const values = { ...file.values, APP_KEY: keys.APP_KEY }
  const both = changedText({ ...file, text, values }, 'FERNET_SALT', keys.FERNET_SALT)
  if (!replaceConfigFile(file, both)) {
    throw new ServiceError('conflict', `${file.path} is being changed by another process; try again.`)
  }
  crashPoint('keys.change.adopted')
  dropNextKeys(home)
}

export function dropNextKeys(home: string): void {
  rmSync(join(home, NEXT_KEYS), { force: true })
}
