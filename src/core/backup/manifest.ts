import { z } from 'zod'
import { ServiceError } from '../errors/index.js'
import { safeEqual, sha256Hex } from '../secrets/index.js'
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
  /** SHA-256 of the other fields, which shows damage without the secrets. */
  digest,
  /** Keyed with the secrets, which shows a change by somebody who has no secrets. */
  seal: digest,
})
export type Manifest = z.output<typeof manifest>
type Content = Omit<z.output<typeof content>, 'format' | 'key_checks'>

/** Returns the manifest of a backup, as its file has it. */
export function sealedManifest(facts: Content, secrets: BackupSecrets): Manifest {
  const body = { format: FORMAT, ...facts, key_checks: keyChecks(secrets) } as const
  const sum = sha256Hex(canonical(body))
  return { ...body, digest: sum, seal: sealOf(sum, secrets) }
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
  const parsed = manifest.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw damaged(`${issue?.path.join('.') || 'the text'}: ${issue?.message ?? 'is invalid'}`)
  }
  const { digest: sum, seal: _, ...body } = parsed.data
  if (sha256Hex(canonical(body)) !== sum) throw damaged('its digest does not match')
  return parsed.data
}

/** Returns the names of the secrets that differ from those of a backup. */
export function differingSecrets({ key_checks: stored }: Manifest, secrets: BackupSecrets): string[] {
  const own = keyChecks(secrets)
  return KEY_NAMES.filter((name) => !safeEqual(stored[name], own[name]))
}

/** Returns whether a manifest was written by an owner of the secrets, and not changed since. */
export function isSealed(given: Manifest, secrets: BackupSecrets): boolean {
  return safeEqual(given.seal, sealOf(given.digest, secrets))
}

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
