import type { Context } from 'hono'
import type { AppEnv } from '../env.js'
import type { Name, ParamsOf, PayloadOf, QueryOf } from '../operations/types.js'

/** Whom an operation acts for. */
export interface Caller {
  username: string
}

/** A request after its schemas have read it. */
export interface Input<N extends Name> {
  body: PayloadOf<N>
  query: QueryOf<N>
  params: ParamsOf<N>
}

/**
 * The function of an operation: from a parsed request to the body of its answer. It knows no HTTP, so that workflows
 * call it too. The tests hold every answer against the schema of its row.
 */
export type Run<N extends Name> = (input: Input<N>, caller: Caller) => object | Promise<object>

type Handle = (c: Context<AppEnv>) => Response | Promise<Response>

/** A handler that deals with HTTP itself: streams, files, cookies, or a body that is read in an order of its own. */
export class ByHand {
  constructor(
    readonly handle: Handle,
    /** Asked before the session guard; an answer ends the request. */
    readonly beforeGuard?: (c: Context<AppEnv>) => Promise<Response | undefined>,
  ) {}
}

export const byHand = (...parts: ConstructorParameters<typeof ByHand>): ByHand => new ByHand(...parts)

/** The functions of all operations. A row without its function does not compile. */
export type Handlers = { readonly [N in Name]: Run<N> | ByHand }
