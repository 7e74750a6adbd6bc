import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Principal } from '../../../core/identity/index.js'
import { isObject } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import type { AppEnv } from '../../process/env.js'
import { BadRequest, type Message, MODE_LABELS } from '../../stream/market/request.js'
import type { MarketStream } from '../../stream/market/stream.js'
import { count, ok, text } from '../common/answers.js'
import { http, signedIn } from '../running.js'

const stream = signedIn('Stream', 'api')

const reading = { scopes: ['read', 'settings'] } as const
const changing = { scopes: ['settings'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const
const VIEW = { unrecorded: 'Which prices a page follows, in memory only.' }
const FOLLOW = { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }], mode: 'Quote' }

const NO_SYMBOLS = 'No symbols provided'
const BAD_MODE = 'Invalid mode. Must be one of: LTP, Quote, Depth'

const followPayload = z.looseObject({
  symbols: z.array(z.union([z.string(), z.object({ symbol: z.string(), exchange: z.string() })])),
  mode: z.union([z.enum(['LTP', 'Quote', 'Depth']), z.int().min(1).max(3)]).optional(),
})

const followed = z.array(z.strictObject({ exchange: text, symbol: text, mode: text }))
const streamStatus = ok({
  connected: z.boolean(),
  authenticated: z.boolean(),
  broker: text,
  websocket_url: text,
  active_subscriptions: count,
  subscriptions: followed,
})
const subscriptions = ok({ subscriptions: followed, count, broker: text })

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
const subscribed = ok({ subscriptions: acks })
const unsubscribed = ok({ unsubscriptions: acks })

/** The subscriptions of a session's pages, without a socket. */
export const SUBSCRIPTION_OPERATIONS = {
  'GET /api/websocket/status': stream('Returns the state of the market stream.', {
    ...reading,
    answer: streamStatus,
    run: ({ daemon: { marketStream, wsUrl } }, _input, { principal }) => {
      const connected = marketStream.broker.connected()
      const subscriptions = subscriptionsOf(marketStream, principal)
      return {
        status: 'success',
        connected,
        authenticated: connected,
        broker: marketStream.broker.id(),
        websocket_url: wsUrl,
        active_subscriptions: subscriptions.length,
        subscriptions,
      }
    },
  }),
  'GET /api/websocket/subscriptions': stream('Lists the subscriptions of the session.', {
    ...reading,
    answer: subscriptions,
    run: ({ daemon: { marketStream } }, _input, { principal }) => {
      const subscriptions = subscriptionsOf(marketStream, principal)
      return {
        status: 'success',
        subscriptions,
        count: subscriptions.length,
        broker: marketStream.broker.id(),
      }
    },
  }),
  // The stream parses these bodies itself and has its own messages for invalid ones.
  'POST /api/websocket/subscribe': stream('Subscribes to symbols.', {
    ...changing,
    body: followPayload,
    example: FOLLOW,
    answer: subscribed,
    errors: json,
    audit: VIEW,
    run: http('its own refusals', async ({ daemon: { marketStream } }, c) => {
      const message = await readMessage(c)
      const { acks } = await refusing(() =>
        marketStream.subscriptions.follow(receiverOf(marketStream, c), message),
      )
      return c.json({
        status: 'success',
        subscriptions: { symbols: acks, mode: modeOf(message), count: acks.length },
      })
    }),
  }),
  'POST /api/websocket/unsubscribe': stream('Unsubscribes from symbols.', {
    ...changing,
    body: followPayload,
    example: FOLLOW,
    answer: unsubscribed,
    errors: json,
    audit: VIEW,
    run: http('its own refusals', async ({ daemon: { marketStream } }, c) => {
      const message = await readMessage(c)
      const { successful, failed } = await refusing(() =>
        marketStream.subscriptions.unfollow(receiverOf(marketStream, c), message),
      )
      const symbols = [...successful, ...failed]
      return c.json({
        status: 'success',
        unsubscriptions: { symbols, mode: modeOf(message), count: symbols.length },
      })
    }),
  }),
  'POST /api/websocket/unsubscribe-all': stream('Unsubscribes from all symbols.', {
    ...changing,
    answer: unsubscribed,
    audit: VIEW,
    run: ({ daemon: { marketStream } }, _input, { principal }) => {
      const symbols = marketStream.subscriptions.unfollowAll(marketStream.sessionReceiver(principal))
      return { status: 'success', unsubscriptions: { symbols, mode: null, count: symbols.length } }
    },
  }),
}

function subscriptionsOf(stream: MarketStream, principal: Principal) {
  return stream.fanOut.topics(stream.sessionReceiver(principal)).map(({ ref, view }) => ({
    exchange: ref.exchange,
    symbol: view.symbol,
    mode: MODE_LABELS[view.mode],
  }))
}

const receiverOf = (stream: MarketStream, c: Context<AppEnv>) => stream.sessionReceiver(c.get('principal'))

async function readMessage(c: Context<AppEnv>): Promise<Message> {
  const body = await readJson(c)
  if (!isObject(body)) throw new ServiceError('validation', NO_SYMBOLS)
  return body
}

/**
 * Runs a change of the stream's subscriptions and translates its refusals into the messages of these operations.
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
