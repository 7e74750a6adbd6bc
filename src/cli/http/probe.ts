import { member } from '../../client/answers/json.js'
import type { RouteName } from '../../client/endpoints.js'
import { requestTo } from '../../client/routes.js'
import type { Context } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { type Checks, checksIn, readinessOf } from './readiness.js'

const PROBE_TIMEOUT_MS = 3000

/** The facts a daemon reveals without a credential. */
interface Probe {
  /** True when it answers. */
  live: boolean
  /** True when it is ready for orders. */
  ready: boolean
  /** True when it accepts requests, also while it has no broker session for live orders. */
  accepts: boolean
  /** Why it is not ready; undefined when it is, or when it does not say. */
  unready: Unready | undefined
  version: string | undefined
  /** Why there is no answer; undefined when it answers. */
  failure: CliError | undefined
  /** The daemon's clock in milliseconds, with the precision of a Date header. */
  date: number | undefined
}

interface Unready {
  state: 'starting' | 'stopping' | 'not_ready'
  /** The file that cannot be written, and why. */
  fault?: string
}

function unreadyOf(checks: Checks | undefined): Unready | undefined {
  if (checks === undefined) return undefined
  const state = readinessOf(checks)
  if (state === 'starting' || state === 'stopping') return { state }
  return { state: 'not_ready', ...(state === 'faulty' && { fault: checks.storage }) }
}

/** Asks a daemon for its health. No answer is a result, not an error. */
export async function probe(context: Context, url?: string): Promise<Probe> {
  const client = context.client(url)
  const ask = <N extends RouteName>(route: N) =>
    client.ask({ route, ...requestTo(route, {}), changes: false, timeoutMs: PROBE_TIMEOUT_MS })
  try {
    const ready = await ask('GET /health/ready')
    const version = await ask('GET /version')
    const isReady = ready.status === 200
    const checks = checksIn(ready.body)
    return {
      live: true,
      ready: isReady,
      accepts: isReady || (checks !== undefined && readinessOf(checks) === 'accepting'),
      unready: isReady ? undefined : unreadyOf(checks),
      version: version.status === 200 ? member(version.body, 'version') : undefined,
      failure: undefined,
      date: ready.date,
    }
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
    return {
      live: false,
      ready: false,
      accepts: false,
      unready: undefined,
      version: undefined,
      failure: thrown,
      date: undefined,
    }
  }
}
