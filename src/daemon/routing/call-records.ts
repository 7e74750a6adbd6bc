import { type Recording, RequestAudit } from '../audit/request-audit.js'
import type { Daemon, RunningService } from '../daemon.js'
import type { NamedOperation } from '../operations/named.js'
import type { LogFacts } from '../operations/operation.js'
import { type TimedCall, timedCall } from './data-calls.js'

/** A request of an operation that says how a log gets it. */
interface LoggedCall {
  log: LogFacts
  /** Whether the operation changes state. */
  changes: boolean
  userId: string
  request: object
  response: object
}

/** The records that a call of an operation leaves: in the audit trail, in the log of latency, and in the log of orders. */
export class CallRecords {
  readonly #service: RunningService
  readonly #audit: RequestAudit

  constructor(daemon: Pick<Daemon, 'proxies' | 'running'>) {
    this.#service = daemon.running
    this.#audit = new RequestAudit(daemon)
  }

  /** Returns the function that times an operation; undefined for one that is not timed. */
  timed(operation: NamedOperation): TimedCall | undefined {
    return timedCall(operation, this.#service)
  }

  /** Returns the function that adds an operation to the audit trail; undefined for one that is not recorded. */
  audited(operation: NamedOperation): Recording | undefined {
    return this.#audit.of(operation)
  }

  /**
   * Adds a request and its answer to the log that its operation names. Requests that only read never displace those
   * of orders. Returns at once.
   */
  log({ changes, log, request, response, userId }: LoggedCall): void {
    const { mode, orderLogs } = this.#service
    const entry = {
      mode: log.into === 'orders' ? ('live' as const) : mode(),
      api_type: log.as,
      user_id: userId,
      request_data: request,
      response_data: response,
    }
    if (changes) orderLogs.record({ ...entry, request_data: { ...request }, response_data: { ...response } })
    else orderLogs.recordRead(entry)
  }
}
