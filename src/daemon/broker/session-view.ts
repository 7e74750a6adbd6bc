import type { SessionStatus } from '../../core/brokers/index.js'
import type { BrokerSessionChanged } from '../../core/events/index.js'

const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

/** Returns what is told of a broker when another one becomes the active one. */
export function leftBroker(broker: string, at: number): Omit<BrokerSessionChanged, 'unprotected'> {
  return describeSession({
    broker,
    state: 'signed_out',
    reason: 'Another broker is the active one.',
    since: at,
    until: undefined,
    nextStep: `svc broker use ${broker}`,
  })
}

/** Returns the session at the active broker in the form of the API and of events. */
export function describeSession(status: SessionStatus): Omit<BrokerSessionChanged, 'unprotected'> {
  const { broker, nextStep, reason, since, state, until } = status
  return {
    broker,
    state,
    reason: reason ?? null,
    since: iso(since),
    until: iso(until),
    next_step: nextStep ?? null,
  }
}
