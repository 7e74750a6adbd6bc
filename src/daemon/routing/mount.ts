import type { Context, Handler, Hono, MiddlewareHandler } from 'hono'
import type { z } from 'zod'
import { publicMessageOf, ServiceError } from '../../core/errors/index.js'
import type { Identity, Principal } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import { isChange } from '../audit/request-audit.js'
import type { RunningService } from '../daemon.js'
import { keyedInput, readingInput } from '../http/api-route.js'
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
import type { Fresh } from '../operations/operation.js'
import type { AppEnv } from '../process/env.js'
import type { CallRecords } from './call-records.js'
import type { Limits } from './limits.js'

/** What a request passes on its way to the function of an operation. */
interface RouteSteps {
  /** Returns what makes a route a page, before all else; undefined where there is no browser. */
  pages?(operation: NamedOperation): MiddlewareHandler<AppEnv>[]
  /** Refuses a caller who is not signed in. */
  guard: MiddlewareHandler<AppEnv>
  limits: Limits
  /** Undefined where nothing is recorded. */
  records?: CallRecords
}

/**
 * Mounts the operations, each as page, guard, rate limit, scopes and function, in this
 * order.
 */
export function mountOperations(
  app: Hono<AppEnv>,
  operations: readonly NamedOperation[],
  service: RunningService,
  steps: RouteSteps,
): void {
  for (const operation of operations) {
    const run = functionOf(operation)
    const chain = [
      ...(steps.pages?.(operation) ?? []),
      ...checksBefore(operation, run, service, steps),
      handlerOf(operation, run, service, steps.records),
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
  service: RunningService,
  { guard, limits }: RouteSteps,
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

function handlerOf(
  operation: NamedOperation,
  run: Run | HttpHandler,
  service: RunningService,
  records: CallRecords | undefined,
): Handler<AppEnv> {
  const { clock, identity } = service
  if (run instanceof HttpHandler) {
    const { handle: answer } = httpRunOf(run)
    const timed = records?.timed(operation)
    const audited = records?.audited(operation)
    const checkFresh = requireFresh(operation, identity)
    // Such a handler parses the body itself, so the check cannot see its members.
    if (typeof operation.fresh === 'object')
      throw new Error(`${operation.name} cannot be fresh by its values`)
    const act = (c: Context<AppEnv>) => {
      checkFresh?.(c, {})
      return answer(service, c)
    }
    const handle = (c: Context<AppEnv>) => (audited ? audited(c, () => act(c)) : act(c))
    return (c) => (timed ? timed({}, clock.monotonic(), () => handle(c)) : handle(c))
  }
  const perform = performing(operation, run, service, records)
  const { auth, status = 200 } = operation
  const read = auth === 'apikey' ? keyedCall(operation, identity) : sessionCall(operation, service)
  return async (c) => {
    const startedAt = clock.monotonic()
    const answer = await perform(c, { ...(await read(c)), startedAt })
    if (answer instanceof Download) return answer.send(c)
    if (!(answer instanceof Reply)) return sendJson(c, answer, status)
    if (answer.code !== undefined) c.header(CODE_HEADER, answer.code)
    return sendJson(c, answer.body, answer.status)
  }
}

/** Runs an operation for a caller, with all its records, and returns the body of its answer. */
export type Perform = (
  c: Context<AppEnv>,
  call: { input: CallInput; caller: Caller; startedAt: number },
) => Promise<object>

/** Returns what the route of an operation does; undefined for a route that deals with HTTP itself. */
export type PerformOf = (operation: NamedOperation) => Perform | undefined

/**
 * Returns what a route does once its input is parsed and its caller known: the function of the operation, its log, its
 * place in the audit trail, its latency. Assistants run operations by it, too.
 */
export function performing(
  operation: NamedOperation,
  run: Run,
  service: RunningService,
  records: CallRecords | undefined,
): Perform {
  const timed = records?.timed(operation)
  const audited = records?.audited(operation)
  // Inside the audit trail: the attempt of a stolen session is worth a row.
  const checkFresh = requireFresh(operation, service.identity)
  const work = logged(operation, run, records)
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
function logged(operation: NamedOperation, run: Run, records: CallRecords | undefined): Run {
  const { log } = operation
  if (log === undefined || records === undefined) return run
  return async (service, input, caller) => {
    const changes = operation.changes === true
    const call = { log, changes, userId: caller.username, request: Object(input.body ?? {}) }
    try {
      const response = await run(service, input, caller)
      records.log({ ...call, response })
      return response
    } catch (error) {
      if (log.refusals)
        records.log({ ...call, response: { status: 'error', message: publicMessageOf(error) } })
      throw error
    }
  }
}

type ReadCall = (c: Context<AppEnv>) => Promise<{ input: CallInput; caller: Caller }>

function keyedCall({ body, changes, query, sentAgain }: NamedOperation, identity: Identity): ReadCall {
  if (body && sentAgain) return repeatedCall(body, identity)
  const inputOf = <S extends z.ZodType>(c: Context<AppEnv>, schema: S, given: unknown) =>
    changes ? keyedInput(identity, schema, given) : readingInput(c, identity, schema, given)
  return async (c) => {
    const params = c.req.param()
    if (body) {
      const { payload, principal } = await inputOf(c, body, await readApiBody(c))
      noteKeyed(c, principal)
      return { input: { body: payload, params }, caller: principal }
    }
    if (!query) throw new Error(`${c.req.path} takes neither a body nor a query`)
    const { payload, principal } = await inputOf(c, query, readApiQuery(c))
    noteKeyed(c, principal)
    return { input: { query: payload, params }, caller: principal }
  }
}

/** As {@link keyedCall}, for bodies of which many are the same, of operations that read. */
function repeatedCall(body: z.ZodType, identity: Identity): ReadCall {
  const known = new KnownBodies()
  return async (c) => {
    const given = await readApiBody(c, undefined, known.parse)
    const payload = known.payloadOf(given)
    const principal = payload === undefined ? undefined : await principalIn(identity, given)
    const read = principal ? { payload, principal } : await readingInput(c, identity, body, given)
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
