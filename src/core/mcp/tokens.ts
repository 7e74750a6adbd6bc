import type { AccessTokens } from './oauth/access-tokens.js'
import { isOurs } from './oauth/authorization.js'
import type { ClientProof, Clients } from './oauth/clients.js'
import type { Codes } from './oauth/codes.js'
import { oauthError } from './oauth/errors.js'
import type { Grants, IssuedGrant } from './oauth/grants.js'

/** The parameters of a request for tokens. */
export type TokenParams = Readonly<Record<string, string | undefined>>

export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

interface TokenEndpointParts {
  clients: Clients
  codes: Codes
  grants: Grants
  accessTokens: AccessTokens
  publicUrl: () => string
}

/** The requests of clients for tokens, and for the end of tokens. */
export class TokenEndpoint {
  readonly #parts: TokenEndpointParts

  constructor(parts: TokenEndpointParts) {
    this.#parts = parts
  }

  /**
   * Exchanges a code or a refresh token for new tokens.
   * @returns the answer, and a function to call as soon as it has left this machine
   * @throws ServiceError with an OAuth error
   */
  async answer(proof: ClientProof, params: TokenParams): Promise<{ answer: TokenAnswer; sent: () => void }> {
    const { accessTokens, clients, grants, publicUrl } = this.#parts
    const { clientId } = clients.authenticate(proof)
    if (params.resource !== undefined && !isOurs(params.resource, publicUrl())) {
      throw oauthError('invalid_target', `This server grants access to ${publicUrl()}/mcp only.`)
    }
    const issued = await this.#issue(clientId, params)
    clients.noteUse(clientId, issued.grant.createdAt)
    const { expiresInSeconds, token } = await accessTokens.sign(issued)
    const answer: TokenAnswer = {
      access_token: token,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      refresh_token: issued.refreshToken,
      scope: issued.accessScopes.join(' '),
    }
    return { answer, sent: () => grants.delivered(issued) }
  }

  /**
   * Ends the grant of an access token or a refresh token, if it is the client's. An unknown token is no error.
   * @returns whether a grant ended
   */
  async revoke(proof: ClientProof, token: string | undefined): Promise<boolean> {
    const { accessTokens, clients, grants } = this.#parts
    const { clientId } = clients.authenticate(proof)
    if (!token) throw oauthError('invalid_request', 'token is required.')
    const claims = await accessTokens.verify(token)
    if (!claims) return grants.endOfToken(token, clientId)
    if (claims.clientId !== clientId || !grants.living(claims.familyId)) return false
    await grants.end({ families: [claims.familyId] }, 'client_request')
    return true
  }

  #issue(clientId: string, params: TokenParams): Promise<IssuedGrant> {
    const { codes, grants } = this.#parts
    switch (params.grant_type) {
      case 'authorization_code': {
        const redemption = {
          clientId,
          code: required(params, 'code'),
          redirectUri: required(params, 'redirect_uri'),
          verifier: required(params, 'code_verifier'),
        }
        const { consent, familyId } = codes.redeem(redemption)
        return grants.begin(familyId, consent)
      }
      case 'refresh_token':
        return grants.refresh({
          clientId,
          refreshToken: required(params, 'refresh_token'),
          scope: params.scope,
        })
      default:
        throw oauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
    }
  }
}

function required(params: TokenParams, name: string): string {
  const value = params[name]
  if (!value) throw oauthError('invalid_request', `${name} is required.`)
  return value
}
