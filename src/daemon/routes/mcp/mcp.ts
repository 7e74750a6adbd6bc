import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity, Principal } from '../../../core/identity/index.js'
import { MCP_SCOPES, type McpAccess, type McpGrant, type McpScope } from '../../../core/mcp/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { keyedInput } from '../../http/api-route.js'
import { readJson } from '../../http/body/body.js'
import { parseUniqueJson } from '../../http/body/unique-json.js'
import { callerAddress, callOf, type TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { noteCaller } from '../../http/request.js'
import type { Assistants } from '../../mcp/assistants.js'
import type { McpCaller } from '../../mcp/calls/caller.js'
import { readApiBody } from '../../middleware/api-key.js'
import { narrowing, rpcMessage } from '../../operations/mcp/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { requireOn } from '../oauth/metadata.js'

/** The longest message: four times the longest arguments of a tool. */
const MAX_MESSAGE_BYTES = 262_144
/** Assistants that are the user's own may do what a token with every scope allows. */
const ALL_SCOPES: ReadonlySet<McpScope> = new Set(Object.keys(MCP_SCOPES) as McpScope[])
const ALL_TOOLS = { readOnly: false }

interface McpRouteParts {
  access: McpAccess
  identity: Identity
  proxies: TrustedProxies
  assistants: Assistants
  /** The origins whose pages may connect. */
  origins: readonly string[]
}

/**
 * Returns the handlers of the doors for assistants. They bind to HTTP themselves: one message may have a challenge, a
 * stream or no body as its answer.
 */
export function mcpHandlers(parts: McpRouteParts) {
  return {
    'POST /mcp': httpHandler((c) =>
      withGrant(c, parts, async (grant) => {
        const message = await readJson(c, MAX_MESSAGE_BYTES, parseUniqueJson)
        const caller = grantedCaller(c, grant, parts)
        const request = takesJson(c) ? plainRequest(c) : c.req.raw
        return parts.assistants.answer(request, singleMessage(message), caller)
      }),
    ),
    'GET /mcp': httpHandler((c) =>
      withGrant(c, parts, (grant) =>
        parts.assistants.stream(c, grant, takesAny(c) ? streamRequest(c) : c.req.raw),
      ),
    ),
    'GET /mcp/healthz': () => {
      requireOn(parts.access)
      return { status: 'ok', service: 'svc-mcp' }
    },
    'POST /api/v1/mcp': httpHandler(async (c) => {
      const given = await readApiBody(c, MAX_MESSAGE_BYTES)
      const { payload, principal } = await keyedInput(parts.identity, rpcMessage, given)
      const { read_only: readOnly, toolsets } = parseWith(narrowing, c.req.query())
      const caller = {
        principal,
        grant: undefined,
        scopes: ALL_SCOPES,
        context: c,
        narrowed: { readOnly, toolsets },
        countedAs: `key ${principal.username}`,
        address: callerAddress(callOf(c), parts.proxies),
      }
      c.set('principal', principal)
      noteCaller(c, principal.username)
      return parts.assistants.answer(plainRequest(c), payload, caller)
    }),
  } satisfies Partial<Handlers>
}

/** Runs a handler for the holder of a valid access token. Others get a challenge that says where to ask for one. */
async function withGrant(
  c: Context<AppEnv>,
  parts: McpRouteParts,
  handle: (grant: McpGrant) => Promise<Response>,
): Promise<Response> {
  const { access, assistants, origins, proxies } = parts
  requireOn(parts.access)
  const origin = c.req.header('origin')
  if (origin !== undefined && !origins.includes(origin)) {
    throw new ServiceError('forbidden', 'Pages of this origin may not connect (MCP_HTTP_CORS_ORIGINS).')
  }
  const address = callerAddress(callOf(c), proxies)
  const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (token === undefined) return challenged(c, access.challenge())
  const grant = await access.verify(token)
  if ('error' in grant) {
    assistants.refuse(address, `${c.req.method} /mcp`)
    return challenged(c, access.challenge(grant), grant.description)
  }
  assistants.requirePace(grant)
  return handle(grant)
}

function challenged(
  c: Context<AppEnv>,
  challenge: string,
  description = 'An access token is needed.',
): Response {
  c.header('WWW-Authenticate', challenge)
  return c.json({ error: 'invalid_token', error_description: description }, 401)
}

function grantedCaller(c: Context<AppEnv>, grant: McpGrant, { proxies }: McpRouteParts): McpCaller {
  const { clientId, grantId, scopes, username } = grant
  const principal: Principal = {
    username,
    credential: 'access_token',
    credentialId: `mcp:${clientId}`,
    scopes: [],
  }
  c.set('principal', principal)
  noteCaller(c, username)
  return {
    principal,
    grant,
    scopes,
    context: c,
    narrowed: ALL_TOOLS,
    countedAs: grantId,
    address: callerAddress(callOf(c), proxies),
  }
}

/** The protocol sends one message at a time: a list of calls would pass the limit of requests as one. */
function singleMessage(message: unknown): unknown {
  if (!Array.isArray(message)) return message
  throw new ServiceError('validation', 'Send one message at a time, not a list.')
}

/**
 * Returns a request with the headers that the transport of the protocol insists on. It reads nothing else of it, so that
 * most messages share one.
 */
function plainRequest(c: Context<AppEnv>): Request {
  const version = c.req.header('mcp-protocol-version')
  return version === undefined ? PLAIN : messageRequest({ 'mcp-protocol-version': version })
}

/** Returns whether a client takes the answer to a message, which is always JSON. The transport insists on more. */
function takesJson(c: Context<AppEnv>): boolean {
  const types = c.req.header('accept')?.split(',') ?? ['*/*']
  return types.some((type) => ['*/*', 'application/*', 'application/json'].includes(typeIn(type)))
}

/** Returns whether a client names no type or any one, so that it takes a stream, too. */
function takesAny(c: Context<AppEnv>): boolean {
  return (c.req.header('accept')?.split(',') ?? ['*/*']).some((type) => typeIn(type) === '*/*')
}

const typeIn = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase()

function messageRequest(headers: Record<string, string>): Request {
  const json = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  return new Request('http://localhost/mcp', { method: 'POST', headers: { ...json, ...headers } })
}

/** Returns a request for a stream, with the type that the transport insists on. */
function streamRequest(c: Context<AppEnv>): Request {
  const headers = new Headers(c.req.raw.headers)
  headers.set('accept', 'text/event-stream')
  return new Request('http://localhost/mcp', { headers })
}

const PLAIN = messageRequest({})
