import { crashPoint, messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { type SecretBox, safeEqual, sha256Hex } from '../../secrets/index.js'
import { SerialQueue, type Tx } from '../../storage/index.js'
import { type Clock, DAY_MS } from '../../time/index.js'
import type { McpScope } from '../schema.js'
import type { Consent } from './codes.js'
import { oauthError } from './errors.js'
import { parseScopes, storedScopes } from './scopes.js'
import {
  type Ending,
  endGrantsIn,
  type GrantRow,
  type NewRefresh,
  type OAuthStore,
  type RefreshRow,
  type RefreshTransaction,
} from './store.js'

/** How long ended grants are kept. */
const HISTORY_MS = 90 * DAY_MS
/** Windows of one assistant share a stored token, and may refresh it together. */
const TWIN_MS = 30_000
/** The replaced tokens whose instant is remembered. */
const MAX_REPLACED = 1000
/** A refresh token has 43 characters; a much longer one is not worth a digest. */
const MAX_TOKEN_LENGTH = 128

export type EndReason =
  | 'reuse_detected'
  | 'code_reused'
  | 'client_revoked'
  | 'client_request'
  | 'admin_kill_switch'
  | 'restored'
  | 'password_reset'
  | 'expired'

/** New tokens of a grant. */
export interface IssuedGrant {
  grant: GrantRow
  refreshToken: string
  /** The scopes of the refresh token. */
  scopes: readonly McpScope[]
  /** The scopes of the access token; a refresh may ask for fewer. */
  accessScopes: readonly McpScope[]
  /** The row of the refresh token, for {@link Grants.delivered}. */
  tokenId: number
}

interface RefreshRequest {
  clientId: string
  refreshToken: string
  /** The scopes that the access token shall have; all by default. */
  scope?: string | undefined
}

interface GrantsParts {
  store: OAuthStore
  secretBox: SecretBox
  clock: Clock
  log: Pick<Logger, 'error' | 'warn'>
  refreshMs: number
  onEnded: () => void
  /** Is called when a used refresh token comes again. */
  onTheft: (clientId: string, familyId: string) => void
  /** Returns whether a client may have tokens now. */
  isUsable: (clientId: string) => boolean
}

/** The use of a refresh token: its successor, or a sign of theft. */
type Use = { issued: IssuedGrant } | { stolenFamily: string } | { refused: true }

/**
 * The grants of the owner. Each is a family of refresh tokens, of which only the newest is valid. Living grants are in
 * memory, so an access token is refused as soon as its grant has ended.
 *
 * Each refresh token is derived from the one before it. A client that never got the answer (the process was killed, the
 * connection broke) sends its old token again and gets the same successor. So do two windows of one client that refresh at
 * the same moment. Otherwise an old token is a stolen one once the answer has left, and the whole family ends.
 */
export class Grants {
  readonly #parts: GrantsParts
  readonly #living = new Map<string, GrantRow>()
  /** Families that are being stored, and those among them that ended meanwhile. */
  readonly #issuing = new Map<string, { clientId: string; hasEnded: boolean }>()
  readonly #changes = new SerialQueue()
  /** Ends that are not yet stored: a restart would undo them. */
  readonly #unwritten = new Set<{ ending: Ending; reason: EndReason; at: number }>()
  readonly #delivered = new Set<number>()
  /** When tokens were replaced, on the monotonic clock: a step of the time of day makes no thief of a twin. */
  readonly #replaced = new Map<number, number>()

  private constructor(parts: GrantsParts) {
    this.#parts = parts
  }

  static async open(parts: GrantsParts): Promise<Grants> {
    const grants = new Grants(parts)
    for (const row of await parts.store.openGrants()) grants.#living.set(row.familyId, row)
    return grants
  }

  /** Returns a grant that has not ended. */
  living(familyId: string): GrantRow | undefined {
    const grant = this.#living.get(familyId)
    return grant && this.#parts.clock.now() < grant.expiresAt ? grant : undefined
  }

  /** Returns the number of living grants of a client. */
  count(clientId: string): number {
    return [...this.#living.values()].filter((grant) => grant.clientId === clientId).length
  }

  /**
   * Begins the grant for which the user has consented.
   * @throws ServiceError with the OAuth error `invalid_grant` when it was ended before it was stored
   */
  async begin(familyId: string, { clientId, scopes, userId, username }: Consent): Promise<IssuedGrant> {
    const { clock, refreshMs, store } = this.#parts
    const createdAt = clock.now()
    const expiresAt = createdAt + refreshMs
    const issuing = { clientId, hasEnded: false }
    this.#issuing.set(familyId, issuing)
    try {
      const refreshToken = this.#tokenAfter(familyId, 0)
      const tokenHash = sha256Hex(refreshToken)
      const token = { clientId, tokenHash, scopes: scopes.join(' '), familyId, createdAt, expiresAt }
      const grant = { familyId, clientId, userId, username, createdAt, expiresAt }
      const { id } = await store.addGrant(grant, token)
      const row: GrantRow = { ...grant, endedAt: null, endReason: null }
      if (issuing.hasEnded || !this.#parts.isUsable(clientId)) {
        await this.end({ families: [familyId] }, 'client_revoked')
        throw oauthError('invalid_grant', 'Code unknown, expired, or already used.')
      }
      this.#living.set(familyId, row)
      return { grant: row, refreshToken, scopes, accessScopes: scopes, tokenId: id }
    } finally {
      this.#issuing.delete(familyId)
    }
  }

  /**
   * Replaces a refresh token by its successor.
   * @throws ServiceError with the OAuth error `invalid_grant` or `invalid_scope`
   */
  async refresh(request: RefreshRequest): Promise<IssuedGrant> {
    const { log, store } = this.#parts
    if (request.refreshToken.length > MAX_TOKEN_LENGTH) throw invalidToken()
    const use = await store.useToken((tokens) => this.#use(tokens, request))
    crashPoint('mcp.rotated')
    if ('stolenFamily' in use) {
      log.warn('mcp.refresh_token_reused', { client: request.clientId, family: use.stolenFamily })
      this.#parts.onTheft(request.clientId, use.stolenFamily)
      await this.end({ families: [use.stolenFamily] }, 'reuse_detected')
    }
    if (!('issued' in use)) throw invalidToken()
    const { grant } = use.issued
    const living = this.#living.get(grant.familyId)
    // It may have ended in memory while the replacement was stored.
    if (!living || !this.#parts.isUsable(grant.clientId)) throw invalidToken()
    living.expiresAt = grant.expiresAt
    return use.issued
  }

  /** Notes that an answer has left this machine: soon the token before it is a stolen one. */
  delivered({ tokenId }: Pick<IssuedGrant, 'tokenId'>): void {
    this.#delivered.add(tokenId)
    void this.#changes.run(() => this.#writeDelivered()).catch(() => undefined)
  }

  /** Ends the grant of a refresh token, if the token is this client's. */
  async endOfToken(refreshToken: string, clientId: string): Promise<boolean> {
    if (refreshToken.length > MAX_TOKEN_LENGTH) return false
    const row = await this.#parts.store.familyOf(sha256Hex(refreshToken))
    if (row?.clientId !== clientId || !this.living(row.familyId)) return false
    await this.end({ families: [row.familyId] }, 'client_request')
    return true
  }

  /**
   * Ends grants: in memory before anything else, so that no token of theirs is valid when the call returns its promise.
   * @returns the number of refresh tokens that were usable
   */
  end(ending: Ending, reason: EndReason): Promise<number> {
    const ended = [...this.#living.values()].filter((grant) => isMeant(grant, ending))
    for (const { familyId } of ended) this.#living.delete(familyId)
    const at = this.#endOf(ended)
    const unwritten = { ending, reason, at }
    this.#unwritten.add(unwritten)
    for (const [familyId, issuing] of this.#issuing) {
      if (isMeant({ familyId, clientId: issuing.clientId }, ending)) issuing.hasEnded = true
    }
    if (ended.length > 0) this.#parts.onEnded()
    return this.#changes.run(() => this.#write(unwritten))
  }

  /** Stores the end of all grants in the transaction of another change. The caller ends them with {@link end} after it. */
  async storeEndOfAll(tx: Tx, reason: EndReason): Promise<void> {
    await endGrantsIn(tx, 'all', reason, this.#endOf([...this.#living.values()]))
  }

  /** Stores the ends and deliveries that failed to be stored before. */
  settle(): Promise<void> {
    return this.#changes.run(async () => {
      for (const unwritten of [...this.#unwritten]) await this.#write(unwritten)
      await this.#writeDelivered()
    })
  }

  /** Ends grants that nobody has refreshed in time, and forgets what is no longer needed. */
  async sweep(): Promise<void> {
    await this.settle()
    const now = this.#parts.clock.now()
    const old = [...this.#living.values()].filter(({ expiresAt }) => now >= expiresAt)
    if (old.length > 0) await this.end({ families: old.map(({ familyId }) => familyId) }, 'expired')
    await this.#parts.store.prune(now, now - HISTORY_MS)
  }

  /** Returns the time at which grants end. The clock may have been set back since one of them began. */
  #endOf(grants: readonly GrantRow[]): number {
    return grants.reduce((latest, grant) => Math.max(latest, grant.createdAt), this.#parts.clock.now())
  }

  async #use(tokens: RefreshTransaction, { clientId, refreshToken, scope }: RefreshRequest): Promise<Use> {
    const row = await tokens.find(sha256Hex(refreshToken))
    if (!row) return { refused: true }
    const grant = this.living(row.familyId) && (await tokens.openGrant(row.familyId))
    const now = this.#parts.clock.now()
    if (!grant || now >= row.expiresAt) return { refused: true }
    if (row.clientId !== clientId) return { stolenFamily: row.familyId }
    const granted = storedScopes(row.scopes)
    const accessScopes = parseScopes(scope ?? '', granted, granted)
    const next = this.#tokenAfter(row.familyId, row.id)
    if (row.revokedAt !== null) {
      const last = await tokens.successorOf(row.id)
      const isOpen = last !== undefined && (this.#isUnheard(last) || this.#isTwin(row, last))
      if (!isOpen || !safeEqual(last.tokenHash, sha256Hex(next))) {
        return { stolenFamily: row.familyId }
      }
      return { issued: { grant, refreshToken: next, scopes: granted, accessScopes, tokenId: last.id } }
    }
    const expiresAt = now + this.#parts.refreshMs
    const successor: NewRefresh = {
      clientId,
      tokenHash: sha256Hex(next),
      scopes: row.scopes,
      familyId: row.familyId,
      createdAt: now,
      expiresAt,
    }
    const { id } = await tokens.replace(row, successor)
    this.#noteReplaced(row)
    const issued = { grant: { ...grant, expiresAt }, refreshToken: next, scopes: granted, accessScopes }
    return { issued: { ...issued, tokenId: id } }
  }

  /** Returns whether nobody can have got a token yet. */
  #isUnheard({ id, deliveredAt, lastUsedAt, revokedAt }: RefreshRow): boolean {
    return deliveredAt === null && lastUsedAt === null && revokedAt === null && !this.#delivered.has(id)
  }

  #noteReplaced({ id }: RefreshRow): void {
    this.#replaced.set(id, this.#parts.clock.monotonic())
    const [oldest] = this.#replaced.keys()
    if (this.#replaced.size > MAX_REPLACED && oldest !== undefined) this.#replaced.delete(oldest)
  }

  /** Returns whether another window of the client replaced a token a moment ago, and the successor is not used yet. */
  #isTwin({ id, revokedAt }: RefreshRow, successor: RefreshRow): boolean {
    if (successor.revokedAt !== null || revokedAt === null) return false
    const { clock } = this.#parts
    const replaced = this.#replaced.get(id)
    if (replaced !== undefined) return clock.monotonic() - replaced <= TWIN_MS
    // Replaced before the last start.
    return clock.since(revokedAt, Number.POSITIVE_INFINITY) <= TWIN_MS
  }

  /** Returns the refresh token that follows another one of its family; 0 stands for the consent. */
  #tokenAfter(familyId: string, parentId: number): string {
    return this.#parts.secretBox.mac('mcp refresh token', `${familyId} ${parentId}`)
  }

  async #write(unwritten: { ending: Ending; reason: EndReason; at: number }): Promise<number> {
    if (!this.#unwritten.has(unwritten)) return 0
    const revoked = await this.#parts.store.endGrants(unwritten.ending, unwritten.reason, unwritten.at)
    this.#unwritten.delete(unwritten)
    return revoked
  }

  async #writeDelivered(): Promise<void> {
    const ids = [...this.#delivered]
    if (ids.length === 0) return
    try {
      await this.#parts.store.noteDelivered(ids, this.#parts.clock.now())
      for (const id of ids) this.#delivered.delete(id)
    } catch (error) {
      this.#parts.log.error('mcp.delivery_not_stored', { reason: messageOf(error) })
    }
  }
}

function isMeant({ clientId, familyId }: Pick<GrantRow, 'clientId' | 'familyId'>, ending: Ending): boolean {
  if (ending === 'all') return true
  return 'clientId' in ending ? ending.clientId === clientId : ending.families.includes(familyId)
}

const invalidToken = () => oauthError('invalid_grant', 'Invalid refresh_token.')
