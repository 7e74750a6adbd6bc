import { sha256Hex } from '../../../core/secrets/index.js'

/** Returns a sign of a secret for the audit trail: a change must show, but the secret may not be stored. */
export function fingerprint(secret: string): string {
  return sha256Hex(secret).slice(0, 12)
}
