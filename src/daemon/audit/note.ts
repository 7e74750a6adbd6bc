import type { Context } from 'hono'
import type { AppEnv } from '../process/env.js'

/** Facts about an act that only its handler knows. They must not contain secrets. */
export interface ActNote {
  /** The user, when the request has no credential. */
  username?: string
  /** The object of the act. */
  target?: string
  /** The values after the act. */
  after?: object
}

/** Adds to the record of the current act in the audit trail. */
export function noteAct(c: Context<AppEnv>, note: ActNote): void {
  c.set('actNote', { ...c.get('actNote'), ...note })
}
