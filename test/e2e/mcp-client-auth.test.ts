import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PUBLIC_URL } from '../support/oauth/parties.js'
import { type OAuthProcess, oauthProcess } from '../support/oauth/process.js'

/* The sign-in of the official client, step by step, against the real process. */

let rig: OAuthProcess
beforeAll(async () => {
  rig = await oauthProcess()
})
afterAll(() => rig.daemon.dispose())

/** The store of an assistant that runs on the owner's machine. */
class Assistant implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:8976/callback'
  readonly clientMetadata = {
    client_name: 'Official client',
    redirect_uris: [this.redirectUrl],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
  known: OAuthClientInformationMixed | undefined
  held: OAuthTokens | undefined
  /** The page that it opened in the owner's browser. */
  page = new URL(PUBLIC_URL)
  #verifier = ''

  state = () => 'from-the-client'
  clientInformation = () => this.known
  saveClientInformation = (known: OAuthClientInformationMixed) => {
    this.known = known
  }
  tokens = () => this.held
  saveTokens = (tokens: OAuthTokens) => {
    this.held = tokens
  }
  redirectToAuthorization = (page: URL) => {
    this.page = page
  }
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
  invalidateCredentials = () => {
    this.held = undefined
  }
}

test('the official client finds the endpoints, registers, gets consent and tokens, and refreshes them', async () => {
  const assistant = new Assistant()
  // The proxy of the owner would bring the public address here.
  const fetchFn = (url: string | URL, init?: RequestInit) =>
    fetch(String(url).replace(PUBLIC_URL, rig.daemon.url), init)
  const signIn = (authorizationCode?: string) =>
    auth(assistant, {
      serverUrl: `${PUBLIC_URL}/mcp`,
      fetchFn,
      ...(authorizationCode !== undefined && { authorizationCode }),
    })
  expect(await signIn()).toBe('REDIRECT')
  expect(assistant.known?.client_id).toMatch(/^[\w-]{32}$/)
  expect(assistant.page.origin + assistant.page.pathname).toBe(`${PUBLIC_URL}/oauth/authorize`)
  expect(assistant.page.searchParams.get('resource')).toBe(`${PUBLIC_URL}/mcp`)

  const answer = await rig.approve(Object.fromEntries(assistant.page.searchParams))
  const back = new URL(String(answer.body.redirect_to))
  expect(back.searchParams.get('state')).toBe('from-the-client')
  expect(await signIn(back.searchParams.get('code') ?? '')).toBe('AUTHORIZED')
  const first = assistant.held
  expect(await rig.opens(first?.access_token ?? '')).toBe(true)

  expect(await signIn()).toBe('AUTHORIZED')
  expect(assistant.held?.refresh_token).not.toBe(first?.refresh_token)
  expect(await rig.opens(assistant.held?.access_token ?? '')).toBe(true)

  const clientId = assistant.known?.client_id ?? ''
  expect((await rig.revoke(clientId, assistant.held?.refresh_token ?? '')).status).toBe(200)
  expect(await rig.opens(assistant.held?.access_token ?? '')).toBe(false)
  // Without valid tokens it asks the owner again.
  expect(await signIn()).toBe('REDIRECT')
})
