import { keyedDigest } from '../secrets/index.js'

/** The secrets without which the data of a home cannot be read. */
export interface BackupSecrets {
  APP_KEY: string
  API_KEY_PEPPER: string
  FERNET_SALT: string
}

export const KEY_NAMES = [
  'APP_KEY',
  'API_KEY_PEPPER',
  'FERNET_SALT',
] as const satisfies readonly (keyof BackupSecrets)[]

/**
 * Returns a value for each secret that shows whether a home has the same one, and from which the secret cannot be
 * computed. Every backup of a home has the same values.
 */
export function keyChecks(secrets: BackupSecrets): BackupSecrets {
  const check = (name: keyof BackupSecrets) => keyedDigest(secrets[name], `svc backup: check of ${name}`)
  return {
    APP_KEY: check('APP_KEY'),
    API_KEY_PEPPER: check('API_KEY_PEPPER'),
    FERNET_SALT: check('FERNET_SALT'),
  }
}

/** Returns the seal of a manifest whose facts have this digest. */
export function sealOf(digest: string, secrets: BackupSecrets): string {
  return keyedDigest(KEY_NAMES.map((name) => secrets[name]).join('\n'), `svc backup: seal of ${digest}`)
}
