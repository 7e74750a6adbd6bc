import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { BrokerSession, CredentialValues } from '../auth.js'
import { BrokerError, type BrokerErrorKind, type BrokerPlugin } from '../broker.js'
import type { BrokerContext } from '../context.js'

interface RenewalParts {
  log: Logger
  /** Returns the plugin of the active broker. @throws ServiceError `broker_missing` */
  plugin(): BrokerPlugin
  context(): BrokerContext
}

/** These failures may pass by themselves. After any other one the same PIN or token would only be refused again. */
const PASSING: ReadonlySet<BrokerErrorKind> = new Set(['network', 'unavailable', 'rate_limit', 'protocol'])

/** Renews sessions that have expired without a person, at a broker that allows it. */
export class SessionRenewal {
  #waitMs = 0

  constructor(private readonly parts: RenewalParts) {}

  /** The least wait before the next attempt: what the broker asked for at the last one, in milliseconds. */
  get waitMs(): number {
    return this.#waitMs
  }

  /** Returns whether the active broker renews sessions. */
  get isPossible(): boolean {
    return this.parts.plugin().auth.refresh !== undefined
  }

  /**
   * Returns a new session for one that has expired. `refused`: only a person helps; `unreachable`: a later attempt may
   * succeed.
   */
  async renewed(session: BrokerSession): Promise<BrokerSession | 'refused' | 'unreachable'> {
    const { context, log, plugin } = this.parts
    const { auth, manifest } = plugin()
    this.#waitMs = 0
    if (!auth.refresh) return 'refused'
    try {
      return withExtra(await auth.refresh(session, context()), session.extra ?? {})
    } catch (error) {
      log.warn('broker.refresh_failed', { broker: manifest.id, error: messageOf(error) })
      if (!(error instanceof BrokerError && PASSING.has(error.kind))) return 'refused'
      this.#waitMs = error.retryAfterMs ?? 0
      return 'unreachable'
    }
  }
}

/** Adds fields to those that a session keeps. The broker's own win. */
export function withExtra(session: BrokerSession, extra: CredentialValues): BrokerSession {
  return Object.keys(extra).length === 0 ? session : { ...session, extra: { ...extra, ...session.extra } }
}
