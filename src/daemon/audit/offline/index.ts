import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { verifyCopy } from '../../../core/audit/index.js'
import { loadConfig } from '../../../core/config/index.js'
import { ServiceError } from '../../../core/errors/index.js'
import { SecretBox } from '../../../core/secrets/index.js'
import { resultView } from '../result.js'

interface OfflineCheck {
  /** The home whose keys sealed the trail. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  /** A copy of `svc.db`. */
  file: string
  head: string | undefined
}

/** Checks the audit trail in a copy of `svc.db` with the keys of a home. No daemon is asked. */
export async function verifyOffline({ env, file, head, home }: OfflineCheck) {
  // Reading the settings of a new home would generate its keys.
  if (!existsSync(join(home, 'config.env')) && !env.APP_KEY) {
    throw new ServiceError('not_found', `${home} has no config.env, so its APP_KEY is not known`)
  }
  const { APP_KEY: appKey, FERNET_SALT: salt } = loadConfig({ home, env }).values
  return resultView(await verifyCopy(file, await SecretBox.derive({ appKey, salt }), head))
}
