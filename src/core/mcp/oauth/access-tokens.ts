import { jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { randomHex, sha256Hex } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'
import type { McpScope } from '../schema.js'
import type { IssuedGrant } from './grants.js'
import { storedScopes } from './scopes.js'
import { ALGORITHM, type SigningKeys } from './signing-keys.js'

const TYPE = 'at+jwt'
const ID_BYTES = 16
/** Ours have about 900 characters. */
const MAX_TOKEN_LENGTH = 4096
/** Tokens whose signature was checked. Checking one again costs a hundred times more. */
const MAX_KNOWN = 1000

const claimsSchema = z.object({
  sub: z.string(),
  jti: z.string().regex(/^[0-9a-f]+\.[0-9a-f]+$/),
  exp: z.number(),
  client_id: z.string(),
  scope: z.string(),
})

/** What a valid access token says. Whether its grant still lives is another question. */
export interface AccessClaims {
  readonly tokenId: string
  readonly familyId: string
  readonly clientId: string
  readonly userId: number
  readonly scopes: readonly McpScope[]
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Who signs tokens, and for which service. */
interface Place {
  issuer: string
  audience: string
}

interface AccessTokensParts {
  keys: SigningKeys
  clock: Clock
  ttlMs: number
  place: () => Place
}

/** The access tokens: JWTs by RFC 9068 that name their grant in their id. */
export class AccessTokens {
  readonly #parts: AccessTokensParts
  /** By the digest of the token. A token is valid only at the place for which it was checked. */
  readonly #known = new Map<string, { claims: AccessClaims; issuer: string }>()

  constructor(parts: AccessTokensParts) {
    this.#parts = parts
  }

  async sign({ accessScopes, grant }: Pick<IssuedGrant, 'accessScopes' | 'grant'>) {
    const { clock, keys, place, ttlMs } = this.#parts
    const { audience, issuer } = place()
    const { key, kid } = await keys.signing()
    const issuedAt = Math.floor(clock.now() / 1000)
    const token = await new SignJWT({ client_id: grant.clientId, scope: accessScopes.join(' ') })
      .setProtectedHeader({ alg: ALGORITHM, kid, typ: TYPE })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(String(grant.userId))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ttlMs / 1000)
      .setJti(`${grant.familyId}.${randomHex(ID_BYTES)}`)
      .sign(key)
    return { token, expiresInSeconds: ttlMs / 1000 }
  }

  /** Returns what a token says; undefined if its signature, place or time is wrong. */
  async verify(token: string): Promise<AccessClaims | undefined> {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const { audience, issuer } = this.#parts.place()
    const digest = sha256Hex(token)
    const known = this.#known.get(digest)
    const now = this.#parts.clock.now()
    if (known && known.issuer === issuer) return now < known.claims.expiresAt ? known.claims : undefined
    const claims = await this.#check(token, { audience, issuer }).catch(() => undefined)
    if (claims) this.#remember(digest, { claims, issuer })
    return claims
  }

  async #check(token: string, { audience, issuer }: Place): Promise<AccessClaims> {
    const { clock, keys } = this.#parts
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : keys.find(kid)
        if (!key) throw new Error('the key is not known')
        return key
      },
      { algorithms: [ALGORITHM], typ: TYPE, issuer, audience, currentDate: new Date(clock.now()) },
    )
    const { client_id: clientId, exp, jti: tokenId, scope, sub } = claimsSchema.parse(payload)
    const [familyId = ''] = tokenId.split('.')
    const scopes = storedScopes(scope)
    return { tokenId, familyId, clientId, userId: Number(sub), scopes, expiresAt: exp * 1000 }
  }

  #remember(digest: string, known: { claims: AccessClaims; issuer: string }): void {
    this.#known.set(digest, known)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }
}
