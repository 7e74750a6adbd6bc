import { CONFIG_KEYS, type Config } from './schema.js'

/** The values of all settings that are secret: nothing of them may be written or shown. */
export function secretValues(config: Config): string[] {
  return CONFIG_KEYS.flatMap(({ key, secret }) => {
    const value = config[key]
    return secret && typeof value === 'string' && value !== '' ? [value] : []
  })
}
