import type { Context } from 'hono'
import type { AnswerGiven, KnownOperationName, ParamsOf, PayloadOf, QueryOf } from '../operations/types.js'
import type { AppEnv } from '../process/env.js'
import type { Caller } from './caller.js'

/** Why an operation works with HTTP itself. */
export type HttpReason =
  | 'a cookie'
  | 'a file'
  | 'a form'
  | 'a page'
  | 'a redirect'
  | 'a stream'
  | 'headers'
  | 'its own refusals'
  | 'orders'

type Handle = (service: never, c: Context<AppEnv>) => Response | Promise<Response>
type BeforeGuard = (service: never, c: Context<AppEnv>) => Promise<Response | undefined>

/** The function of an operation that works with HTTP itself. */
export class HttpHandler {
  constructor(
    readonly reason: HttpReason,
    readonly handle: Handle,
    /** Runs before the session guard. When it returns a response, the request ends with it. */
    readonly beforeGuard?: BeforeGuard,
  ) {}
}

/* The handlers that are not yet part of their operation. */

/** A request after its schemas have parsed it. */
export interface Input<N extends KnownOperationName> {
  body: PayloadOf<N>
  query: QueryOf<N>
  params: ParamsOf<N>
}

/**
 * The books of the account and of strategies. The core builds their bodies for both modes without the answer schemas, so the compiler
 * does not check them; the tests do.
 */
type BuiltByCore =
  | `POST /api/v1/${
      | 'orderbook'
      | 'tradebook'
      | 'positionbook'
      | 'holdings'
      | 'funds'
      | 'orderstatus'
      | 'margin'
      | 'gttorderbook'}`
  | `GET /strategy/api/strategies/:id/${'orderbook' | 'tradebook' | 'positions'}`

type Given<N extends KnownOperationName> = N extends BuiltByCore ? object : AnswerGiven<N>

/**
 * The function of an operation: it turns a parsed request into the body of its answer, as the schema of its
 * row describes it. It does not depend on HTTP, so that workflows can call it too.
 */
type OperationHandler<N extends KnownOperationName> = (
  input: Input<N>,
  caller: Caller,
) => Given<N> | Promise<Given<N>>

export const httpHandler = (
  handle: (c: Context<AppEnv>) => Response | Promise<Response>,
  beforeGuard?: (c: Context<AppEnv>) => Promise<Response | undefined>,
): HttpHandler =>
  new HttpHandler(
    'its own refusals',
    (_service, c) => handle(c),
    beforeGuard && ((_service, c) => beforeGuard(c)),
  )

export type Handlers = { readonly [N in KnownOperationName]: OperationHandler<N> | HttpHandler }
