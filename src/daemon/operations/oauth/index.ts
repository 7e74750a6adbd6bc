import { open, signedIn } from '../running.js'
import * as answers from './answers.js'
import {
  authorizationQuery,
  confirmPayload,
  consentPayload,
  mcpAuditQuery,
  mcpKillSwitchPayload,
  mcpSettingsPayload,
  registrationPayload,
  revocationPayload,
  tokenRequestPayload,
} from './payloads.js'

const anyone = open('Assistants')
const owner = signedIn('Assistants')
const admin = signedIn('Assistants', 'api')

const reading = { scopes: ['read', 'admin'] } as const
const changing = { scopes: ['admin'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const
const off = ['not_found', 'unavailable'] as const
const CLIENT = { client_id: 'The id of a client, from its registration or the list.' }
const FORM = 'application/x-www-form-urlencoded'

const resource = () =>
  anyone('Describes what the tokens of this service open (RFC 9728).', {
    answer: answers.resourceMetadata,
    errors: off,
  })
const server = () =>
  anyone('Describes the OAuth endpoints of this service (RFC 8414).', {
    answer: answers.serverMetadata,
    errors: off,
  })
const anyPath = { params: { path: 'The path of the resource, such as mcp.' } }

/** The rows of OAuth, by which an assistant gets access, and those by which the owner controls it. */
export const OAUTH_OPERATIONS = {
  'GET /.well-known/oauth-authorization-server': server(),
  'GET /.well-known/oauth-authorization-server/:path': { ...server(), ...anyPath },
  'GET /.well-known/oauth-protected-resource': resource(),
  'GET /.well-known/oauth-protected-resource/:path': { ...resource(), ...anyPath },
  'GET /mcp/.well-known/oauth-protected-resource': resource(),
  'GET /oauth/jwks.json': anyone('Returns the keys that check access tokens.', {
    answer: answers.keySet,
    errors: off,
  }),
  'POST /oauth/register': anyone('Registers an assistant (RFC 7591).', {
    limit: 'tenAnHour',
    body: registrationPayload,
    example: {
      client_name: 'Desk assistant',
      redirect_uris: ['http://localhost:8976/callback'],
      token_endpoint_auth_method: 'none',
    },
    answer: answers.registration,
    status: 201,
    errors: [...off, ...json, 'rate_limited', 'storage_full'],
  }),
  'GET /oauth/authorize': owner('Asks the owner for consent; a browser gets a page.', {
    limit: 'consent',
    scopes: ['read'],
    query: authorizationQuery,
    answer: answers.consentQuestion,
    errors: ['validation', 'not_found'],
  }),
  'POST /oauth/authorize': owner('Takes the decision of the owner, with a code if one is needed.', {
    ...changing,
    limit: 'consent',
    fresh: true,
    body: consentPayload,
    bodyText: FORM,
    answer: answers.consented,
    errors: ['not_found', ...json],
  }),
  'POST /oauth/token': anyone('Exchanges a code or a refresh token for new tokens.', {
    limit: 'twentyAMinute',
    body: tokenRequestPayload,
    bodyText: FORM,
    example: { grant_type: 'refresh_token', refresh_token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answer: answers.tokenSet,
    errors: [...off, ...json, 'unauthenticated', 'rate_limited', 'storage_full'],
  }),
  'POST /oauth/revoke': anyone('Ends the grant of a token (RFC 7009). The answer is empty.', {
    limit: 'twentyAMinute',
    body: revocationPayload,
    bodyText: FORM,
    example: { token: 'Yb1Jq7bOq0mCk2fN8sV5wX3zA6dE9gH4iL0oP7rT2uY' },
    answerText: 'text/plain',
    errors: [...off, ...json, 'unauthenticated', 'rate_limited', 'storage_full'],
  }),

  'GET /admin/api/oauth/clients': admin('Lists the registered assistants, newest first.', {
    ...reading,
    answer: answers.mcpClients,
  }),
  'POST /admin/api/oauth/clients/:client_id/approve': admin('Lets an assistant ask for consent.', {
    ...changing,
    fresh: true,
    params: CLIENT,
    answer: answers.approvedClient,
    errors: ['refused', 'not_found'],
  }),
  'POST /admin/api/oauth/clients/:client_id/revoke': admin(
    'Revokes an assistant with all its tokens, at once. It cannot be approved again.',
    {
      ...changing,
      params: CLIENT,
      body: confirmPayload,
      example: { confirm: true },
      answer: answers.revokedClient,
      errors: ['refused', 'not_found', 'storage_full', ...json],
    },
  ),
  'GET /admin/api/mcp/audit': admin('Lists the newest calls of assistants, also the refused ones.', {
    ...reading,
    query: mcpAuditQuery,
    example: { tool: 'order', outcome: 'denied', limit: 20 },
    answer: answers.mcpCalls,
    errors: ['validation'],
  }),
  'POST /admin/api/mcp/kill-switch': admin('Revokes every token of every assistant, at once.', {
    ...changing,
    limit: 'tenAMinute',
    body: mcpKillSwitchPayload,
    example: { confirm: 'REVOKE_ALL_MCP_TOKENS' },
    answer: answers.mcpKilled,
    errors: ['refused', 'storage_full', ...json],
  }),
  'GET /admin/api/mcp/settings': admin('Returns the settings of MCP.', {
    ...reading,
    answer: answers.mcpSettings,
  }),
  'PUT /admin/api/mcp/settings': admin('Changes the settings of MCP. A missing one keeps its value.', {
    ...changing,
    limit: 'thirtyAMinute',
    fresh: {
      http_enabled: [true],
      public_url: 'any',
      require_approval: [false],
      write_scope_enabled: [true],
      queue_writes: [false],
    },
    body: mcpSettingsPayload,
    example: { public_url: 'https://desk.example', http_enabled: true },
    answer: answers.mcpSettingsChanged,
    errors: ['refused', 'storage_full', ...json],
  }),
}
