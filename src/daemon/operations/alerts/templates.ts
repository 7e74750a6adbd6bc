import { z } from 'zod'
import { ACTIONS, PRODUCTS } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { plainError } from '../../http/body/plain-error.js'
import { text } from '../common/answers.js'
import { signedIn } from '../running.js'

const access = signedIn('Access', 'api')

const templateFacts = {
  scopes: ['admin'],
  fresh: true,
  plainErrors: true,
  errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
} as const
const CONTRACT = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }

/** Senders of the public API know this text. */
const MISSING_FIELDS = 'Missing required fields'

const named = () => z.string(MISSING_FIELDS).trim().toUpperCase().min(1, MISSING_FIELDS).max(100)
const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, {
    error: ({ input }) => (input === undefined ? MISSING_FIELDS : `Must be one of: ${words.join(', ')}.`),
  })
const contract = { symbol: named(), exchange: named(), product: oneOf(PRODUCTS) }
const quantity = fields.integer().refine((units) => units > 0, 'Must be greater than 0.')

/**
 * TradingView fills these in when the alert fires. The target alone decides: with a quantity, a repeated exit would open
 * the reverse position.
 */
const PLACEHOLDERS = {
  action: '{{strategy.order.action}}',
  quantity: '0',
  position_size: '{{strategy.position_size}}',
} as const

const lineAlertPayload = z.strictObject({ ...contract, action: oneOf(ACTIONS), quantity })
const tradingviewAlertPayload = z.strictObject({
  ...contract,
  mode: oneOf(['strategy', 'line']).default('strategy'),
  action: oneOf(ACTIONS).optional(),
  quantity: quantity.optional(),
})

const alertOrder = {
  apikey: text,
  symbol: text,
  exchange: text,
  pricetype: z.literal('MARKET'),
  product: z.enum(PRODUCTS),
}

const lineAlert = z.strictObject({
  ...alertOrder,
  strategy: z.enum(['TradingView Line Alert', 'GoCharting']),
  action: z.enum(ACTIONS),
  quantity: text,
})
const strategyAlert = z.strictObject({
  ...alertOrder,
  strategy: z.literal('TradingView Strategy'),
  action: text,
  quantity: text,
  position_size: text,
})

/** The messages of alerts that place orders. They hold the API key, so they need the scope and the proof that show it. */
export const ALERT_TEMPLATE_OPERATIONS = {
  'POST /tradingview': access('Returns the message of a TradingView alert that places an order.', {
    ...templateFacts,
    body: tradingviewAlertPayload,
    example: { ...CONTRACT, mode: 'strategy' },
    answer: z.union([strategyAlert, lineAlert]),
    audit: { act: 'alert.make_message' },
    run: ({ identity, instruments }, { body }, { username }) => {
      const { action, mode, quantity, ...contract } = body
      const message = messageFor({ identity, instruments }, contract, username)
      if (mode === 'strategy') return { ...message, strategy: 'TradingView Strategy', ...PLACEHOLDERS }
      if (action === undefined || quantity === undefined) throw plainError('validation', MISSING_FIELDS)
      return { ...message, strategy: 'TradingView Line Alert', action, quantity: String(quantity) }
    },
  }),
  'POST /gocharting': access('Returns the message of a GoCharting alert that places an order.', {
    ...templateFacts,
    body: lineAlertPayload,
    example: { ...CONTRACT, action: 'BUY', quantity: 10 },
    answer: lineAlert,
    audit: { act: 'alert.make_message' },
    run: (service, { body: { action, quantity, ...contract } }, { username }) => ({
      ...messageFor(service, contract, username),
      strategy: 'GoCharting',
      action,
      quantity: String(quantity),
    }),
  }),
}

type Contract = Pick<z.output<typeof lineAlertPayload>, 'symbol' | 'exchange' | 'product'>

/** Returns what every message of an alert has. @throws ServiceError `not_found` without an API key or such a symbol */
function messageFor(
  { identity, instruments }: Pick<RunningService, 'identity' | 'instruments'>,
  { exchange, product, symbol }: Contract,
  username: string,
) {
  const apikey = identity.apiKeys.reveal(username)
  if (apikey === undefined) throw plainError('not_found', 'API key not found')
  if (!instruments.directory.find(symbol, exchange)) throw plainError('not_found', 'Symbol not found')
  return { apikey, symbol, exchange, pricetype: 'MARKET', product } as const
}
