import { CONFIG_KEYS, type Config } from '../schema.js'
import { sampleValueProblem } from './published-samples.js'

/** Returns the values of all secret settings. They must never be written or shown. */
export function secretValues(config: Config): string[] {
  return CONFIG_KEYS.flatMap(({ key, secret }) => {
    const value = config[key]
    return secret && typeof value === 'string' && value !== '' ? [value] : []
  })
}

const MIN_LENGTH = 32

/** Returns which of the generated secrets are strong: long enough, and no published sample or placeholder. */
export function secretStrength(
  config: Pick<Config, 'APP_KEY' | 'API_KEY_PEPPER' | 'FERNET_SALT'>,
): Readonly<Record<'APP_KEY' | 'API_KEY_PEPPER' | 'FERNET_SALT', boolean>> {
  const isStrong = (value: string) => value.length >= MIN_LENGTH && sampleValueProblem(value) === undefined
  return {
    APP_KEY: isStrong(config.APP_KEY),
    API_KEY_PEPPER: isStrong(config.API_KEY_PEPPER),
    FERNET_SALT: isStrong(config.FERNET_SALT) && /^[0-9a-f]+$/i.test(config.FERNET_SALT),
  }
}
