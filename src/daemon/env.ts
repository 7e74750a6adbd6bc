import type { HttpBindings } from '@hono/node-server'
import type { Principal, Session } from '../core/identity/index.js'

/** What middleware leaves for the routes behind it. */
export interface AppEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** The caller; set behind the session guard. */
    principal: Principal
    /** The session of a caller who signed in by password. */
    session: Session | undefined
  }
}
