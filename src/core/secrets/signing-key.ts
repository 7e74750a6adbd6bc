import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { z } from 'zod'

/** The private part of a key as text: a JSON Web Key of RFC 8037. */
const privateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
})

/** 128 bits of the digest: nobody finds another key with the same id. */
const ID_HEX = 32

/** A key pair (Ed25519) that proves who its owner is, to everybody who knows the id of the key. */
export class SigningKey {
  /** The beginning of the SHA-256 of the public key, as 32 lower-case hex characters. */
  readonly id: string
  /** The 32 bytes of the public key, url-safe. */
  readonly publicKey: string
  readonly #key: KeyObject

  private constructor(key: KeyObject) {
    this.#key = key
    this.publicKey = createPublicKey(key).export({ format: 'jwk' }).x ?? ''
    this.id = createHash('sha256')
      .update(Buffer.from(this.publicKey, 'base64url'))
      .digest('hex')
      .slice(0, ID_HEX)
  }

  /** Makes a new pair at random. */
  static make(): SigningKey {
    return new SigningKey(generateKeyPairSync('ed25519').privateKey)
  }

  /** Returns the pair of a text that {@link secretText} gave; undefined if it is none. */
  static of(text: string): SigningKey | undefined {
    try {
      const key = privateJwk.parse(JSON.parse(text))
      return new SigningKey(createPrivateKey({ key, format: 'jwk' }))
    } catch {
      return undefined
    }
  }

  /** Returns the pair as text, to store it sealed. */
  secretText(): string {
    return JSON.stringify(this.#key.export({ format: 'jwk' }))
  }

  /** Returns the signature of a text, url-safe. */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64url')
  }
}
