import { z } from 'zod'
import { ServiceError } from '../errors/index.js'
import { safeEqual, sha256Hex } from '../secrets/index.js'
import { inPlainWords } from '../validation/index.js'
import { isBackedUp } from './home-databases.js'
import { type BackupSecrets, KEY_NAMES, keyChecks, sealOf } from './key-checks.js'

/** The version of the format, so that a later format can be distinguished. */
const FORMAT = 1
export const MANIFEST = 'manifest.json'
export const ORIGINS = ['manual', 'scheduled'] as const
export type BackupOrigin = (typeof ORIGINS)[number]

/** The pattern of a backup's id, which is also the name of its folder: the moment in UTC and a random part. */
export const BACKUP_ID = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().nonnegative()

const backedUpFile = z.strictObject({
  /** The path inside the home and inside the backup. */
  name: z.string().refine(isBackedUp, 'is no database file of a home'),
  bytes: count,
  sha256: digest,
  /** The newest migration that was applied; null for a file without migrations. */
  schema: count.nullable(),
  rows: z.record(z.string(), count),
})
export type BackedUpFile = z.output<typeof backedUpFile>

const content = z.strictObject({
  format: z.literal(FORMAT),
  id: z.string().regex(BACKUP_ID),
  /** The moment: all that was answered before it is in the backup. */
  created_at: z.iso.datetime(),
  origin: z.enum(ORIGINS),
  /** The version of svc that made it. */
  version: z.string().min(1),
  /** How long writers waited for the moment. */
  held_ms: z.number().nonnegative(),
  key_checks: z.strictObject({ APP_KEY: digest, API_KEY_PEPPER: digest, FERNET_SALT: digest }),
  files: z.array(backedUpFile).min(1),
})

/** The contents of `manifest.json`: what a backup holds, and how to recognise a change of it. */
const manifest = content.extend({
  /** Keyed with the secrets: it shows a change by somebody who does not have them. */
  seal: digest,
  /** SHA-256 of all other fields: it shows damage without the secrets. */
  digest,
})
export type Manifest = z.output<typeof manifest>
type Content = z.output<typeof content>

/** Returns the manifest of a backup. */
export function sealedManifest(
  facts: Omit<Content, 'format' | 'key_checks'>,
  secrets: BackupSecrets,
): Manifest {
  const body = { format: FORMAT, ...facts, key_checks: keyChecks(secrets) } as const
  const sealed = { ...body, seal: sealFor(body, secrets) }
  return { ...sealed, digest: sha256Hex(canonical(sealed)) }
}

/** Returns the text of `manifest.json`. */
export function manifestText(given: unknown): string {
  return `${JSON.stringify(given, null, 2)}\n`
}

/**
 * Returns the manifest in a text.
 * @throws ServiceError `validation` if the text is damaged or of a newer format
 */
export function parseManifest(text: string, path: string): Manifest {
  const damaged = (reason: string) => new ServiceError('validation', `${path} is damaged: ${reason}.`)
  const given = jsonIn(text)
  if (given === undefined) throw damaged('it is not JSON')
  const newer = z.object({ format: z.int().gt(FORMAT) }).safeParse(given)
  if (newer.success) {
    throw new ServiceError('validation', `${path} was written by a newer version of svc; use that version.`)
  }
  const parsed = manifest.safeParse(given, { error: inPlainWords })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw damaged(`${issue?.path.join('.') || 'the text'}: ${issue?.message ?? 'is invalid'}`)
  }
  const { digest: sum, ...sealed } = parsed.data
  if (sha256Hex(canonical(sealed)) !== sum) throw damaged('its digest does not match')
  if (manifestText(given) !== text) throw damaged('it is cut short or was written again')
  return parsed.data
}

/** Returns the names of the secrets that differ from those of a backup. */
export function differingSecrets({ key_checks: stored }: Manifest, secrets: BackupSecrets): string[] {
  const own = keyChecks(secrets)
  return KEY_NAMES.filter((name) => !safeEqual(stored[name], own[name]))
}

/** Returns whether a manifest was written by an owner of the secrets, and not changed since. */
export function isSealed(given: Manifest, secrets: BackupSecrets): boolean {
  const { digest: _digest, seal, ...body } = given
  return safeEqual(seal, sealFor(body, secrets))
}

const sealFor = (body: Content, secrets: BackupSecrets): string => sealOf(sha256Hex(canonical(body)), secrets)

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the same text for the same facts, whatever the order of their fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
