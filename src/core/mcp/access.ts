import type { Config } from '../config/index.js'
import { messageOf, ServiceError } from '../errors/index.js'
import { storeCredentialEnd } from '../identity/index.js'
import type { Logger } from '../logging/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Settings } from '../settings/index.js'
import type { Database, Tx } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import { McpAudit } from './audit/audit.js'
import { AccessTokens } from './oauth/access-tokens.js'
import { Authorization, type AuthorizationRequest } from './oauth/authorization.js'
import { Clients } from './oauth/clients.js'
import { Codes } from './oauth/codes.js'
import { Grants } from './oauth/grants.js'
import { SigningKeys } from './oauth/signing-keys.js'
import { OAuthStore } from './oauth/store.js'
import type { McpAccess, McpCall, McpGrant, McpSettings, TokenRefusal } from './schema.js'
import { changeMcpSettings, type McpSettingsPatch, mcpSettingsOf } from './settings.js'
import { TokenEndpoint } from './tokens.js'

const SETTLE_MS = 30_000
const SWEEP_MS = 10 * 60_000

interface McpOptions {
  svc: Database
  logs: Database
  settings: Settings
  secretBox: SecretBox
  clock: Clock
  log: Logger
  config: Pick<Config, 'MCP_OAUTH_ACCESS_TTL' | 'MCP_OAUTH_REFRESH_TTL' | 'MCP_AUDIT_RETENTION_DAYS'>
  /** Is called when somebody sends a code or a refresh token again: a copy of it is somewhere else. */
  onTheft?: (what: 'code' | 'refresh_token', clientId: string, familyId: string) => void
}

interface Members {
  clients: Clients
  codes: Codes
  grants: Grants
  keys: SigningKeys
  accessTokens: AccessTokens
}

/** Who may connect by MCP: the clients, what the owner granted them, and the record of what they did. */
export class Mcp implements McpAccess {
  readonly clients: Clients
  readonly keys: SigningKeys
  readonly audit: McpAudit
  readonly authorization: Authorization
  readonly tokens: TokenEndpoint
  readonly #options: McpOptions
  readonly #members: Members
  readonly #listeners: Set<() => void>
  readonly #timers: readonly Timer[]

  private constructor(options: McpOptions, members: Members, listeners: Set<() => void>) {
    const { clock, config, log, logs, secretBox } = options
    this.#options = options
    this.#members = members
    this.#listeners = listeners
    this.clients = members.clients
    this.keys = members.keys
    const retentionDays = config.MCP_AUDIT_RETENTION_DAYS
    this.audit = new McpAudit({ db: logs, clock, log, retentionDays })
    const settings = () => this.settings()
    this.authorization = new Authorization({ clients: members.clients, secretBox, settings })
    this.tokens = new TokenEndpoint({ ...members, publicUrl: () => this.settings().publicUrl })
    options.settings.onChange((now, before) => {
      if (mcpSettingsOf(before).enabled && !mcpSettingsOf(now).enabled) this.#tellEnd()
    })
    this.#timers = [
      clock.setInterval(() => void this.#tidy(() => this.#settle()), SETTLE_MS),
      clock.setInterval(() => void this.#tidy(() => this.#sweep()), SWEEP_MS),
    ]
  }

  static async open(options: McpOptions): Promise<Mcp> {
    const { clock, config, log, secretBox, svc } = options
    const store = new OAuthStore(svc)
    const settings = () => mcpSettingsOf(options.settings.get())
    const listeners = new Set<() => void>()
    const clients = await Clients.open({ store, clock, settings })
    const grants = await Grants.open({
      store,
      secretBox,
      clock,
      log,
      refreshMs: config.MCP_OAUTH_REFRESH_TTL * 1000,
      onEnded: () => tell(listeners, log),
      onTheft: (clientId, family) => options.onTheft?.('refresh_token', clientId, family),
      isUsable: (clientId) => clients.usable(clientId) !== undefined,
    })
    const codes = new Codes(clock, (clientId, familyId) => {
      log.warn('mcp.code_reused', { client: clientId, family: familyId })
      options.onTheft?.('code', clientId, familyId)
      void grants.end({ families: [familyId] }, 'code_reused').catch(() => undefined)
    })
    const keys = await SigningKeys.open({ store, secretBox, clock })
    const accessTokens = new AccessTokens({
      keys,
      clock,
      ttlMs: config.MCP_OAUTH_ACCESS_TTL * 1000,
      place: () => ({ issuer: settings().publicUrl, audience: `${settings().publicUrl}/mcp` }),
    })
    return new Mcp(options, { clients, codes, grants, keys, accessTokens }, listeners)
  }

  settings(): McpSettings {
    return mcpSettingsOf(this.#options.settings.get())
  }

  /** Changes settings. @throws like {@link changeMcpSettings} */
  changeSettings(patch: McpSettingsPatch): Promise<McpSettings> {
    return changeMcpSettings(this.#options.settings, patch)
  }

  async verify(accessToken: string): Promise<McpGrant | TokenRefusal> {
    const claims = await this.#members.accessTokens.verify(accessToken)
    if (!claims) return refusal('The access token is invalid or has expired.')
    const grant = this.#members.grants.living(claims.familyId)
    const client = this.clients.usable(claims.clientId)
    const { enabled, writeScopeEnabled } = this.settings()
    if (!grant || !client || !enabled || grant.clientId !== claims.clientId) {
      return refusal('The access has been revoked.')
    }
    const scopes = claims.scopes.filter((scope) => writeScopeEnabled || scope !== 'write:orders')
    return {
      clientId: client.clientId,
      clientName: client.clientName,
      userId: grant.userId,
      username: grant.username,
      scopes: new Set(scopes),
      grantId: claims.familyId,
      tokenId: claims.tokenId,
      expiresAt: claims.expiresAt,
    }
  }

  isLive(grant: McpGrant): boolean {
    return this.#options.clock.now() < grant.expiresAt && this.#isGranted(grant)
  }

  mayWrite(grant: McpGrant): boolean {
    return this.settings().writeScopeEnabled && this.#isGranted(grant)
  }

  #isGranted({ clientId, grantId }: McpGrant): boolean {
    return (
      this.settings().enabled &&
      this.#members.grants.living(grantId) !== undefined &&
      this.clients.usable(clientId) !== undefined
    )
  }

  onEnded(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  challenge(refused?: TokenRefusal): string {
    const { publicUrl } = this.settings()
    const description = refused ? `, error_description="${refused.description}"` : ''
    const metadata = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`
    return `Bearer realm="svc-mcp", error="invalid_token"${description}, ${metadata}`
  }

  record(call: McpCall): void {
    this.audit.record(call)
  }

  /** Returns the code that stands for the owner's consent. */
  consent(
    { challenge, client, redirectUri, scopes }: AuthorizationRequest,
    user: { id: number; username: string },
  ): string {
    const { clientId } = client
    return this.#members.codes.issue({
      clientId,
      redirectUri,
      challenge,
      scopes,
      userId: user.id,
      username: user.username,
    })
  }

  /** Returns the number of grants of a client that have not ended. */
  grantsOf(clientId: string): number {
    return this.#members.grants.count(clientId)
  }

  /**
   * Revokes a client with all its tokens, at once.
   * @returns the number of refresh tokens that ended; undefined for a client that was revoked before
   * @throws ServiceError `not_found`; `unavailable`, `storage_full` when a restart would undo the revocation
   */
  async revokeClient(clientId: string): Promise<number | undefined> {
    if (!this.clients.revoke(clientId)) return undefined
    this.#members.codes.clear(clientId)
    const ended = this.#members.grants.end({ clientId }, 'client_revoked')
    return this.#stored('The client is revoked', ended)
  }

  /**
   * Ends every grant, at once. Clients stay approved: they need a new consent.
   * @throws ServiceError `unavailable`, `storage_full` when a restart would undo it
   */
  killAll(reason: 'admin_kill_switch' | 'restored' = 'admin_kill_switch'): Promise<number> {
    this.#members.codes.clear()
    return this.#stored('All access is revoked', this.#members.grants.end('all', reason))
  }

  /**
   * Ends every grant together with another change: somebody else may have given them. Clients stay approved.
   * @param change stores its own part with `storeEnd`, in one transaction
   * @returns the result of the change, and the number of grants that ended
   */
  async endAllWith<T>(
    reason: 'password_reset',
    change: (storeEnd: (tx: Tx) => Promise<void>) => Promise<T>,
  ): Promise<{ result: T; ended: number }> {
    const { codes, grants } = this.#members
    const result = await change((tx) => grants.storeEndOfAll(tx, reason))
    codes.clear()
    const ended = this.clients.list().reduce((sum, { clientId }) => sum + grants.count(clientId), 0)
    // Their end is stored. This ends them in memory, and one that began meanwhile; a failure is tried again later.
    await grants.end('all', reason).catch(() => undefined)
    return { result, ended }
  }

  /** @throws ServiceError `refused` while remote access is off */
  requireEnabled(): void {
    if (!this.settings().enabled) throw new ServiceError('refused', 'Remote MCP is not enabled.')
  }

  /** Stops the housekeeping and writes what waits. The caller closes the databases. */
  async close(): Promise<void> {
    for (const timer of this.#timers) this.#options.clock.clear(timer)
    await this.#tidy(() => this.#settle())
    await this.audit.flush()
  }

  async #stored(done: string, ended: Promise<number>): Promise<number> {
    let count = 0
    // Both are awaited, so that neither failure is lost.
    const all = Promise.allSettled([ended, this.clients.settle()])
    await storeCredentialEnd(done, async () => {
      const [tokens, clients] = await all
      if (tokens.status === 'rejected') throw tokens.reason
      if (clients.status === 'rejected') throw clients.reason
      count = tokens.value
    })
    return count
  }

  async #settle(): Promise<void> {
    await this.clients.settle()
    await this.#members.grants.settle()
  }

  async #sweep(): Promise<void> {
    if (this.clients.list().length === 0) return
    await this.#members.grants.sweep()
    await this.keys.sweep()
  }

  async #tidy(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.log.error('mcp.housekeeping_failed', { reason: messageOf(error) })
    }
  }

  #tellEnd(): void {
    tell(this.#listeners, this.#options.log)
  }
}

function tell(listeners: ReadonlySet<() => void>, log: Pick<Logger, 'error'>): void {
  for (const listener of listeners) {
    try {
      listener()
    } catch (error) {
      log.error('mcp.listener_failed', { reason: messageOf(error) })
    }
  }
}

const refusal = (description: string): TokenRefusal => ({ error: 'invalid_token', description })
