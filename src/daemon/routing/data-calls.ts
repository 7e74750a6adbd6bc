import { ServiceError } from '../../core/errors/index.js'
import { orderOperation } from '../../core/orders/index.js'
import type { NamedOperation } from '../operations/named.js'
import type { Service } from '../service.js'

/** The parsed input and the caller; empty for a function that reads the request itself. */
interface DataCall {
  input?: object
  caller?: { username: string }
}

/**
 * Runs the work of a call whose key and fields are valid, and records how long it took.
 * @param startedAt the reading of the monotonic clock when the request arrived
 */
export type TimedCall = <T>(call: DataCall, startedAt: number, work: () => T | Promise<T>) => Promise<T>

const API = '/api/v1/'
/** Refusals of the request itself: no data was asked for. */
const REFUSED: ReadonlySet<string> = new Set(['validation', 'invalid_key', 'too_large', 'unsupported_media'])

/**
 * Returns the function that times an operation of the API that only reads; undefined for any other. The order
 * path times the orders.
 */
export function timedCall(
  operation: NamedOperation,
  { brokers, clock, latency, mode }: Pick<Service, 'brokers' | 'clock' | 'latency' | 'mode'>,
): TimedCall | undefined {
  const name = operation.path.startsWith(API) ? operation.path.slice(API.length) : undefined
  if (operation.auth !== 'apikey' || name === undefined || orderOperation(name)) return undefined
  // In Analyzer mode the sandbox answers for the account.
  const isOfAccount = operation.tag === 'Account' || operation.tag === 'Good till triggered'
  const broker = () => (isOfAccount && mode() === 'analyze' ? 'sandbox' : brokers.brokerId)
  const orderType = operation.latencyKind ?? name.toUpperCase()
  return async ({ caller, input }, startedAt, work) => {
    const beganAt = clock.monotonic()
    const record = (error?: ServiceError | 'fault') => {
      latency.record({
        orderType,
        userId: caller?.username,
        broker: broker(),
        symbol: symbolIn(input),
        validationMs: beganAt - startedAt,
        stageMs: clock.monotonic() - beganAt,
        end: error === undefined ? 'succeeded' : error === 'fault' ? 'fault' : 'refused',
        error: error === 'fault' ? 'An unexpected error occurred' : error?.message,
      })
    }
    try {
      const answer = await work()
      record()
      return answer
    } catch (thrown) {
      const refusal = thrown instanceof ServiceError ? thrown : 'fault'
      if (refusal === 'fault' || !REFUSED.has(refusal.code)) record(refusal)
      throw thrown
    }
  }
}

/** Returns the symbol that a call asks for. */
function symbolIn(input: object | undefined): string | undefined {
  const { body, query } = { body: undefined, query: undefined, ...input }
  const asked: unknown = body ?? query
  if (typeof asked !== 'object' || asked === null || !('symbol' in asked)) return undefined
  return typeof asked.symbol === 'string' ? asked.symbol : undefined
}
