import { ServiceError } from '../../errors/index.js'
import { randomToken, safeEqual, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { McpScope, McpSettings } from '../schema.js'
import { oauthError } from './errors.js'
import { usableRedirectUris } from './redirect-uris.js'
import { parseScopes, storedScopes, supportedScopes } from './scopes.js'
import type { ClientRow, OAuthStore } from './store.js'

const CLIENT_ID_BYTES = 24
const SECRET_BYTES = 32
const MAX_NAME = 200
/** The name of a client that gives none (RFC 7591 lets it). */
const NO_NAME = 'Unnamed client'
/** Clients that nobody has approved or used. Beyond this number a registration removes the oldest: anybody may register. */
const MAX_UNUSED = 100

export const AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none'] as const
export type AuthMethod = (typeof AUTH_METHODS)[number]

/** What a client says about itself. Nobody has checked it. */
export interface ClientMetadata {
  name: string
  redirectUris: readonly string[]
  /** Scopes with blanks between them; all that can be granted by default. */
  scope?: string | undefined
  authMethod?: string | undefined
}

/** How a client proves who it is. */
export interface ClientProof {
  clientId: string | undefined
  secret: string | undefined
}

interface ClientsParts {
  store: OAuthStore
  clock: Clock
  settings: () => McpSettings
}

/** The registered clients. All are in memory, because each request asks for one. */
export class Clients {
  readonly #parts: ClientsParts
  readonly #byId = new Map<string, ClientRow>()
  readonly #changes = new SerialQueue()
  /** Clients that are revoked in memory but not yet in the store. */
  readonly #unwritten = new Set<ClientRow>()

  private constructor(parts: ClientsParts) {
    this.#parts = parts
  }

  static async open(parts: ClientsParts): Promise<Clients> {
    const clients = new Clients(parts)
    for (const row of await parts.store.clients()) clients.#byId.set(row.clientId, row)
    return clients
  }

  /** Returns all clients, newest first. */
  list(): readonly ClientRow[] {
    return [...this.#byId.values()].reverse()
  }

  find(clientId: string): ClientRow | undefined {
    return this.#byId.get(clientId)
  }

  /** Returns a client that may act now; undefined if it is unknown, not approved or revoked. */
  usable(clientId: string): ClientRow | undefined {
    const client = this.#byId.get(clientId)
    return client?.approved && client.revokedAt === null ? client : undefined
  }

  /**
   * Registers a client. Its secret is returned only here; a public client has none.
   * @throws ServiceError with an OAuth error for metadata that is not acceptable
   */
  register(
    metadata: ClientMetadata,
  ): Promise<{ client: ClientRow; authMethod: AuthMethod; secret: string | undefined }> {
    return this.#changes.run(async () => {
      const { clock, settings, store } = this.#parts
      const authMethod = methodOf(metadata.authMethod ?? 'client_secret_basic')
      const supported = supportedScopes(settings())
      const scopes = parseScopes(metadata.scope ?? '', supported, supported)
      const secret = authMethod === 'none' ? undefined : randomToken(SECRET_BYTES)
      const removed = this.#removable()
      const row = await store.addClient(
        {
          clientId: randomToken(CLIENT_ID_BYTES),
          clientName: nameOf(metadata.name),
          redirectUris: [...usableRedirectUris(metadata.redirectUris, authMethod === 'none')],
          clientSecretHash: secret === undefined ? null : sha256Hex(secret),
          scopesRequested: scopes.join(' '),
          approved: !settings().requireApproval,
          approvedAt: null,
          createdAt: clock.now(),
        },
        removed,
      )
      for (const clientId of removed) this.#byId.delete(clientId)
      this.#byId.set(row.clientId, row)
      return { client: row, authMethod, secret }
    })
  }

  /**
   * Lets a client ask for consent. Returns false if it was allowed before.
   * @throws ServiceError `not_found`; `refused` for a revoked client
   */
  approve(clientId: string): Promise<boolean> {
    return this.#changes.run(async () => {
      const client = this.#known(clientId)
      if (client.revokedAt !== null) throw new ServiceError('refused', 'Client is revoked.')
      if (client.approved) return false
      const changes = { approved: true, approvedAt: this.#parts.clock.now() }
      await this.#parts.store.changeClient(clientId, changes)
      Object.assign(client, changes)
      return true
    })
  }

  /**
   * Revokes a client in memory, at once. {@link settle} stores it. Returns false if it was revoked and stored before.
   * @throws ServiceError `not_found`
   */
  revoke(clientId: string): boolean {
    const client = this.#known(clientId)
    if (client.revokedAt !== null) return this.#unwritten.has(client)
    client.revokedAt = this.#parts.clock.now()
    this.#unwritten.add(client)
    return true
  }

  /** Stores the revocations that are only in memory. */
  settle(): Promise<void> {
    return this.#changes.run(async () => {
      for (const client of [...this.#unwritten]) {
        await this.#parts.store.changeClient(client.clientId, { revokedAt: client.revokedAt })
        this.#unwritten.delete(client)
      }
    })
  }

  /** Notes a use that is already stored. */
  noteUse(clientId: string, at: number): void {
    const client = this.#byId.get(clientId)
    if (client) client.lastUsedAt = at
  }

  /**
   * Returns the client of a request to the token endpoint.
   * @throws ServiceError with the OAuth error `invalid_client`
   */
  authenticate({ clientId, secret }: ClientProof): ClientRow {
    if (!clientId) throw oauthError('invalid_client', 'client_id is required')
    const client = this.#byId.get(clientId)
    if (!client || client.revokedAt !== null) throw oauthError('invalid_client', 'unknown or revoked client')
    if (client.clientSecretHash === null) {
      if (secret) throw oauthError('invalid_client', 'this client must not present a secret')
    } else if (!safeEqual(sha256Hex(secret ?? ''), client.clientSecretHash)) {
      throw oauthError('invalid_client', 'invalid client credentials')
    }
    if (!client.approved) throw oauthError('invalid_client', 'client not approved')
    return client
  }

  #known(clientId: string): ClientRow {
    const client = this.#byId.get(clientId)
    if (!client) throw new ServiceError('not_found', 'Client not found.')
    return client
  }

  /** Returns the clients that have to make room for a new one. */
  #removable(): string[] {
    const unused = [...this.#byId.values()].filter(
      ({ approvedAt, lastUsedAt, revokedAt }) =>
        approvedAt === null && lastUsedAt === null && revokedAt === null,
    )
    return unused.slice(0, Math.max(0, unused.length - MAX_UNUSED + 1)).map(({ clientId }) => clientId)
  }
}

/** Returns the scopes that a client may ask for. */
export function scopesOf({ scopesRequested }: Pick<ClientRow, 'scopesRequested'>): readonly McpScope[] {
  return storedScopes(scopesRequested)
}

function methodOf(text: string): AuthMethod {
  const method = AUTH_METHODS.find((one) => one === text)
  if (!method) {
    throw oauthError(
      'invalid_client_metadata',
      `token_endpoint_auth_method must be one of: ${AUTH_METHODS.join(', ')}.`,
    )
  }
  return method
}

/** Control characters could write elsewhere on a terminal, so a name has none. */
function nameOf(text: string): string {
  const name = [...text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()].slice(0, MAX_NAME).join('').trim()
  return name || NO_NAME
}
