import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { type SecretBox, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import { type Clock, DAY_MS, HOUR_MS } from '../../time/index.js'
import type { KeyRow, OAuthStore } from './store.js'

export const ALGORITHM = 'RS256'
const MODULUS_BITS = 2048
const KID_DIGITS = 16
/** How long a key signs. */
const ACTIVE_MS = 90 * DAY_MS
/** How long a key that no longer signs is published: longer than any token that it signed is valid. */
const PUBLISHED_MS = HOUR_MS

/** The members of a public key that are published. */
export interface PublicKey {
  kty: string
  use: string
  alg: string
  kid: string
  n: string
  e: string
}

interface LoadedKey {
  readonly kid: string
  readonly published: PublicKey
  readonly key: CryptoKey
  readonly createdAt: number
  readonly rotatedAt: number | null
}

interface SigningKeysParts {
  store: OAuthStore
  secretBox: SecretBox
  clock: Clock
}

/** The keys that sign access tokens. The first one is made when somebody needs it; each is replaced after 90 days. */
export class SigningKeys {
  readonly #parts: SigningKeysParts
  readonly #changes = new SerialQueue()
  #keys: readonly LoadedKey[] = []
  #signing: { kid: string; key: CryptoKey } | undefined

  private constructor(parts: SigningKeysParts) {
    this.#parts = parts
  }

  /** @throws Error when the active key was sealed with other secrets */
  static async open(parts: SigningKeysParts): Promise<SigningKeys> {
    const keys = new SigningKeys(parts)
    await keys.#load()
    return keys
  }

  /** Returns the key that signs now. */
  signing(): Promise<{ kid: string; key: CryptoKey }> {
    return this.#changes.run(async () => {
      const active = this.#keys.find(({ kid }) => kid === this.#signing?.kid)
      if (this.#signing && active && this.#parts.clock.since(active.createdAt) < ACTIVE_MS)
        return this.#signing
      return this.#replace()
    })
  }

  /** Replaces the signing key. Tokens of the key before it stay valid for their time. */
  rotate(): Promise<string> {
    return this.#changes.run(async () => (await this.#replace()).kid)
  }

  /** Returns a published key. */
  find(kid: string): CryptoKey | undefined {
    return this.#published().find((key) => key.kid === kid)?.key
  }

  /** Returns the keys with which anybody can check a token. */
  published(): PublicKey[] {
    return this.#published().map(({ published }) => published)
  }

  /** Forgets the keys of tokens that have all expired. */
  async sweep(): Promise<void> {
    if (this.#published().length === this.#keys.length) return
    await this.#changes.run(async () => {
      await this.#parts.store.pruneKeys(this.#parts.clock.ago(PUBLISHED_MS))
      await this.#load()
    })
  }

  #published(): readonly LoadedKey[] {
    const since = this.#parts.clock.ago(PUBLISHED_MS)
    return this.#keys.filter(({ rotatedAt }) => rotatedAt === null || rotatedAt > since)
  }

  async #replace(): Promise<{ kid: string; key: CryptoKey }> {
    const { clock, secretBox, store } = this.#parts
    const pair = await generateKeyPair(ALGORITHM, { modulusLength: MODULUS_BITS, extractable: true })
    const publicJwk = await exportJWK(pair.publicKey)
    const kid = sha256Hex(JSON.stringify(publicJwk)).slice(0, KID_DIGITS)
    const privateSealed = secretBox.seal(JSON.stringify(await exportJWK(pair.privateKey)))
    const key = { kid, algorithm: ALGORITHM, publicJwk: JSON.stringify(publicJwk), privateSealed }
    await store.addKey(key, clock.now())
    await this.#load()
    if (this.#signing?.kid !== kid) throw new Error('the new signing key was not stored')
    return this.#signing
  }

  async #load(): Promise<void> {
    const rows = await this.#parts.store.keys()
    this.#keys = await Promise.all(rows.map(loadedOf))
    const active = rows.find(({ isActive }) => isActive)
    this.#signing = active && { kid: active.kid, key: await this.#privateOf(active) }
  }

  async #privateOf({ kid, privateSealed }: KeyRow): Promise<CryptoKey> {
    const text = privateSealed === null ? undefined : this.#parts.secretBox.open(privateSealed)
    if (text === undefined) throw new Error(`the signing key ${kid} cannot be decrypted`)
    return keyOf(JSON.parse(text))
  }
}

async function loadedOf({ createdAt, kid, publicJwk, rotatedAt }: KeyRow): Promise<LoadedKey> {
  const jwk: JWK = JSON.parse(publicJwk)
  const { e = '', kty = '', n = '' } = jwk
  const published = { kty, use: 'sig', alg: ALGORITHM, kid, n, e }
  return { kid, published, key: await keyOf(jwk), createdAt, rotatedAt }
}

async function keyOf(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('the signing key is no RSA key')
  return key
}
