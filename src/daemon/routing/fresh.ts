import type { Context } from 'hono'
import type { Identity } from '../../core/identity/index.js'
import type { NamedOperation } from '../operations/named.js'
import type { Fresh } from '../operations/operation.js'
import type { AppEnv } from '../process/env.js'

/** The values of a request by their names: the parameters of its path and the members of its body. */
type Values = Readonly<Record<string, unknown>>

/** Refuses a session whose user has not proved recently who they are. */
type RequireFresh = (c: Context<AppEnv>, values: Values) => void

/**
 * Returns the check of an operation that needs a recent proof. An API key and a personal access token are credentials
 * of scripts, which cannot be asked: their scopes are the limit.
 */
export function requireFresh(
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
