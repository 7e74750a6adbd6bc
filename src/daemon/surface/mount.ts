import type { Context, Handler, Hono, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { publicMessageOf } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AuditSeam } from '../audit/seam.js'
import { keyedInput } from '../http/api-route.js'
import { readJson, readOptionalJson } from '../http/body/body.js'
import { KnownBodies } from '../http/body/known-bodies.js'
import { type Caller, type Handlers, HttpHandler } from '../http/handlers.js'
import { noteCaller } from '../http/request.js'
import { sendJson } from '../http/response/ready-bytes.js'
import { principalIn, readApiBody, readApiQuery } from '../middleware/api-key.js'
import { requireScope } from '../middleware/session.js'
import { type NamedOperation, OPERATION_LIST } from '../operations/index.js'
import { type PageParts, pageSteps } from '../pages/index.js'
import type { AppEnv } from '../process/env.js'
import { type DataCalls, timedCall } from './data-calls.js'
import { requireFresh } from './fresh.js'
import type { Limits } from './limits.js'

interface MountParts {
  identity: Identity
  /** Refuses a caller who is not signed in. */
  guard: MiddlewareHandler<AppEnv>
  limits: Limits
  /** Records a request that only read, and its answer. Returns at once. */
  recordRead(read: ReadRequest): void
  /** Shows routes to browsers as pages; undefined where there is no browser. */
  pages?: PageParts
  /** Records how long data calls take; undefined where nothing is recorded. */
  dataCalls?: DataCalls
  /** Records requests that change state; undefined where nothing is recorded. */
  audit?: Pick<AuditSeam, 'of'>
}

/** A request of an operation that names how it is logged. */
export interface ReadRequest {
  operation: string
  userId: string
  request: object
  response: object
}

/**
 * Mounts the operations that have a handler here, each as page, guard, rate limit, scopes and handler, in this
 * order.
 */
export function mountOperations(app: Hono<AppEnv>, handlers: Partial<Handlers>, parts: MountParts): void {
  const bound: Readonly<Record<string, HttpHandler | AnyRun | undefined>> = handlers
  for (const operation of OPERATION_LIST) {
    const handler = bound[operation.name]
    if (!handler) continue
    const chain = [
      ...(parts.pages ? pageSteps(operation, parts.pages) : []),
      ...checksBefore(operation, handler, parts),
      handlerOf(operation, handler, parts),
    ]
    app.on(operation.method, [operation.path], ...chain)
  }
}

/** The function of any operation. The schemas of the operation guarantee the type of its input. */
export type AnyRun = (input: never, caller: Caller) => unknown

function checksBefore(
  { auth, limit, scopes }: NamedOperation,
  handler: HttpHandler | AnyRun,
  { guard, limits }: MountParts,
): MiddlewareHandler<AppEnv>[] {
  const early = handler instanceof HttpHandler ? handler.beforeGuard : undefined
  return [
    ...(early ? [answeringFirst(early)] : []),
    ...(auth === 'session' ? [guard] : []),
    ...(limit ? [limits(limit)] : []),
    ...(scopes ? [requireScope(...scopes)] : []),
  ]
}

function answeringFirst(answer: NonNullable<HttpHandler['beforeGuard']>): MiddlewareHandler<AppEnv> {
  return async (c, next) => (await answer(c)) ?? next()
}

function handlerOf(
  operation: NamedOperation,
  handler: HttpHandler | AnyRun,
  parts: MountParts,
): Handler<AppEnv> {
  const { audit, dataCalls, identity } = parts
  if (handler instanceof HttpHandler) {
    const timed = dataCalls && timedCall(operation, dataCalls)
    const audited = audit?.of(operation)
    const checkFresh = requireFresh(operation, identity)
    // Such a handler parses the body itself, so the check cannot see its members.
    if (typeof operation.fresh === 'object')
      throw new Error(`${operation.name} cannot be fresh by its values`)
    const act = (c: Context<AppEnv>) => {
      checkFresh?.(c, {})
      return handler.handle(c)
    }
    const handle = (c: Context<AppEnv>) => (audited ? audited(c, () => act(c)) : act(c))
    return (c) => (timed ? timed({}, dataCalls.clock.monotonic(), () => handle(c)) : handle(c))
  }
  const perform = performing(operation, handler, parts)
  const { auth, status = 200 } = operation
  const read = auth === 'apikey' ? keyedCall(operation, parts.identity) : sessionCall(operation)
  return async (c) => {
    const startedAt = parts.dataCalls?.clock.monotonic() ?? 0
    return sendJson(c, await perform(c, { ...(await read(c)), startedAt }), status)
  }
}

export type PerformParts = Omit<MountParts, 'guard' | 'limits' | 'pages'>

/** Runs an operation for a caller, with all its records, and returns the body of its answer. */
export type Perform = (
  c: Context<AppEnv>,
  call: { input: CallInput; caller: Caller; startedAt: number },
) => Promise<object>

/**
 * Returns what a route does once its input is parsed and its caller known: the function of the operation, its log, its
 * place in the audit trail, its latency. Assistants run operations by it, too.
 */
export function performing(
  operation: NamedOperation,
  handler: AnyRun,
  { audit, dataCalls, identity, recordRead }: PerformParts,
): Perform {
  const timed = dataCalls && timedCall(operation, dataCalls)
  const audited = audit?.of(operation)
  // Inside the audit trail: the attempt of a stolen session is worth a row.
  const checkFresh = requireFresh(operation, identity)
  const run = recorded(operation, handler as Run, recordRead)
  return async (c, { input, caller, startedAt }) => {
    const act = () => {
      checkFresh?.(c, { ...c.req.param(), ...Object(input.body) })
      return run(input, caller)
    }
    const answer = () => (audited ? audited(c, act) : act())
    return timed ? timed({ input, caller }, startedAt, answer) : answer()
  }
}

interface CallInput {
  body?: unknown
}
type Run = (input: CallInput, caller: Caller) => object | Promise<object>

/** Wraps the function of an operation so that its requests are logged, if the operation says so. */
function recorded({ loggedAs: operation }: NamedOperation, run: Run, record: MountParts['recordRead']): Run {
  if (operation === undefined) return run
  return async (input, caller) => {
    const read = { operation, userId: caller.username, request: Object(input.body ?? {}) }
    try {
      const response = await run(input, caller)
      record({ ...read, response })
      return response
    } catch (error) {
      record({ ...read, response: { status: 'error', message: publicMessageOf(error) } })
      throw error
    }
  }
}

type ReadCall = (c: Context<AppEnv>) => Promise<{ input: CallInput; caller: Caller }>

function keyedCall({ body, query, sentAgain }: NamedOperation, identity: Identity): ReadCall {
  if (body && sentAgain) return repeatedCall(body, identity)
  return async (c) => {
    const params = c.req.param()
    if (body) {
      const { payload, principal } = await keyedInput(identity, body, await readApiBody(c))
      noteKeyed(c, principal)
      return { input: { body: payload, params }, caller: principal }
    }
    if (!query) throw new Error(`${c.req.path} takes neither a body nor a query`)
    const { payload, principal } = await keyedInput(identity, query, readApiQuery(c))
    noteKeyed(c, principal)
    return { input: { query: payload, params }, caller: principal }
  }
}

/** As {@link keyedCall}, for bodies of which many are the same. */
function repeatedCall(body: z.ZodType, identity: Identity): ReadCall {
  const known = new KnownBodies()
  return async (c) => {
    const given = await readApiBody(c, undefined, known.parse)
    const payload = known.payloadOf(given)
    const principal = payload === undefined ? undefined : await principalIn(identity, given)
    const read = principal ? { payload, principal } : await keyedInput(identity, body, given)
    known.keep(given, read.payload)
    noteKeyed(c, read.principal)
    return { input: { body: read.payload, params: c.req.param() }, caller: read.principal }
  }
}

function noteKeyed(c: Context<AppEnv>, principal: Principal): void {
  c.set('principal', principal)
  noteCaller(c, principal.username)
}

function sessionCall({ auth, body, bodyOptional, query }: NamedOperation): ReadCall {
  const readBody = bodyOptional ? readOptionalJson : readJson
  return async (c) => ({
    input: {
      params: c.req.param(),
      query: query && parseWith(query, c.req.query()),
      body: body && parseWith(body, await readBody(c)),
    },
    caller: auth === 'session' ? c.get('principal') : NOBODY,
  })
}

const NOBODY: Caller = { username: '' }
