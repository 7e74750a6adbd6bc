import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type FeedState, symbolKey, type Tick, type TickHub } from '../../core/market/index.js'
import type { Clock } from '../../core/time/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { isOverTls } from '../http/client.js'
import { requireScope, requireScopes } from '../middleware/session.js'
import { BadRequest, isMessage, type Message, MODE_LABELS } from '../stream/market-request.js'
import type { MarketStream } from '../stream/market-stream.js'

export interface WebsocketRoutesParts {
  clock: Clock
  hub: TickHub
  identity: Pick<Identity, 'apiKeys'>
  stream: MarketStream
  feed: () => FeedState
  /** The address of the market stream. */
  url: () => string
  clients: () => { open: number; signedIn: number }
  uptimeMs: () => number
  trustProxyHeaders: boolean
}

const NO_SYMBOLS = 'No symbols provided'
const BAD_MODE = 'Invalid mode. Must be one of: LTP, Quote, Depth'

/** What a page needs to open the market stream, and the stream's state (contract, market stream section 8). */
export function websocketRoutes(parts: WebsocketRoutesParts): Hono<AppEnv> {
  const { clock, hub, identity, stream } = parts
  const held = (c: Context<AppEnv>) =>
    stream.fanOut.topics(stream.sessionReceiver(c.get('principal').username)).map(({ ref, view }) => ({
      exchange: ref.exchange,
      symbol: view.symbol,
      mode: MODE_LABELS[view.mode],
    }))
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'settings'))
    .get('/config', (c) => {
      const isSecure = isOverTls(c, parts.trustProxyHeaders)
      const url = parts.url()
      return c.json({
        status: 'success',
        websocket_url: isSecure ? url.replace(/^ws:/, 'wss:') : url,
        is_secure: isSecure,
        original_url: url,
      })
    })
    .get('/apikey', requireScope('admin'), (c) => {
      const key = identity.apiKeys.reveal(c.get('principal').username)
      if (key === undefined) {
        throw new ServiceError('not_found', 'No API key found. Please generate an API key first.')
      }
      return c.json({ status: 'success', api_key: key })
    })
    .get('/status', (c) => {
      const connected = stream.broker.connected()
      const subscriptions = held(c)
      return c.json({
        status: 'success',
        connected,
        authenticated: connected,
        broker: stream.broker.id(),
        websocket_url: parts.url(),
        active_subscriptions: subscriptions.length,
        subscriptions,
      })
    })
    .get('/subscriptions', (c) => {
      const subscriptions = held(c)
      return c.json({
        status: 'success',
        subscriptions,
        count: subscriptions.length,
        broker: stream.broker.id(),
      })
    })
    .post('/subscribe', async (c) => {
      const message = await readMessage(c)
      const { acks } = refusing(() => stream.subscriptions.follow(receiverOf(c), message))
      return c.json({
        status: 'success',
        subscriptions: { symbols: acks, mode: modeOf(message), count: acks.length },
      })
    })
    .post('/unsubscribe', async (c) => {
      const message = await readMessage(c)
      const { successful, failed } = refusing(() => stream.subscriptions.unfollow(receiverOf(c), message))
      const symbols = [...successful, ...failed]
      return c.json({
        status: 'success',
        unsubscriptions: { symbols, mode: modeOf(message), count: symbols.length },
      })
    })
    .post('/unsubscribe-all', (c) => {
      const symbols = stream.subscriptions.unfollowAll(receiverOf(c))
      return c.json({ status: 'success', unsubscriptions: { symbols, mode: null, count: symbols.length } })
    })
    .get('/market-data', (c) => {
      const { symbol, exchange } = c.req.query()
      const refs = symbol && exchange ? [{ symbol, exchange }] : hub.symbols()
      const known = refs.flatMap((ref) => hub.last(ref) ?? [])
      const data =
        symbol && exchange
          ? (known.map(cached)[0] ?? {})
          : Object.fromEntries(known.map((tick) => [symbolKey(tick), cached(tick)]))
      return c.json({ status: 'success', data, timestamp: clock.now() })
    })
    .get('/health', (c) => c.json(health(parts)))
    .get('/trade-safe', (c) => {
      const { trade_management_safe: safe, trade_management_reason: reason } = health(parts)
      return c.json({ safe, reason, data_fresh: parts.feed().state === 'live' })
    })
    .get('/metrics', (c) => {
      const { status: _, message: __, ...metrics } = health(parts)
      return c.json({ status: 'success', metrics })
    })

  function receiverOf(c: Context<AppEnv>) {
    return stream.sessionReceiver(c.get('principal').username)
  }
}

/** The last tick of a symbol by kind (contract, market stream section 5, backend cache). */
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
  idle: 'No symbol is followed',
  closed: 'The market is closed',
  lost: 'The price feed is silent',
  disconnected: 'No broker is connected',
}

function health({ clients, feed, hub, stream, uptimeMs }: WebsocketRoutesParts) {
  const { age_ms: age, attempts, losses, state } = feed()
  const connected = stream.broker.connected()
  const healthy = state !== 'lost' && state !== 'disconnected'
  return {
    status: healthy ? 'healthy' : 'unhealthy',
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

async function readMessage(c: Context<AppEnv>): Promise<Message> {
  const body = await readJson(c)
  if (!isMessage(body)) throw new ServiceError('validation', NO_SYMBOLS)
  return body
}

/** Refusals of the stream in the words of these routes. */
function refusing<T>(change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    if (error.code === 'BROKER_ERROR') throw new ServiceError('unavailable', 'WebSocket is not connected')
    throw new ServiceError('validation', error.code === 'INVALID_MODE' ? BAD_MODE : NO_SYMBOLS)
  }
}

const modeOf = ({ mode }: Message): unknown => mode ?? MODE_LABELS[2]
