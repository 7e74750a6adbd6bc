import type { Context } from 'hono'
import type { AppEnv } from '../process/env.js'

/** Why an operation works with HTTP itself. */
export type HttpReason =
  | 'a cookie'
  | 'a file'
  | 'a form'
  | 'a page'
  | 'a redirect'
  | 'a stream'
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
