import type { Context } from 'hono'
import { z } from 'zod'
import { TOOLSETS } from '../../core/config/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { Principal } from '../../core/identity/index.js'
import { MCP_SCOPES, type McpGrant, type McpScope } from '../../core/mcp/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import { keyedInput } from '../http/api-route.js'
import { readJson } from '../http/body/body.js'
import { parseUniqueJson } from '../http/body/unique-json.js'
import { callerAddress, callOf } from '../http/client.js'
import { noteCaller } from '../http/request.js'
import { readApiBody } from '../middleware/api-key.js'
import { requireOn } from '../operations/oauth/metadata.js'
import { builders } from '../operations/operation.js'
import type { AppEnv } from '../process/env.js'
import type { AssistantService } from './assistants.js'
import type { McpCaller } from './calls/caller.js'

const { http, keyedChange, open } = builders<AssistantService>()
const anyone = open('Assistants')
const keyed = keyedChange('Assistants', 'api')

/** The longest message: four times the longest arguments of a tool. */
const MAX_MESSAGE_BYTES = 262_144
/** Assistants that are the user's own may do what a token with every scope allows. */
const ALL_SCOPES: ReadonlySet<McpScope> = new Set(Object.keys(MCP_SCOPES) as McpScope[])
const ALL_TOOLS = { readOnly: false }

const off = ['not_found', 'unavailable'] as const
const EXAMPLE = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const CALLS = {
  unrecorded:
    'The record of assistants has each call, and what a tool changes is recorded like any other act.',
}

/** A message of the protocol; the server of the protocol checks the rest. */
const rpcMessage = z.looseObject({
  jsonrpc: z.literal('2.0', { error: 'Must be 2.0.' }),
  method: fields.text(200).optional(),
  id: z.union([z.string().max(200), z.number()]).optional(),
  params: z.looseObject({}).optional(),
})

/** Fewer tools than the key would allow. */
const narrowing = z.object({
  /** Names, separated by commas. */
  toolsets: fields
    .text(200)
    .transform((text, ctx) => {
      const names = text.split(',').map((name) => name.trim())
      const known = TOOLSETS.filter((one) => names.includes(one))
      if (known.length === names.length) return known
      ctx.addIssue({ code: 'custom', message: `Must be some of: ${TOOLSETS.join(', ')}.` })
      return z.NEVER
    })
    .optional(),
  read_only: fields.boolean().default(false),
})

const rpcId = z.union([z.string(), z.number()]).nullable().optional()

/** The answer to a request of the protocol. A notification has none. */
const rpcAnswer = z.union([
  z.looseObject({ jsonrpc: z.literal('2.0'), id: rpcId, result: z.looseObject({}) }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: rpcId,
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  }),
])

const mcpHealth = z.strictObject({ status: z.literal('ok'), service: z.literal('svc-mcp') })

/**
 * The endpoints of the Model Context Protocol: for assistants with an access token, and for the user's own with the API key.
 * They run the other operations, so they are a table of their own. One message may have a challenge, a stream or no body
 * as its answer.
 */
export const ASSISTANT_OPERATIONS = {
  'POST /mcp': anyone('Takes a message of an assistant that has an access token (Model Context Protocol).', {
    body: rpcMessage,
    example: EXAMPLE,
    answer: rpcAnswer,
    errors: [
      ...off,
      'unauthenticated',
      'forbidden',
      'validation',
      'too_large',
      'unsupported_media',
      'rate_limited',
    ],
    audit: CALLS,
    run: http('a stream', (service, c) =>
      withGrant(c, service, async (grant) => {
        const message = await readJson(c, MAX_MESSAGE_BYTES, parseUniqueJson)
        const caller = grantedCaller(c, grant, service)
        const request = takesJson(c) ? plainRequest(c) : c.req.raw
        return service.assistants.answer(request, singleMessage(message), caller)
      }),
    ),
  }),
  'GET /mcp': anyone('Opens a stream for an assistant. It only shows that the connection lives.', {
    limit: 'fiveAMinute',
    answerText: 'text/event-stream',
    errors: [...off, 'unauthenticated', 'forbidden', 'rate_limited'],
    run: http('a stream', (service, c) =>
      withGrant(c, service, (grant) =>
        service.assistants.stream(c, grant, takesAny(c) ? streamRequest(c) : c.req.raw),
      ),
    ),
  }),
  'GET /mcp/healthz': anyone('Succeeds while assistants can connect.', {
    answer: mcpHealth,
    errors: off,
    run: ({ mcp }) => {
      requireOn(mcp)
      return { status: 'ok', service: 'svc-mcp' }
    },
  }),
  'POST /api/v1/mcp': keyed(
    "Takes a message of the user's own assistant: svc mcp sends it. The query may choose fewer tools: toolsets, read_only.",
    { body: rpcMessage, example: EXAMPLE, answer: rpcAnswer, audit: CALLS, run: http('a stream', answerOwn) },
  ),
}

async function answerOwn(service: AssistantService, c: Context<AppEnv>): Promise<Response> {
  const given = await readApiBody(c, MAX_MESSAGE_BYTES)
  const { payload, principal } = await keyedInput(service.identity, rpcMessage, given)
  const { read_only: readOnly, toolsets } = parseWith(narrowing, c.req.query())
  const caller = {
    principal,
    grant: undefined,
    scopes: ALL_SCOPES,
    context: c,
    narrowed: { readOnly, toolsets },
    countedAs: `key ${principal.username}`,
    address: callerAddress(callOf(c), service.daemon.proxies),
  }
  c.set('principal', principal)
  noteCaller(c, principal.username)
  return service.assistants.answer(plainRequest(c), payload, caller)
}

/** Runs a handler for the holder of a valid access token. Others get a challenge that says where to ask for one. */
async function withGrant(
  c: Context<AppEnv>,
  { assistants, config, daemon, mcp }: AssistantService,
  handle: (grant: McpGrant) => Promise<Response>,
): Promise<Response> {
  requireOn(mcp)
  const origin = c.req.header('origin')
  if (origin !== undefined && !config.MCP_HTTP_CORS_ORIGINS?.includes(origin)) {
    throw new ServiceError('forbidden', 'Pages of this origin may not connect (MCP_HTTP_CORS_ORIGINS).')
  }
  const address = callerAddress(callOf(c), daemon.proxies)
  const [, token] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? []
  if (token === undefined) return challenged(c, mcp.challenge())
  const grant = await mcp.verify(token)
  if ('error' in grant) {
    assistants.refuse(address, `${c.req.method} /mcp`)
    return challenged(c, mcp.challenge(grant), grant.description)
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

function grantedCaller(c: Context<AppEnv>, grant: McpGrant, { daemon }: AssistantService): McpCaller {
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
    address: callerAddress(callOf(c), daemon.proxies),
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
