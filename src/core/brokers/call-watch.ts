import type { Clock } from '../time/index.js'
import { isObject } from '../validation/index.js'
import { type BrokerClient, BrokerError, type BrokerErrorKind } from './broker.js'
import type { CallCounts } from './call-counts.js'
import { OrdersInFlight } from './orders-in-flight.js'
import { SIGN_IN } from './session/session-watch.js'

/** The last call that a broker did not serve. */
export interface FailedCall {
  /** The call, as `orders.place`. */
  call: string
  message: string
  at: number
  /** When the calls began to fail; undefined if the broker has served a call since. */
  failingSince: number | undefined
}

/** What the answers to calls say of the session. */
export interface CallListener {
  /** The broker refuses the session. */
  onRefused?(error: BrokerError): void
  /** The broker refused an order call because of the address that it came from. */
  onAddressRefused?(error: BrokerError): void
  /** The broker took an order call. */
  onOrderServed?(): void
}

/** Failures of the broker or of the way to it. The others are refusals of one request. */
const OUTAGES: ReadonlySet<BrokerErrorKind> = new Set(['network', 'unavailable', 'protocol'])
/** The calls that a broker takes only from the registered address. */
const ORDER_CALLS: ReadonlySet<string> = new Set(
  ['place', 'modify', 'cancel'].flatMap((call) => [`orders.${call}`, `gtts.${call}`]),
)
/** The parts of a client whose functions are calls to the broker. */
const CALL_GROUPS: ReadonlySet<string> = new Set(['orders', 'portfolio', 'market', 'gtts', 'margins'])

/** Remembers the last failed call of one broker, and names the broker in errors of the connection. */
export class CallWatch {
  /** The orders whose calls wait for their answers. */
  readonly orders = new OrdersInFlight()
  #failed: FailedCall | undefined
  #running = 0
  /** Called once no call runs. */
  #waiting: (() => void)[] = []

  constructor(
    private readonly displayName: string,
    private readonly clock: Pick<Clock, 'now'>,
    private readonly counts: CallCounts,
    private readonly listener: CallListener = {},
  ) {}

  /** Returns the last failed call; undefined if none has failed. */
  get failed(): FailedCall | undefined {
    return this.#failed
  }

  /** Returns whether a call waits for its answer. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** Resolves once no call waits for its answer. */
  idle(): Promise<void> {
    return this.#running === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Returns the client with every call watched. */
  watched(client: BrokerClient): BrokerClient {
    const groups = new Map<string, object>()
    return new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value === 'function') return value.bind(target)
        if (typeof name !== 'string' || !CALL_GROUPS.has(name) || !isObject(value)) return value
        const known = groups.get(name) ?? this.#group(name, value)
        groups.set(name, known)
        return known
      },
    })
  }

  #group(group: string, calls: object): object {
    return new Proxy(calls, {
      get: (target, name) => {
        const call: unknown = Reflect.get(target, name)
        if (typeof call !== 'function') return call
        return (...given: unknown[]) =>
          this.#follow(`${group}.${String(name)}`, given, () => call.apply(target, given))
      },
    })
  }

  async #follow(call: string, given: readonly unknown[], send: () => unknown): Promise<unknown> {
    this.#running += 1
    const end = this.orders.begin(call, given)
    let answer: unknown
    try {
      answer = await send()
      this.counts.add(call, 'served')
      if (ORDER_CALLS.has(call)) this.listener.onOrderServed?.()
      if (this.#failed?.failingSince !== undefined)
        this.#failed = { ...this.#failed, failingSince: undefined }
      return answer
    } catch (error) {
      const isOutage = error instanceof BrokerError && OUTAGES.has(error.kind)
      this.counts.add(call, isOutage ? 'failed' : 'refused')
      this.#note(error)
      if (isSessionRefusal(error)) throw withNextStep(error)
      if (!isOutage) throw error
      const named = this.#named(error)
      const at = this.clock.now()
      this.#failed = { call, message: named.message, at, failingSince: this.#failed?.failingSince ?? at }
      throw named
    } finally {
      end?.(answer)
      this.#running -= 1
      if (this.#running === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Tells what an error says of the session. Of a change that is half done, the error of the call that failed says it. */
  #note(error: unknown): void {
    const said = error instanceof BrokerError && error.isHalfDone ? error.cause : error
    if (isSessionRefusal(said)) this.listener.onRefused?.(said)
    else if (said instanceof BrokerError && said.kind === 'ip_not_allowed')
      this.listener.onAddressRefused?.(said)
  }

  /** Adds the name of the broker to an error of the connection. Words of the broker stay as they are. */
  #named(error: BrokerError): BrokerError {
    const { brokerCode, brokerStatus, isHalfDone, kind, message, retryAfterMs, sent } = error
    if (kind !== 'network' || isHalfDone) return error
    const happened = sent === 'never' ? 'cannot be reached' : 'did not answer'
    const details = { brokerCode, brokerStatus, retryAfterMs, sent, cause: error }
    return new BrokerError(kind, `${this.displayName} ${happened} (${message})`, details)
  }
}

/** Returns whether the broker answered that it does not accept the session. */
export function isSessionRefusal(error: unknown): error is BrokerError {
  return error instanceof BrokerError && error.kind === 'auth' && error.sent === 'yes'
}

function withNextStep(error: BrokerError): BrokerError {
  const { brokerCode, brokerStatus, kind, message, retryAfterMs, sent } = error
  const words = message.replace(/\.?$/, '.')
  const details = { brokerCode, brokerStatus, retryAfterMs, sent, cause: error }
  return new BrokerError(kind, `${words} Sign in again with: ${SIGN_IN}`, details)
}
