import { SYMBOL_SILENCE_MS } from '../core/market/index.js'
import { describeSession } from './broker-session.js'
import type { Service } from './service.js'

const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

/** Returns the trading mode, order mode and broker of a user. */
export function describeUser({ brokers, identity, mode }: Service, username: string) {
  return {
    order_mode: identity.apiKeys.orderMode(username),
    analyze_mode: mode() === 'analyze',
    broker: brokers.brokerId,
    broker_available: brokers.available(),
    broker_connected: brokers.connected(),
  }
}

/** Returns where the orders of a user go now, and when a terminal asks before a change. */
export function describeDesk(service: Service, username: string) {
  const { brokers, config, identity, mode } = service
  return {
    mode: mode(),
    order_mode: identity.apiKeys.orderMode(username),
    broker: brokers.brokerId,
    account: brokers.session?.userId ?? null,
    confirm_live: config.CONFIRM_LIVE,
  }
}

export type DeskDescription = ReturnType<typeof describeDesk>
export type UserDescription = ReturnType<typeof describeUser>

/** Returns the state of the broker account: session, instruments, feed, orders in doubt. */
export async function describeBroker({ brokers, feedWatch, hub, instruments, journal }: Service) {
  const { record, state } = instruments.status()
  const failed = brokers.failedCall
  const { broker: _, ...session } = describeSession(brokers.sessionStatus())
  return {
    broker: brokers.brokerId,
    available: brokers.available(),
    connected: brokers.connected(),
    reason: brokers.refusal ?? session.reason,
    session,
    failed_call: failed
      ? {
          call: failed.call,
          message: failed.message,
          at: iso(failed.at),
          failing_since: iso(failed.failingSince),
        }
      : null,
    session_expires_at: iso(brokers.session?.expiresAt),
    instruments: {
      state,
      count: instruments.directory.count,
      broker: record?.brokerId ?? null,
      source: record?.source ?? null,
      loaded_at: iso(record?.loadedAt),
      last_error: record?.lastError ?? null,
    },
    feed: {
      ...feedWatch.state(),
      symbols: hub.symbols().length,
      stale: hub.stale(SYMBOL_SILENCE_MS).length,
      ticks: hub.ticks,
    },
    in_doubt: (await journal.inState('unknown')).length,
  }
}
export type BrokerDescription = Awaited<ReturnType<typeof describeBroker>>
