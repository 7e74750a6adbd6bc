import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { readJson } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { AppEnv } from '../../process/env.js'
import { BadRequest, isMessage, type Message, MODE_LABELS } from '../../stream/market/request.js'
import type { MarketStream } from '../../stream/market/stream.js'

export interface SubscriptionParts {
  stream: MarketStream
  /** The address of the market stream. */
  url: () => string
}

const NO_SYMBOLS = 'No symbols provided'
const BAD_MODE = 'Invalid mode. Must be one of: LTP, Quote, Depth'

/** Returns the handlers that list, add and remove the subscriptions of a user's pages without a socket. */
export function subscriptionHandlers({ stream, url }: SubscriptionParts) {
  const subscriptionsOf = (username: string) =>
    stream.fanOut.topics(stream.sessionReceiver(username)).map(({ ref, view }) => ({
      exchange: ref.exchange,
      symbol: view.symbol,
      mode: MODE_LABELS[view.mode],
    }))
  const receiverOf = (c: Context<AppEnv>) => stream.sessionReceiver(c.get('principal').username)
  return {
    'GET /api/websocket/status': (_input, { username }) => {
      const connected = stream.broker.connected()
      const subscriptions = subscriptionsOf(username)
      return {
        status: 'success',
        connected,
        authenticated: connected,
        broker: stream.broker.id(),
        websocket_url: url(),
        active_subscriptions: subscriptions.length,
        subscriptions,
      }
    },
    'GET /api/websocket/subscriptions': (_input, { username }) => {
      const subscriptions = subscriptionsOf(username)
      return {
        status: 'success',
        subscriptions,
        count: subscriptions.length,
        broker: stream.broker.id(),
      }
    },
    // The stream parses these bodies itself and has its own messages for invalid ones.
    'POST /api/websocket/subscribe': httpHandler(async (c) => {
      const message = await readMessage(c)
      const { acks } = await refusing(() => stream.subscriptions.follow(receiverOf(c), message))
      return c.json({
        status: 'success',
        subscriptions: { symbols: acks, mode: modeOf(message), count: acks.length },
      })
    }),
    'POST /api/websocket/unsubscribe': httpHandler(async (c) => {
      const message = await readMessage(c)
      const { successful, failed } = await refusing(() =>
        stream.subscriptions.unfollow(receiverOf(c), message),
      )
      const symbols = [...successful, ...failed]
      return c.json({
        status: 'success',
        unsubscriptions: { symbols, mode: modeOf(message), count: symbols.length },
      })
    }),
    'POST /api/websocket/unsubscribe-all': (_input, { username }) => {
      const symbols = stream.subscriptions.unfollowAll(stream.sessionReceiver(username))
      return { status: 'success', unsubscriptions: { symbols, mode: null, count: symbols.length } }
    },
  } satisfies Partial<Handlers>
}

async function readMessage(c: Context<AppEnv>): Promise<Message> {
  const body = await readJson(c)
  if (!isMessage(body)) throw new ServiceError('validation', NO_SYMBOLS)
  return body
}

/**
 * Runs a change of the stream's subscriptions and translates its refusals into the messages of these routes.
 */
async function refusing<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    if (error.code === 'BROKER_ERROR') throw new ServiceError('unavailable', 'WebSocket is not connected')
    throw new ServiceError('validation', error.code === 'INVALID_MODE' ? BAD_MODE : NO_SYMBOLS)
  }
}

const modeOf = ({ mode }: Message): unknown => mode ?? MODE_LABELS[2]
