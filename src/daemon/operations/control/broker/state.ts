import { z } from 'zod'
import { SESSION_STATES } from '../../../../core/brokers/index.js'
import { SYMBOL_SILENCE_MS } from '../../../../core/market/index.js'
import { type Drift, driftText } from '../../../../core/orders/index.js'
import { describeSession } from '../../../broker/session-view.js'
import type { Service } from '../../../service.js'
import { amount, count, instant, text } from '../../common/answers.js'
import { nullableText } from '../control-facts.js'

/** The session at the broker. */
export const sessionFields = {
  state: z.enum(SESSION_STATES),
  reason: nullableText,
  since: instant.nullable(),
  until: instant.nullable(),
  next_step: nullableText,
}
export const brokerState = z.strictObject({
  broker: text,
  available: z.boolean(),
  connected: z.boolean(),
  reason: nullableText,
  session: z.strictObject(sessionFields),
  failed_call: z
    .strictObject({ call: text, message: text, at: instant.nullable(), failing_since: instant.nullable() })
    .nullable(),
  session_expires_at: instant.nullable(),
  instruments: z.strictObject({
    state: text,
    count,
    broker: nullableText,
    source: nullableText,
    loaded_at: instant.nullable(),
    last_error: nullableText,
  }),
  feed: z.strictObject({
    state: z.enum(['disconnected', 'idle', 'closed', 'live', 'lost']),
    age_ms: amount.nullable(),
    attempts: count,
    losses: count,
    symbols: count,
    stale: count,
    ticks: count,
  }),
  budgets: z
    .array(
      z.strictObject({
        call_class: text,
        waiting: count,
        refused: count,
        windows: z.array(z.strictObject({ limit: count, per_ms: count, left: count })),
      }),
    )
    .meta({ description: "What is left of the broker's call limits, by class of call." }),
  in_doubt: count,
  drift: z
    .strictObject({
      compared_at: instant,
      orders: z.array(text),
      positions: z.array(
        z.strictObject({ symbol: text, exchange: nullableText, product: text, quantity: amount }),
      ),
      summary: nullableText,
    })
    .nullable()
    .meta({
      description:
        'Orders of the day that are not from this service, and the changes of positions that its journal does not explain.',
    }),
})

type StateSource = Pick<Service, 'brokers' | 'drift' | 'feedWatch' | 'hub' | 'instruments' | 'journal'>

const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

/** Returns the state of the broker account: session, instruments, feed, orders in doubt. */
export async function brokerStateView({ brokers, drift, feedWatch, hub, instruments, journal }: StateSource) {
  const { record, state } = instruments.status()
  const failed = brokers.failedCall
  const { broker: _, ...session } = describeSession(brokers.sessionStatus())
  return {
    broker: brokers.brokerId,
    available: brokers.available(),
    connected: brokers.connected(),
    reason: brokers.refusal ?? (session.state === 'expires_soon' ? null : session.reason),
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
    budgets: brokers.available() ? budgetsOf(brokers) : [],
    in_doubt: (await journal.inState('unknown')).length,
    drift: driftView(await drift.state()),
  }
}

function driftView(drift: Drift | undefined) {
  if (!drift) return null
  const { comparedAt, orders, positions } = drift
  const summary = driftText(orders.length, positions)
  return {
    compared_at: new Date(comparedAt).toISOString(),
    orders: [...orders],
    positions: [...positions],
    summary: summary === '' ? null : summary,
  }
}

function budgetsOf(brokers: StateSource['brokers']) {
  return brokers
    .budgets()
    .stats()
    .map(({ callClass, refused, waiting, windows }) => ({
      call_class: callClass,
      waiting,
      refused,
      windows: windows.map(({ limit, perMs, used }) => ({ limit, per_ms: perMs, left: limit - used })),
    }))
}
