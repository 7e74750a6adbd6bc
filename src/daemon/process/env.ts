import type { HttpBindings } from '@hono/node-server'
import type { Principal, Session } from '../../core/identity/index.js'

/** The values that middleware sets for the routes behind it. */
export interface AppEnv {
  Bindings: HttpBindings
  Variables: {
    requestId: string
    /** The caller; set behind the session guard. */
    principal: Principal
    /** The session of a caller who signed in with a password. */
    session: Session | undefined
    /** The part of an act's record in the audit trail that only its handler knows. */
    actNote: ActNote | undefined
    /** The order that the request asks for. */
    asked: AskedOrder | undefined
    /** Runs the check of a call's credentials and counts wrong ones; set where the route limits those. */
    checkCredentials: <T>(check: () => T) => T
  }
}

/** What a request to the order path asks for: its body, the caller's own key, and the user once the API key is checked. */
export interface AskedOrder {
  request: object
  callerKey: string | undefined
  userId?: string
  mode: 'live' | 'analyze'
  /** The order or GTT that it wants to change. */
  target?: string | undefined
}

/** Facts about an act that only its handler knows. They must not contain secrets. */
export interface ActNote {
  /** The user, when the request has no credential. */
  username?: string
  /** The object of the act. */
  target?: string
  /** The values after the act. */
  after?: object
}
