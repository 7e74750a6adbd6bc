import { SIGNALS, type Signal } from '../../config/vocabulary.js'
import { isOneOf } from '../batch.js'
import { canHold, type SignalRequest, wordOf } from '../signal.js'
import type { WebhookStrategy } from '../strategies.js'
import type { AlertSender, Body } from './sender.js'

const POSITIONS = ['long', 'short', 'flat'] as const
type Position = (typeof POSITIONS)[number]
type Order = 'buy' | 'sell'
interface Problem {
  readonly problem: string
}

const POSITION_NEEDED =
  "Add 'market_position' or 'position_size': without them an order cannot be told from the end of a position"
const CONTRADICTION = "'market_position' and 'position_size' contradict each other"

/**
 * Alerts of TradingView strategies. They name an order (`{{strategy.order.action}}`) and the position after it
 * (`{{strategy.market_position}}`, `{{strategy.position_size}}`), which decide the signal together.
 */
export const tradingview: AlertSender = {
  translate(body, strategy) {
    const word = wordOf(body.action)
    const { exchange, leg_id: legId, ticker } = body
    // Beside a leg, the ticker says only which chart the alert is of: the legs may be its options.
    const symbol = body.symbol ?? (legId === undefined || legId === null || legId === '' ? ticker : undefined)
    const order = { action: word, legId, symbol, exchange }
    const signal = isOneOf(SIGNALS, word) ? word : signalOf(body, order, strategy)
    return typeof signal === 'string' ? [{ ...order, action: signal }] : signal
  },
}

function signalOf(
  body: Body,
  request: SignalRequest & { action: string },
  strategy: WebhookStrategy,
): Signal | Problem {
  const { action: order } = request
  const { direction } = strategy
  if (order !== 'buy' && order !== 'sell') {
    return { problem: `'action' must be one of buy, sell, ${SIGNALS.join(', ')}` }
  }
  const after = positionAfter(body)
  if (typeof after === 'object') return after
  if (after !== undefined) {
    // An order through zero ends the position where the other side cannot be held: the alert is not sent again.
    const isHeld = after === 'flat' || canHold(request, strategy, after)
    return withPosition(order, isHeld ? after : 'flat')
  }
  // With one direction, every order against it ends the position.
  if (direction === 'both') return { problem: POSITION_NEEDED }
  if (direction === 'long_only') return order === 'buy' ? 'long_entry' : 'long_exit'
  return order === 'sell' ? 'short_entry' : 'short_exit'
}

/** @param after a position that the strategy can hold */
function withPosition(order: Order, after: Position): Signal | Problem {
  if (after === 'flat') return order === 'buy' ? 'short_exit' : 'long_exit'
  if (after === (order === 'buy' ? 'long' : 'short')) return order === 'buy' ? 'long_entry' : 'short_entry'
  return {
    problem: `A ${order} that leaves a ${after} position is a partial exit, which a strategy does not have`,
  }
}

/** Returns the position after the order as both members give it; undefined if the body has neither. */
function positionAfter(body: Body): Position | Problem | undefined {
  const given = [
    read(body.market_position, positionNamed, "'market_position' must be long, short or flat"),
    read(body.position_size, positionSized, "'position_size' must be a number"),
  ].flatMap((position) => position ?? [])
  const problem = given.find((position) => typeof position === 'object')
  const [first, second = first] = given
  return problem ?? (first === second ? first : { problem: CONTRADICTION })
}

/** A member that is there and means nothing is a mistake in the alert, not an alert without a position. */
function read(
  value: unknown,
  parse: (text: string) => Position | undefined,
  rule: string,
): Position | Problem | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (text === undefined || text === null || text === '') return undefined
  return (typeof text === 'string' ? parse(text.trim().toLowerCase()) : undefined) ?? { problem: rule }
}

const positionNamed = (text: string) => POSITIONS.find((position) => position === text)

function positionSized(text: string): Position | undefined {
  const size = text === '' ? Number.NaN : Number(text)
  if (Number.isNaN(size)) return undefined
  return size > 0 ? 'long' : size < 0 ? 'short' : 'flat'
}
