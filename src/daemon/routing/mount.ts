import type { Context, Handler, Hono, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { publicMessageOf, ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import { isChange, type RequestAudit } from '../audit/request-audit.js'
import type { RunningService } from '../daemon.js'
import { keyedInput } from '../http/api-route.js'
import { readJson, readJsonOrForm, readOptionalJson } from '../http/body/body.js'
import { readDocument } from '../http/body/document.js'
import { KnownBodies } from '../http/body/known-bodies.js'
import { parsePlain } from '../http/body/plain-error.js'
import { type Caller, RequestCaller } from '../http/caller.js'
import { HttpHandler } from '../http/handlers.js'
import { noteCaller } from '../http/request.js'
import { CODE_HEADER } from '../http/response/errors.js'
import { sendJson } from '../http/response/ready-bytes.js'
import { Download, Reply } from '../http/response/reply.js'
import { principalIn, readApiBody, readApiQuery } from '../middleware/api-key.js'
import { requireScope } from '../middleware/session.js'
import type { NamedOperation } from '../operations/named.js'
import type { Fresh, LogFacts } from '../operations/operation.js'
import { type PageParts, pageSteps } from '../pages/index.js'
import type { AppEnv } from '../process/env.js'
import { type DataCalls, timedCall } from './data-calls.js'
import type { Limits } from './limits.js'

interface MountParts {
  service: RunningService
  identity: Identity
  /** Refuses a caller who is not signed in. */
  guard: MiddlewareHandler<AppEnv>
  limits: Limits
  /** Adds a request and its answer to a log. Returns at once. */
  logCall(call: LoggedCall): void
  /** Shows routes to browsers as pages; undefined where there is no browser. */
  pages?: PageParts
  /** Records how long data calls take; undefined where nothing is recorded. */
  dataCalls?: DataCalls
  /** Records requests that change state; undefined where nothing is recorded. */
  audit?: Pick<RequestAudit, 'of'>
}

/** A request of an operation that says how a log gets it. */
export interface LoggedCall {
  operation: NamedOperation
  log: LogFacts
  userId: string
  request: object
  response: object
}

/**
 * Mounts the operations, each as page, guard, rate limit, scopes and function, in this
 * order.
 */
export function mountOperations(
  app: Hono<AppEnv>,
  operations: readonly NamedOperation[],
  parts: MountParts,
): void {
  for (const operation of operations) {
    const run = functionOf(operation)
    const chain = [
      ...(parts.pages ? pageSteps(operation, parts.pages) : []),
      ...checksBefore(operation, run, parts),
      handlerOf(operation, run, parts),
    ]
    app.on(operation.method, [operation.path], ...chain)
  }
}

/** The function of an operation, whose schemas guarantee the types of its input. */
type Run = (service: RunningService, input: CallInput, caller: Caller) => object | Promise<object>

/** The function of an operation that works with HTTP itself. */
interface HttpRun {
  handle(service: RunningService, c: Context<AppEnv>): Response | Promise<Response>
  beforeGuard?(service: RunningService, c: Context<AppEnv>): Promise<Response | undefined>
}

/** Returns the function of an operation. The builders of operations have checked the types that are erased here. */
export function functionOf({ run }: NamedOperation): Run | HttpHandler {
  return run instanceof HttpHandler ? run : (run as Run)
}

function checksBefore(
  operation: NamedOperation,
  run: Run | HttpHandler,
  { guard, limits, service }: MountParts,
): MiddlewareHandler<AppEnv>[] {
  const { auth, limit, method, scopes } = operation
  const { beforeGuard }: Partial<HttpRun> = run instanceof HttpHandler ? httpRunOf(run) : {}
  return [
    ...(beforeGuard ? [answeringFirst((c) => beforeGuard(service, c))] : []),
    ...(auth === 'session' ? [guard] : []),
    ...(limit ? [limits(limit)] : []),
    ...(scopes ? [requireScope(...scopes)] : []),
    ...(method === 'GET' && isChange(operation) ? [refuseHead] : []),
  ]
}

/** A HEAD request runs the handler of GET. Previews of links send it, and must not use up what the link is good for once. */
const refuseHead: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.req.method !== 'HEAD') return next()
  c.header('Allow', 'GET')
  throw new ServiceError('method_not_allowed', 'Use GET here')
}

const httpRunOf = (handler: HttpHandler) => handler as HttpRun

function answeringFirst(
  answer: (c: Context<AppEnv>) => Promise<Response | undefined>,
): MiddlewareHandler<AppEnv> {
  return async (c, next) => (await answer(c)) ?? next()
}

function handlerOf(operation: NamedOperation, run: Run | HttpHandler, parts: MountParts): Handler<AppEnv> {
  const { audit, dataCalls, identity, service } = parts
  if (run instanceof HttpHandler) {
    const { handle: answer } = httpRunOf(run)
    const timed = dataCalls && timedCall(operation, dataCalls)
    const audited = audit?.of(operation)
    const checkFresh = requireFresh(operation, identity)
    // Such a handler parses the body itself, so the check cannot see its members.
    if (typeof operation.fresh === 'object')
      throw new Error(`${operation.name} cannot be fresh by its values`)
    const act = (c: Context<AppEnv>) => {
      checkFresh?.(c, {})
      return answer(service, c)
    }
    const handle = (c: Context<AppEnv>) => (audited ? audited(c, () => act(c)) : act(c))
    return (c) => (timed ? timed({}, dataCalls.clock.monotonic(), () => handle(c)) : handle(c))
  }
  const perform = performing(operation, run, parts)
  const { auth, status = 200 } = operation
  const read = auth === 'apikey' ? keyedCall(operation, parts.identity) : sessionCall(operation, service)
  return async (c) => {
    const startedAt = parts.dataCalls?.clock.monotonic() ?? 0
    const answer = await perform(c, { ...(await read(c)), startedAt })
    if (answer instanceof Download) return answer.send(c)
    if (!(answer instanceof Reply)) return sendJson(c, answer, status)
    if (answer.code !== undefined) c.header(CODE_HEADER, answer.code)
    return sendJson(c, answer.body, answer.status)
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
  run: Run,
  { audit, dataCalls, identity, logCall, service }: PerformParts,
): Perform {
  const timed = dataCalls && timedCall(operation, dataCalls)
  const audited = audit?.of(operation)
  // Inside the audit trail: the attempt of a stolen session is worth a row.
  const checkFresh = requireFresh(operation, identity)
  const work = logged(operation, run, logCall)
  return async (c, { input, caller, startedAt }) => {
    const act = () => {
      checkFresh?.(c, { ...c.req.param(), ...Object(input.body) })
      return work(service, input, caller)
    }
    const answer = () => (audited ? audited(c, act) : act())
    return timed ? timed({ input, caller }, startedAt, answer) : answer()
  }
}

interface CallInput {
  body?: unknown
}
/** Wraps the function of an operation so that its requests are logged, if the operation says so. */
function logged(operation: NamedOperation, run: Run, logCall: MountParts['logCall']): Run {
  const { log } = operation
  if (log === undefined) return run
  return async (service, input, caller) => {
    const call = { operation, log, userId: caller.username, request: Object(input.body ?? {}) }
    try {
      const response = await run(service, input, caller)
      logCall({ ...call, response })
      return response
    } catch (error) {
      if (log.refusals) logCall({ ...call, response: { status: 'error', message: publicMessageOf(error) } })
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

function sessionCall(
  { body, bodyOptional, bodyOrForm, documentBytes, plainErrors, query }: NamedOperation,
  { clock, config, daemon: { proxies }, identity }: RunningService,
): ReadCall {
  const readBody = (c: Context<AppEnv>) => {
    if (documentBytes !== undefined) return readDocument(c, documentBytes)
    if (bodyOrForm) return readJsonOrForm(c)
    return bodyOptional ? readOptionalJson(c) : readJson(c)
  }
  const parse = plainErrors ? parsePlain : parseWith
  return async (c) => ({
    input: {
      params: c.req.param(),
      query: query && parseWith(query, c.req.query()),
      body: body && parse(body, await readBody(c)),
    },
    caller: new RequestCaller(c, { clock, config, identity, proxies }),
  })
}

/** The values of a request by their names: the parameters of its path and the members of its body. */
type Values = Readonly<Record<string, unknown>>

/** Refuses a session whose user has not proved recently who they are. */
type RequireFresh = (c: Context<AppEnv>, values: Values) => void

/**
 * Returns the check of an operation that needs a recent proof. An API key and a personal access token are credentials
 * of scripts, which cannot be asked: their scopes are the limit.
 */
function requireFresh(
  { fresh }: Pick<NamedOperation, 'fresh'>,
  { reauthentication }: Pick<Identity, 'reauthentication'>,
): RequireFresh | undefined {
  if (fresh === undefined || fresh === 'in the request') return undefined
  return (c, values) => {
    const session = c.get('session')
    if (session && asksFor(fresh, values)) reauthentication.requireRecent(session)
  }
}

function asksFor(fresh: Exclude<Fresh, string>, values: Values): boolean {
  if (fresh === true) return true
  return Object.entries(fresh).some(([name, dangerous]) =>
    [values[name]]
      .flat()
      .some((value) => (dangerous === 'any' ? value !== undefined : dangerous.some((one) => one === value))),
  )
}
