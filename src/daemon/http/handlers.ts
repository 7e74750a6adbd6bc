import type { Context } from 'hono'
import type { AnswerGiven, KnownOperationName, ParamsOf, PayloadOf, QueryOf } from '../operations/types.js'
import type { AppEnv } from '../process/env.js'

/** The user for whom an operation acts. */
export interface Caller {
  username: string
}

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

type Handle = (c: Context<AppEnv>) => Response | Promise<Response>

/**
 * A handler that works with HTTP itself: streams, files, cookies, or a body that it reads in its own order.
 */
export class HttpHandler {
  constructor(
    readonly handle: Handle,
    /** Runs before the session guard. When it returns a response, the request ends with it. */
    readonly beforeGuard?: (c: Context<AppEnv>) => Promise<Response | undefined>,
  ) {}
}

export const httpHandler = (...parts: ConstructorParameters<typeof HttpHandler>): HttpHandler =>
  new HttpHandler(...parts)

/** The functions of all operations. An operation without a function is a compile error. */
export type Handlers = { readonly [N in KnownOperationName]: OperationHandler<N> | HttpHandler }
