import { CONFIG_KEYS, type Config } from '../schema.js'

/** Returns the values of all secret settings. They must never be written or shown. */
export function secretValues(config: Config): string[] {
  return CONFIG_KEYS.flatMap(({ key, secret }) => {
    const value = config[key]
    return secret && typeof value === 'string' && value !== '' ? [value] : []
  })
}
