import { hash } from 'node:crypto'
import type { Call, Reply } from '../desk/http-desk.js'

export const PUBLIC_URL = 'https://desk.example'
export const CALLBACK = 'https://assistant.example/callback'
export const VERIFIER = 'v'.repeat(64)
export const CHALLENGE = hash('sha256', VERIFIER, 'base64url')
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

interface Tokens {
  access: string
  refresh: string
}

/** Sends a request to a daemon, in this process or another. */
export type Send = (method: string, path: string, call?: Call) => Promise<Reply>

/**
 * An assistant that speaks OAuth to a daemon, and the owner who decides about it.
 * @param owner the headers of the owner's session
 */
export function oauthParties(send: Send, owner: Record<string, string>) {
  const form = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Reply> =>
    send('POST', path, {
      text: String(new URLSearchParams(fields)),
      headers: { ...FORM, ...headers },
    })
  const register = (metadata: object = {}): Promise<Reply> =>
    send('POST', '/oauth/register', {
      body: {
        client_name: 'Desk assistant',
        redirect_uris: [CALLBACK],
        token_endpoint_auth_method: 'none',
        ...metadata,
      },
    })
  const client = async (metadata: object = {}): Promise<string> =>
    String((await register(metadata)).body.client_id)
  const asking = (clientId: string, more: Record<string, string> = {}): Record<string, string> => ({
    client_id: clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'st-1',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    scope: 'read:market',
    ...more,
  })
  const ask = (params: Record<string, string>, headers: Record<string, string> = owner): Promise<Reply> =>
    send('GET', `/oauth/authorize?${new URLSearchParams(params)}`, { headers })
  const decide = (body: Record<string, string>, headers: Record<string, string> = owner): Promise<Reply> =>
    send('POST', '/oauth/authorize', { body, headers })
  /** Consents as the owner does, and returns the decision's answer. */
  const approve = async (
    params: Record<string, string>,
    more: Record<string, string> = {},
  ): Promise<Reply> => {
    const { body } = await ask(params)
    return decide({ ...params, consent: String(body.consent), decision: 'approve', ...more })
  }
  const codeIn = ({ body }: Reply): string => new URL(String(body.redirect_to)).searchParams.get('code') ?? ''
  const codeFor = async (clientId: string, more: Record<string, string> = {}): Promise<string> =>
    codeIn(await approve(asking(clientId, more)))
  const redeem = (clientId: string, code: string, more: Record<string, string> = {}): Promise<Reply> =>
    form('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...more,
    })
  const tokensOf = ({ body }: Reply): Tokens => ({
    access: String(body.access_token),
    refresh: String(body.refresh_token),
  })
  const connect = async (clientId: string, more: Record<string, string> = {}): Promise<Tokens> =>
    tokensOf(await redeem(clientId, await codeFor(clientId, more)))
  const refresh = (clientId: string, token: string, more: Record<string, string> = {}): Promise<Reply> =>
    form('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...more })
  const revoke = (clientId: string, token: string): Promise<Reply> =>
    form('/oauth/revoke', { client_id: clientId, token })
  const admin = (method: string, path: string, body?: object): Promise<Reply> =>
    send(method, `/admin/api/${path}`, { headers: owner, ...(body && { body }) })
  return {
    owner,
    form,
    register,
    client,
    asking,
    ask,
    decide,
    approve,
    codeIn,
    codeFor,
    redeem,
    tokensOf,
    connect,
    refresh,
    revoke,
    admin,
  }
}
