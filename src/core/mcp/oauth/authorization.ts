import { serviceErrorIn } from '../../errors/index.js'
import type { SecretBox } from '../../secrets/index.js'
import { MCP_SCOPES, type McpScope } from '../schema.js'
import { type Clients, scopesOf } from './clients.js'
import { oauthError } from './errors.js'
import { isRegistered } from './redirect-uris.js'
import { parseScopes, supportedScopes } from './scopes.js'
import type { ClientRow } from './store.js'

const MAX_STATE = 512
/** The base64url of a SHA-256. */
const CHALLENGE = /^[\w-]{43}$/

/** A request for consent, as the browser brings it. */
export interface AuthorizationParams {
  client_id?: string | undefined
  redirect_uri?: string | undefined
  response_type?: string | undefined
  scope?: string | undefined
  state?: string | undefined
  code_challenge?: string | undefined
  code_challenge_method?: string | undefined
  resource?: string | undefined
}

/** A request that the user may be asked about. */
export interface AuthorizationRequest {
  client: ClientRow
  redirectUri: string
  scopes: readonly McpScope[]
  state: string | undefined
  challenge: string
}

interface AuthorizationParts {
  clients: Clients
  secretBox: SecretBox
  settings: () => { publicUrl: string; writeScopeEnabled: boolean }
}

/** Checks requests for consent. */
export class Authorization {
  readonly #parts: AuthorizationParts

  constructor(parts: AuthorizationParts) {
    this.#parts = parts
  }

  /**
   * Returns the request, or the address to which its client gets a refusal. Nothing is ever sent to an address that
   * the client has not registered: such a request is refused here.
   * @throws ServiceError with an OAuth error
   */
  check(params: AuthorizationParams): AuthorizationRequest | { refusedTo: string } {
    const { client, redirectUri } = this.#destination(params)
    try {
      return { client, redirectUri, state: params.state, ...this.#wish(client, params) }
    } catch (error) {
      const { error: code, error_description: description } = serviceErrorIn(error)?.extra ?? {}
      if (typeof code !== 'string' || typeof description !== 'string') throw error
      return {
        refusedTo: this.answerTo(
          { redirectUri, state: params.state },
          { error: code, error_description: description },
        ),
      }
    }
  }

  /** Returns the address that brings an answer to the client. */
  answerTo(
    { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
    answer: Readonly<Record<string, string>>,
  ): string {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value)
    if (state !== undefined) url.searchParams.set('state', state)
    // RFC 9207: a client that talks to several services learns which of them answers.
    url.searchParams.set('iss', this.#parts.settings().publicUrl)
    return url.href
  }

  /** Returns the seal of what a session was shown, so that its form can send nothing else. */
  seal({ challenge, client, redirectUri, scopes, state }: AuthorizationRequest, sessionId: string): string {
    const shown = [sessionId, client.clientId, redirectUri, scopes.join(' '), state ?? null, challenge]
    return this.#parts.secretBox.mac('mcp consent', JSON.stringify(shown))
  }

  #destination({ client_id, redirect_uri, state }: AuthorizationParams): {
    client: ClientRow
    redirectUri: string
  } {
    if (!client_id) throw oauthError('invalid_request', 'client_id is required.')
    const client = this.#parts.clients.find(client_id)
    // Not a missing sign-in: the user is signed in, and the request is wrong.
    if (!client || client.revokedAt !== null) {
      throw oauthError('invalid_client', 'Unknown or revoked client.', 'validation')
    }
    if (!redirect_uri || !isRegistered(redirect_uri, client.redirectUris)) {
      throw oauthError('invalid_request', 'redirect_uri is not registered.')
    }
    if ((state?.length ?? 0) > MAX_STATE) {
      throw oauthError('invalid_request', `state parameter too long (max ${MAX_STATE} chars).`)
    }
    if (!client.approved) {
      const text = `${client.clientName} is not approved. Approve it first: svc admin mcp approve ${client.clientId}`
      throw oauthError('unauthorized_client', text)
    }
    return { client, redirectUri: redirect_uri }
  }

  #wish(client: ClientRow, params: AuthorizationParams): Pick<AuthorizationRequest, 'scopes' | 'challenge'> {
    const {
      code_challenge: challenge,
      code_challenge_method: method,
      resource,
      response_type,
      scope,
    } = params
    const { publicUrl, writeScopeEnabled } = this.#parts.settings()
    if ((response_type ?? 'code') !== 'code') {
      throw oauthError('unsupported_response_type', 'response_type must be code.')
    }
    if (method !== 'S256' || challenge === undefined || !CHALLENGE.test(challenge)) {
      throw oauthError('invalid_request', 'PKCE S256 code_challenge is required.')
    }
    if (resource !== undefined && !isOurs(resource, publicUrl)) {
      throw oauthError('invalid_target', `This server grants access to ${publicUrl}/mcp only.`)
    }
    const supported = supportedScopes({ writeScopeEnabled })
    const allowed = scopesOf(client).filter((one) => supported.includes(one))
    // Whoever wants to write has to say so.
    const byDefault = allowed.filter((one) => one !== 'write:orders')
    return { challenge, scopes: parseScopes(scope ?? '', allowed, byDefault) }
  }
}

/** Returns whether a resource is the one that this server protects. */
export function isOurs(resource: string, publicUrl: string): boolean {
  return [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`, `${publicUrl}/mcp/`].includes(resource)
}

/** Returns what scopes mean, for the person who is asked. */
export function meaningsOf(scopes: readonly McpScope[]): { scope: McpScope; meaning: string }[] {
  return scopes.map((scope) => ({ scope, meaning: MCP_SCOPES[scope] }))
}
