import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { hmac } from './digest.js'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
/** The version of the format, so that a later format can be distinguished. */
const VERSION = 'v1.'

const deriveKey = promisify<string, string, number, Buffer>(scrypt)

/**
 * Encrypts secrets that must be readable again: broker tokens, TOTP secrets, mail passwords, the second copy
 * of an API key. It uses AES-256-GCM, so altered text is refused. The keys exist only in memory; a copy of
 * the database alone reveals nothing.
 */
export class SecretBox {
  /** The beginning of every sealed text. */
  static readonly PREFIX = VERSION
  readonly #encryptionKey: Uint8Array
  readonly #macKey: Uint8Array

  private constructor(keys: Uint8Array) {
    this.#encryptionKey = keys.subarray(0, KEY_BYTES)
    this.#macKey = keys.subarray(KEY_BYTES)
  }

  /**
   * Derives the keys from APP_KEY and FERNET_SALT. Call it once at start: scrypt is deliberately slow (about
   * 50 ms), because a user may have chosen an APP_KEY of low entropy.
   */
  static async derive(secrets: { appKey: string; salt: string }): Promise<SecretBox> {
    return new SecretBox(await deriveKey(secrets.appKey, secrets.salt, 2 * KEY_BYTES))
  }

  /** Encrypts a text. Every call gives a different result. */
  seal(text: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(CIPHER, this.#encryptionKey, iv, { authTagLength: TAG_BYTES })
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return VERSION + sealed.toString('base64url')
  }

  /** Returns the decrypted text, or undefined if it was altered, truncated or encrypted with other keys. */
  open(sealed: string): string | undefined {
    if (!sealed.startsWith(VERSION)) return undefined
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url')
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined
    const decipher = createDecipheriv(CIPHER, this.#encryptionKey, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES))
    try {
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }

  /** Returns a keyed fingerprint of `text`, url-safe. Fingerprints for different purposes differ. */
  mac(purpose: string, text: string): string {
    return hmac(this.#macKey, `${purpose}\0${text}`)
  }
}
