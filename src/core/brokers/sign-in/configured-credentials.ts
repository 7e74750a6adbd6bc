import type { BrokerManifest } from '../broker.js'

/** Credentials at a broker from the configuration, by the names of the fields of its log-in form. */
export interface ConfiguredCredentials {
  /** The broker they belong to; undefined if the configuration does not say. */
  broker: string | undefined
  fields: Readonly<Record<string, string | undefined>>
}

/** A key and the secret that belongs to it. One of them never goes with another of the caller. */
const PAIRS = [
  ['api_key', 'api_secret'],
  ['api_key_market', 'api_secret_market'],
] as const

/**
 * Returns the fields of a log-in with those that the caller left out and the configuration has. The
 * configuration fills in only fields that the broker asks for, and none of another broker.
 */
export function withConfigured(
  given: Readonly<Record<string, string>>,
  { credentialFields, id }: Pick<BrokerManifest, 'id' | 'credentialFields'>,
  { broker, fields }: ConfiguredCredentials,
): Readonly<Record<string, string>> {
  if (broker !== undefined && broker !== id) return given
  const asked = new Set(credentialFields.map(({ name }) => name))
  const filled: Record<string, string> = { ...given }
  for (const [key, secret] of PAIRS) {
    const isOther = Boolean(given[key]) && given[key] !== fields[key]
    if (isOther) continue
    for (const name of [key, secret]) {
      const value = fields[name]
      if (value !== undefined && asked.has(name) && !filled[name]) filled[name] = value
    }
  }
  return filled
}
