import type { Context } from 'hono'
import type { ActNote, AppEnv } from '../process/env.js'

/** Adds to the record of the current act in the audit trail. */
export function noteAct(c: Context<AppEnv>, note: ActNote): void {
  c.set('actNote', { ...c.get('actNote'), ...note })
}
