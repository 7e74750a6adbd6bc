import type { Instrument } from '../../../instruments/schema.js'
import type { StreamMode, Tick } from '../../../market/schema.js'
import type { BrokerContext } from '../../broker.js'
import { PooledFeed, type Subscription } from '../../kit/feed/pooled-feed.js'
import { tickOf } from '../../kit/feed/tick.js'
import { UnreadableFrames } from '../../kit/frames/unreadable-frames.js'
import { addressAt } from '../../kit/http/addresses.js'
import { notSent } from '../../kit/http/outcomes.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { AngelCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS, FEED_CONNECTIONS, FEED_LIMIT, manifest } from '../manifest.js'
import { UNITS } from '../units.js'
import { FEED_EXCHANGE, FEED_MODE } from '../words.js'
import { type AngelTick, decodeTicks } from './codec.js'

const PATH = '/smart-stream'
/** Angel answers each ping, so a connection that is silent for two of them and a half is dead. */
export const PING = { everyMs: 10_000, frame: 'ping' } as const
export const SILENCE_LIMIT_MS = 25_000
/** Too rare to notice a dead connection soon: a feed counts as lost after a few silent seconds. So the protocol pings, too. */
const PINGS = [PING, { everyMs: 1500, frame: 'protocol' }] as const

const MODES: readonly StreamMode[] = [1, 2, 3]
const SUBSCRIBE = 1
const UNSUBSCRIBE = 0

/** Prices over SmartStream, over up to three connections. Each packet is whole. */
export function angelTicks(
  context: BrokerContext,
  credentials: AngelCredentials,
  redact: (text: string) => string,
): PooledFeed<string> {
  const { clock, endpoints, log } = context
  const { apiKey, clientCode, feedToken, jwt } = credentials
  const unreadable = new UnreadableFrames(clock, log, 'angel.unreadable_frame')
  let requests = 0
  const send = (socket: BrokerSocket, action: number, subscriptions: readonly Subscription[]) => {
    for (const params of requestsOf(subscriptions)) {
      requests += 1
      socket.send(JSON.stringify({ correlationID: `svc${requests}`, action, params }))
    }
  }
  const connect = (place: number): BrokerSocket => {
    const socket: BrokerSocket = new BrokerSocket(
      {
        clock,
        log,
        name: 'price feed',
        address: () => addressAt(endpoints.feed ?? DEFAULT_ENDPOINTS.feed, PATH),
        headers: {
          Authorization: `Bearer ${jwt}`,
          'x-api-key': apiKey,
          'x-client-code': clientCode,
          'x-feed-token': feedToken ?? '',
        },
        ping: PINGS,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: context.sessionRefused,
      },
      {
        onOpen: () => send(socket, SUBSCRIBE, feed.at(place)),
        onBinary(bytes) {
          for (const tick of decodeTicks(bytes, (reason) => unreadable.note(reason))) {
            const subscription = feed.subscription(keyIn(tick))
            if (subscription) feed.tell(toTick(tick, subscription.instrument, clock.now()))
          }
        },
        /** Texts are answers to pings, and errors. */
        onText(text) {
          if (jsonOf(text) !== undefined) log.warn('angel.feed_error', { message: redact(text) })
        },
      },
    )
    return socket
  }
  const feed = new PooledFeed(context, {
    broker: manifest.displayName,
    sockets: FEED_CONNECTIONS,
    keysEach: FEED_LIMIT,
    keyOf: (instrument) => keyIn({ exchange: exchangeOf(instrument), token: instrument.token }),
    connect,
    begin: (socket, subscriptions) => send(socket, SUBSCRIBE, subscriptions),
    // A subscription belongs to its mode, so the old one ends before another begins.
    end: (socket, subscriptions) => send(socket, UNSUBSCRIBE, subscriptions),
  })
  return feed
}

/** Returns the exchange as the feed numbers it. @throws BrokerError `unsupported`, never sent */
function exchangeOf({ brokerExchange }: Instrument): number {
  const exchange = FEED_EXCHANGE[brokerExchange]
  if (exchange === undefined)
    throw notSent('unsupported', `Angel One streams no prices of ${brokerExchange}.`)
  return exchange
}

/** Returns what one request names for each mode that the subscriptions have. */
function requestsOf(subscriptions: readonly Subscription[]): object[] {
  return MODES.flatMap((mode) => {
    const tokens = new Map<number, string[]>()
    for (const { instrument, mode: wanted } of subscriptions) {
      if (wanted !== mode) continue
      const exchange = exchangeOf(instrument)
      tokens.set(exchange, [...(tokens.get(exchange) ?? []), instrument.token])
    }
    const tokenList = [...tokens].map(([exchangeType, each]) => ({ exchangeType, tokens: each }))
    return tokens.size === 0 ? [] : [{ mode: FEED_MODE[mode], tokenList }]
  })
}

function keyIn({ exchange, token }: { exchange: number; token: string }): string {
  return `${exchange}:${token}`
}

/** Converts a packet to a tick. */
export function toTick(tick: AngelTick, instrument: Instrument, receivedAt: number): Tick {
  const { day, exchangeTime, full, ltp } = tick
  const told = { ...day, ...full, ltp, prevClose: day?.close }
  return tickOf(UNITS, instrument, told, exchangeTime || receivedAt)
}
