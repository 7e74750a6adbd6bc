import type { Context, Handler, Hono, MiddlewareHandler } from 'hono'
import type { Identity } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import { keyedInput } from '../http/api-route.js'
import { readJson, readOptionalJson } from '../http/body/body.js'
import { type Caller, type Handlers, HttpHandler } from '../http/handlers.js'
import { noteCaller } from '../http/request.js'
import { readApiBody, readApiQuery } from '../middleware/api-key.js'
import { requireScope } from '../middleware/session.js'
import { type NamedOperation, OPERATION_LIST } from '../operations/index.js'
import type { AppEnv } from '../process/env.js'
import { type DataCalls, timedCall } from './data-calls.js'
import type { Limits } from './limits.js'

interface MountParts {
  identity: Identity
  /** Refuses a caller who is not signed in. */
  guard: MiddlewareHandler<AppEnv>
  limits: Limits
  /** Records how long data calls take; undefined where nothing is recorded. */
  dataCalls?: DataCalls
}

/**
 * Mounts the operations that have a handler here, each as guard, rate limit, scopes and handler, in this
 * order.
 */
export function mountOperations(app: Hono<AppEnv>, handlers: Partial<Handlers>, parts: MountParts): void {
  const bound: Readonly<Record<string, HttpHandler | AnyRun | undefined>> = handlers
  for (const operation of OPERATION_LIST) {
    const handler = bound[operation.name]
    if (!handler) continue
    const chain = [...checksBefore(operation, handler, parts), handlerOf(operation, handler, parts)]
    app.on(operation.method, [operation.path], ...chain)
  }
}

/** The function of any operation. The schemas of the operation guarantee the type of its input. */
type AnyRun = (input: never, caller: Caller) => unknown

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
  { dataCalls, identity }: MountParts,
): Handler<AppEnv> {
  const timed = dataCalls && timedCall(operation, dataCalls)
  if (handler instanceof HttpHandler) {
    return (c) =>
      timed ? timed({}, dataCalls.clock.monotonic(), () => handler.handle(c)) : handler.handle(c)
  }
  const run = handler as (input: object, caller: Caller) => object | Promise<object>
  const { auth, status = 200 } = operation
  const read = auth === 'apikey' ? keyedCall(operation, identity) : sessionCall(operation)
  return async (c) => {
    const startedAt = dataCalls?.clock.monotonic() ?? 0
    const { input, caller } = await read(c)
    const answer = () => run(input, caller)
    return c.json(await (timed ? timed({ input, caller }, startedAt, answer) : answer()), status)
  }
}

type ReadCall = (c: Context<AppEnv>) => Promise<{ input: object; caller: Caller }>

function keyedCall({ body, query }: NamedOperation, identity: Identity): ReadCall {
  return async (c) => {
    const params = c.req.param()
    if (body) {
      const { payload, principal } = await keyedInput(identity, body, await readApiBody(c))
      noteCaller(c, principal.username)
      return { input: { body: payload, params }, caller: principal }
    }
    if (!query) throw new Error(`${c.req.path} takes neither a body nor a query`)
    const { payload, principal } = await keyedInput(identity, query, readApiQuery(c))
    noteCaller(c, principal.username)
    return { input: { query: payload, params }, caller: principal }
  }
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
