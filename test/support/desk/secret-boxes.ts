import { SecretBox } from '../../../src/core/secrets/index.js'

const boxes = new Map<string, Promise<SecretBox>>()

/**
 * A box for an APP_KEY and a FERNET_SALT. This process derives it once, because the derivation is slow by
 * design.
 */
export function boxFor(appKey = 'a'.repeat(64), salt = 'b'.repeat(32)): Promise<SecretBox> {
  const key = `${appKey} ${salt}`
  const known = boxes.get(key)
  if (known) return known
  const box = SecretBox.derive({ appKey, salt })
  boxes.set(key, box)
  return box
}
