import type { Instrument } from '../../../instruments/schema.js'
import type { StreamMode } from '../../../market/schema.js'
import { type BrokerContext, BrokerError } from '../../broker.js'
import { PooledFeed, type Subscription } from '../../kit/feed/pooled-feed.js'
import { TickMerger } from '../../kit/feed/tick-merger.js'
import { UnreadableFrames } from '../../kit/frames/unreadable-frames.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { DhanCredentials } from '../api.js'
import { OUTCOMES } from '../errors.js'
import { DEFAULT_ENDPOINTS, FEED_CONNECTIONS, FEED_LIMIT, manifest, SUBSCRIPTION_LIMIT } from '../manifest.js'
import { REQUEST_CODE, SEGMENT_OF_NUMBER } from '../words.js'
import { decoded, type FeedPacket, subscriptionFrame } from './codec.js'
import { TradeTimes, toTick } from './ticks.js'

/** Dhan pings every ten seconds, too rarely to notice a dead connection soon. */
const PING = { everyMs: 1500, frame: 'protocol' } as const
const SILENCE_LIMIT_MS = 15_000
const MODES: readonly StreamMode[] = [1, 2, 3]

type Part = Extract<FeedPacket, { kind: 'part' }>

/** Prices, over up to five connections. They come in parts. */
export function dhanPriceFeed(context: BrokerContext, credentials: DhanCredentials): PooledFeed<string> {
  const { clock, log } = context
  const merger = new TickMerger<string>()
  const times = new TradeTimes()
  const unreadable = new UnreadableFrames(clock, log, 'dhan.unreadable_frame')

  /** What is known of them is forgotten: another mode may tell less, and the server sends again what it sends once. */
  const forget = (subscriptions: readonly Subscription[]) => {
    for (const { instrument } of subscriptions) merger.forget(keyOf(instrument))
  }
  const onPart = ({ part, securityId, segment }: Part) => {
    const key = `${SEGMENT_OF_NUMBER[segment] ?? segment}:${securityId}`
    const subscription = feed.subscription(key)
    const known = subscription && merger.merge(key, part)
    if (!known) return
    const now = clock.now()
    const tradedAt = known.timestamp === undefined ? now : times.of(known.timestamp, now)
    feed.tell(toTick(subscription.instrument, known, tradedAt))
  }
  const connect = (place: number): BrokerSocket => {
    const address = addressOf(context, credentials)
    const socket: BrokerSocket = new BrokerSocket(
      {
        clock,
        log,
        name: 'price feed',
        address: () => address,
        ping: PING,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: context.sessionRefused,
      },
      {
        onOpen() {
          forget(feed.at(place))
          for (const frame of framesOf(feed.at(place), 'on')) socket.send(frame)
        },
        onBinary(bytes) {
          for (const packet of decoded(bytes, (reason) => unreadable.note(reason))) {
            if (packet.kind === 'part') onPart(packet)
            else onDisconnect(context, socket, packet.reason)
          }
        },
        onText: () => undefined,
      },
    )
    return socket
  }
  const feed = new PooledFeed(context, {
    broker: manifest.displayName,
    sockets: FEED_CONNECTIONS,
    keysEach: FEED_LIMIT,
    keyOf,
    connect,
    begin(socket, subscriptions) {
      for (const frame of framesOf(subscriptions, 'on')) socket.send(frame)
    },
    end(socket, subscriptions) {
      forget(subscriptions)
      for (const frame of framesOf(subscriptions, 'off')) socket.send(frame)
    },
  })
  return feed
}

function addressOf({ endpoints }: BrokerContext, { accessToken, clientId }: DhanCredentials): string {
  const address = new URL(endpoints.feed ?? DEFAULT_ENDPOINTS.feed)
  const query = { version: '2', token: accessToken, clientId, authType: '2' }
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address.href
}

/** The server says why it ends a connection, then does so. Without a session or a right to prices, another dial is useless. */
function onDisconnect({ log }: BrokerContext, socket: BrokerSocket, reason: number): void {
  const { kind } = OUTCOMES[reason] ?? { kind: 'network' }
  if (kind !== 'auth' && kind !== 'permission') {
    log.warn('dhan.feed_disconnected', { reason })
    return
  }
  socket.refuse(
    new BrokerError(kind, `The price feed refused the connection (${reason}).`, {
      brokerCode: String(reason),
      sent: 'yes',
    }),
  )
}

function keyOf({ brokerExchange, token }: Instrument): string {
  return `${brokerExchange}:${token}`
}

function framesOf(subscriptions: readonly Subscription[], way: 'on' | 'off'): string[] {
  return MODES.flatMap((mode) => {
    const instruments = subscriptions
      .filter((each) => each.mode === mode)
      .map(({ instrument }) => ({
        ExchangeSegment: instrument.brokerExchange,
        SecurityId: instrument.token,
      }))
    const starts = Array.from(
      { length: Math.ceil(instruments.length / SUBSCRIPTION_LIMIT) },
      (_, part) => part,
    )
    return starts.map((part) => {
      const from = part * SUBSCRIPTION_LIMIT
      return subscriptionFrame(REQUEST_CODE[mode][way], instruments.slice(from, from + SUBSCRIPTION_LIMIT))
    })
  })
}
