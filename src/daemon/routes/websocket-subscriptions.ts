import { type Context, Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { BadRequest, isMessage, type Message, MODE_LABELS } from '../stream/market-request.js'
import type { MarketStream } from '../stream/market-stream.js'

export interface SubscriptionParts {
  stream: MarketStream
  /** The address of the market stream. */
  url: () => string
}

const NO_SYMBOLS = 'No symbols provided'
const BAD_MODE = 'Invalid mode. Must be one of: LTP, Quote, Depth'

/** What a user's pages follow, and to follow more or less, without a socket. */
export function subscriptionRoutes({ stream, url }: SubscriptionParts): Hono<AppEnv> {
  const receiverOf = (c: Context<AppEnv>) => stream.sessionReceiver(c.get('principal').username)
  const held = (c: Context<AppEnv>) =>
    stream.fanOut.topics(receiverOf(c)).map(({ ref, view }) => ({
      exchange: ref.exchange,
      symbol: view.symbol,
      mode: MODE_LABELS[view.mode],
    }))
  return new Hono<AppEnv>()
    .get('/status', (c) => {
      const connected = stream.broker.connected()
      const subscriptions = held(c)
      return c.json({
        status: 'success',
        connected,
        authenticated: connected,
        broker: stream.broker.id(),
        websocket_url: url(),
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
      const { acks } = await refusing(() => stream.subscriptions.follow(receiverOf(c), message))
      return c.json({
        status: 'success',
        subscriptions: { symbols: acks, mode: modeOf(message), count: acks.length },
      })
    })
    .post('/unsubscribe', async (c) => {
      const message = await readMessage(c)
      const { successful, failed } = await refusing(() =>
        stream.subscriptions.unfollow(receiverOf(c), message),
      )
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
}

async function readMessage(c: Context<AppEnv>): Promise<Message> {
  const body = await readJson(c)
  if (!isMessage(body)) throw new ServiceError('validation', NO_SYMBOLS)
  return body
}

/** Refusals of the stream in the words of these routes. */
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
