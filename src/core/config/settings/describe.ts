import { z } from 'zod'
import type { Kind } from '../kinds.js'

/** What the documentation says of a setting. */
export interface ConfigKeyInfo {
  /** The kind of value: `integer`, `boolean`, `rate limit`, … */
  kind: string
  range: string
  /** The default as text; undefined if there is none. */
  default: string | undefined
  description: string
  /** True if the value must never be shown or logged. */
  secret: boolean
}

/** The descriptions of the settings, by their schemas. */
export const registry = z.registry<ConfigKeyInfo>()

/** Returns a setting with a default. */
export function setting<T>(kind: Kind<T>, byDefault: string, description: string) {
  const info = { kind: kind.name, range: kind.range, default: byDefault, description, secret: false }
  return kind.schema.prefault(byDefault).register(registry, info)
}

/** Returns a setting that may be missing. */
export function optional<T>(kind: Kind<T>, description: string) {
  const info = {
    kind: kind.name,
    range: kind.range,
    default: undefined,
    description,
    secret: kind.name === 'secret',
  }
  return kind.schema.optional().register(registry, info)
}

/** Returns a setting that must be given. The schema is cloned, because each setting registers its own description. */
export function required<T>(kind: Kind<T>, description: string) {
  const info = {
    kind: kind.name,
    range: kind.range,
    default: undefined,
    description,
    secret: kind.name === 'secret',
  }
  return kind.schema.clone().register(registry, info)
}
