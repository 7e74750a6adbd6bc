import { z } from 'zod'
import { holding, simulatedPosition, trade } from '../account/answers.js'
import { amount, count, ok, text } from '../common/answers.js'

/** Answers of the simulated account's routes and of the market stream for pages. */

export const configs = ok({
  configs: z.record(
    z.string(),
    z.strictObject({
      title: text,
      configs: z.record(
        z.string(),
        z.strictObject({ value: text, default: text, range: text, description: text }),
      ),
    }),
  ),
})

const stamp = text.nullable()
export const schedule = ok({
  data: z.strictObject({
    running: z.boolean(),
    timezone: text,
    jobs: z.array(z.strictObject({ id: text, next_run: stamp, last_due: stamp, last_run: stamp })),
  }),
})

export const pnl = ok({
  data: z.strictObject({
    summary: z.strictObject({
      total_capital: amount,
      available_balance: amount,
      used_margin: amount,
      portfolio_value: amount,
      today_realized_pnl: amount,
      positions_unrealized_pnl: amount,
      holdings_unrealized_pnl: amount,
      today_total_mtm: amount,
      all_time_realized_pnl: amount,
      total_pnl: amount,
      last_reset: text,
      reset_count: count,
    }),
    daily_pnl: z.array(
      z.strictObject({
        date: text,
        realized_pnl: amount,
        positions_unrealized_pnl: amount,
        holdings_unrealized_pnl: amount,
        total_unrealized_pnl: amount,
        total_mtm: amount,
        available_balance: amount,
        used_margin: amount,
        portfolio_value: amount,
      }),
    ),
    positions: z.array(
      z.strictObject({
        ...simulatedPosition,
        all_time_realized_pnl: amount,
        margin_blocked: amount,
        status: z.enum(['Open', 'Closed']),
        last_updated: text,
      }),
    ),
    holdings: z.array(holding),
    trades: z.array(trade),
  }),
})

export const streamConfig = ok({ websocket_url: text, is_secure: z.boolean(), original_url: text })
export const streamKey = ok({ api_key: text })

const followed = z.array(z.strictObject({ exchange: text, symbol: text, mode: text }))
export const streamStatus = ok({
  connected: z.boolean(),
  authenticated: z.boolean(),
  broker: text,
  websocket_url: text,
  active_subscriptions: count,
  subscriptions: followed,
})
export const subscriptions = ok({ subscriptions: followed, count, broker: text })

const acks = z.strictObject({
  symbols: z.array(
    z.strictObject({
      symbol: text,
      exchange: text,
      status: z.enum(['success', 'error']),
      mode: text.optional(),
      depth: count.optional(),
      message: text.optional(),
      broker: text,
    }),
  ),
  mode: z.unknown(),
  count,
})
export const subscribed = ok({ subscriptions: acks })
export const unsubscribed = ok({ unsubscriptions: acks })

const cached = z.strictObject({
  ltp: z.strictObject({ value: amount, timestamp: count, volume: amount }).optional(),
  quote: z
    .strictObject({
      open: amount,
      high: amount,
      low: amount,
      close: amount,
      ltp: amount,
      volume: amount,
      change: amount,
      change_percent: amount,
      timestamp: count,
    })
    .optional(),
  depth: z.record(z.string(), z.unknown()).optional(),
})
export const lastTicks = z.union([
  ok({ data: cached, timestamp: count }).meta({ description: 'For one symbol.' }),
  ok({ data: z.record(z.string(), cached), timestamp: count }).meta({
    description: 'For all symbols, by EXCHANGE:SYMBOL.',
  }),
])

const healthFields = {
  healthy: z.boolean(),
  connected: z.boolean(),
  authenticated: z.boolean(),
  data_flow_healthy: z.boolean(),
  last_data_age_seconds: amount.nullable(),
  cache_size: count,
  total_subscribers: count,
  total_connections: count,
  total_updates_processed: count,
  stale_data_events: count,
  reconnect_count: count,
  uptime_seconds: count,
  trade_management_safe: z.boolean(),
  trade_management_reason: text,
}
export const streamHealth = z.strictObject({
  status: z.enum(['healthy', 'unhealthy']),
  ...healthFields,
  message: text,
})
export const tradeSafe = z.strictObject({ safe: z.boolean(), reason: text, data_fresh: z.boolean() })
export const streamMetrics = ok({ metrics: z.strictObject(healthFields) })
