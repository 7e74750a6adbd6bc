import { z } from 'zod'
import { type FeedState, symbolKey, type Tick } from '../../../core/market/index.js'
import type { RunningService } from '../../daemon.js'
import { amount, count, ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'

const stream = signedIn('Stream', 'api')
const reading = { scopes: ['read', 'settings'] } as const

const optional = z.string().optional()
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
const lastTicks = z.union([
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
const streamHealth = z.strictObject({
  status: z.enum(['healthy', 'unhealthy']),
  ...healthFields,
  message: text,
})
const tradeSafe = z.strictObject({ safe: z.boolean(), reason: text, data_fresh: z.boolean() })
const streamMetrics = ok({ metrics: z.strictObject(healthFields) })

/** The last prices of the stream, and whether it still delivers prices. */
export const STREAM_PRICE_OPERATIONS = {
  'GET /api/websocket/market-data': stream(
    'Returns the last prices of one symbol, or of all subscribed symbols.',
    {
      ...reading,
      query: z.object({ symbol: optional, exchange: optional }),
      example: { symbol: 'SBIN', exchange: 'NSE' },
      answer: lastTicks,
      run: ({ clock, hub }, { query: { symbol, exchange } }) => {
        const refs = symbol && exchange ? [{ symbol, exchange }] : hub.symbols()
        const known = refs.flatMap((ref) => hub.last(ref) ?? [])
        const data =
          symbol && exchange
            ? (known.map(cachedView)[0] ?? {})
            : Object.fromEntries(known.map((tick) => [symbolKey(tick), cachedView(tick)]))
        return { status: 'success', data, timestamp: clock.now() }
      },
    },
  ),
  'GET /api/websocket/health': stream('Returns the health of the market stream.', {
    ...reading,
    answer: streamHealth,
    run: healthView,
  }),
  'GET /api/websocket/trade-safe': stream('Returns whether prices are fresh enough to trade on.', {
    ...reading,
    answer: tradeSafe,
    run: (service) => {
      const { trade_management_safe: safe, trade_management_reason: reason } = healthView(service)
      return { safe, reason, data_fresh: service.feedWatch.state().state === 'live' }
    },
  }),
  'GET /api/websocket/metrics': stream('Returns counters of the market stream.', {
    ...reading,
    answer: streamMetrics,
    run: (service) => {
      const { status: _, message: __, ...metrics } = healthView(service)
      return { status: 'success', metrics }
    },
  }),
}

/** Returns the last tick of a symbol by kind. */
function cachedView(tick: Tick) {
  const { ltp, timestamp, volume, open, high, low, prevClose: close } = tick
  const change = close > 0 ? Math.round((ltp - close) * 10_000) / 10_000 : 0
  const change_percent = close > 0 ? Math.round(((ltp - close) / close) * 10_000) / 100 : 0
  return {
    ltp: { value: ltp, timestamp, volume },
    quote: { open, high, low, close, ltp, volume, change, change_percent, timestamp },
    ...(tick.depth && { depth: { ...tick.depth, ltp, timestamp } }),
  }
}

const REASON_OF_STATE: Readonly<Record<FeedState['state'], string>> = {
  live: 'Prices are flowing',
  idle: 'No symbol is subscribed',
  closed: 'The market is closed',
  lost: 'The price feed is silent',
  disconnected: 'No broker is connected',
}

function healthView({ daemon, feedWatch, hub }: RunningService) {
  const { age_ms: age, attempts, losses, state } = feedWatch.state()
  const clients = daemon.marketClients()
  const connected = daemon.marketStream.broker.connected()
  const healthy = state !== 'lost' && state !== 'disconnected'
  return {
    status: healthy ? ('healthy' as const) : ('unhealthy' as const),
    healthy,
    connected,
    authenticated: connected,
    data_flow_healthy: state === 'live',
    last_data_age_seconds: age === null ? null : Math.round(age / 100) / 10,
    cache_size: hub.symbols().length,
    total_subscribers: clients.signedIn,
    total_connections: clients.open,
    total_updates_processed: hub.ticks,
    stale_data_events: losses,
    reconnect_count: attempts,
    uptime_seconds: Math.round(daemon.uptimeMs() / 1000),
    trade_management_safe: healthy,
    trade_management_reason: REASON_OF_STATE[state],
    message: REASON_OF_STATE[state],
  }
}
