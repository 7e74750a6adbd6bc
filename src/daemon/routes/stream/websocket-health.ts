import { type FeedState, symbolKey, type Tick, type TickHub } from '../../../core/market/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { MarketStream } from '../../stream/market/stream.js'

export interface StreamHealthParts {
  clock: Clock
  hub: TickHub
  stream: MarketStream
  feed: () => FeedState
  clients: () => { open: number; signedIn: number }
  uptimeMs: () => number
}

/** Returns the handlers for the last prices of the stream and for whether it still delivers prices. */
export function streamHealthHandlers(parts: StreamHealthParts) {
  const { clock, hub } = parts
  return {
    'GET /api/websocket/market-data': ({ query: { symbol, exchange } }) => {
      const refs = symbol && exchange ? [{ symbol, exchange }] : hub.symbols()
      const known = refs.flatMap((ref) => hub.last(ref) ?? [])
      const data =
        symbol && exchange
          ? (known.map(cached)[0] ?? {})
          : Object.fromEntries(known.map((tick) => [symbolKey(tick), cached(tick)]))
      return { status: 'success', data, timestamp: clock.now() }
    },
    'GET /api/websocket/health': () => health(parts),
    'GET /api/websocket/trade-safe': () => {
      const { trade_management_safe: safe, trade_management_reason: reason } = health(parts)
      return { safe, reason, data_fresh: parts.feed().state === 'live' }
    },
    'GET /api/websocket/metrics': () => {
      const { status: _, message: __, ...metrics } = health(parts)
      return { status: 'success', metrics }
    },
  } satisfies Partial<Handlers>
}

/** Returns the last tick of a symbol by kind. */
function cached(tick: Tick) {
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

function health({ clients, feed, hub, stream, uptimeMs }: StreamHealthParts) {
  const { age_ms: age, attempts, losses, state } = feed()
  const connected = stream.broker.connected()
  const healthy = state !== 'lost' && state !== 'disconnected'
  return {
    status: healthy ? ('healthy' as const) : ('unhealthy' as const),
    healthy,
    connected,
    authenticated: connected,
    data_flow_healthy: state === 'live',
    last_data_age_seconds: age === null ? null : Math.round(age / 100) / 10,
    cache_size: hub.symbols().length,
    total_subscribers: clients().signedIn,
    total_connections: clients().open,
    total_updates_processed: hub.ticks,
    stale_data_events: losses,
    reconnect_count: attempts,
    uptime_seconds: Math.round(uptimeMs() / 1000),
    trade_management_safe: healthy,
    trade_management_reason: REASON_OF_STATE[state],
    message: REASON_OF_STATE[state],
  }
}
