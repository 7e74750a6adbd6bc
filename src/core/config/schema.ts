import { z } from 'zod'
import { ASSISTANTS } from './settings/assistants.js'
import { type ConfigKeyInfo, registry } from './settings/describe.js'
import { KEYS } from './settings/keys.js'
import { LIMITS } from './settings/limits.js'
import { NETWORK } from './settings/network.js'
import { LOGS, RECORDS } from './settings/records.js'
import { TRADING } from './settings/trading.js'
import { UPKEEP } from './settings/upkeep.js'
import { USERS } from './settings/users.js'

/** Every setting of the service, by its name in the environment and in `config.env`. */
export const configSchema = z.object({
  ...NETWORK,
  ...KEYS,
  ...LOGS,
  ...LIMITS,
  ...USERS,
  ...TRADING,
  ...RECORDS,
  ...ASSISTANTS,
  ...UPKEEP,
})

/** The parsed and validated settings. */
export type Config = z.output<typeof configSchema>
export type ConfigKey = keyof Config

export interface ConfigKeyRow extends ConfigKeyInfo {
  key: ConfigKey
}

/** One row per setting, in the order of the documentation. */
export const CONFIG_KEYS: readonly ConfigKeyRow[] = (Object.keys(configSchema.shape) as ConfigKey[]).map(
  (key) => {
    const info = registry.get(configSchema.shape[key])
    if (!info) throw new Error(`${key} is not described`)
    return { key, ...info }
  },
)

/** Environment variables of the service and of its commands that are not settings of the daemon. */
export const OTHER_ENVIRONMENT: readonly string[] = [
  'SVC_HOME',
  'SVC_URL',
  'SVC_CONTEXT',
  'SVC_CA_FILE',
  'SVC_CONFIG_DIR',
  'SVC_TOKEN',
  'SVC_CRASH_AT',
  'SVC_ROUNDS',
]
