import { z } from 'zod'
import { open, signedIn } from '../running.js'
import * as answers from './answers.js'
import { lineAlertPayload, tradingviewAlertPayload } from './payloads.js'

const access = signedIn('Access', 'api')

const shared = {
  scopes: ['admin'],
  errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
} as const
const CONTRACT = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }

const webhook = (summary: string, params: Readonly<Record<string, string>>, example: object) =>
  open('Strategies')(summary, {
    params: { token: 'The token of the strategy, which is the only credential.', ...params },
    limit: 'strategyWebhook',
    body: z.looseObject({}),
    example,
    answer: answers.delivery,
    others: {
      400: answers.refusedDelivery,
      403: answers.refusedDelivery,
      404: answers.unknownDelivery,
      409: answers.refusedDelivery,
      429: answers.limitedDelivery,
      500: answers.refusedDelivery,
    },
    errors: ['validation', 'forbidden', 'not_found', 'conflict', 'too_large', 'rate_limited', 'unavailable'],
  })

/**
 * The alerts of other systems: the public webhook of strategies, and the messages of alerts that place orders. Those
 * hold the API key, so they need the scope that shows it.
 */
export const ALERT_OPERATIONS = {
  'POST /strategy/webhook/:token': webhook(
    'Starts or stops a batch strategy, or sends a signal to a leg of a signal strategy.',
    {},
    { action: 'start', mode: 'sandbox' },
  ),
  'POST /strategy/webhook/:token/:sender': webhook(
    'Takes the alerts of TradingView strategies and ChartInk scans as signals.',
    { sender: '`tradingview` or `chartink`: the form of the body.' },
    { scan_name: 'Breakout BUY', stocks: 'SBIN,INFY', trigger_prices: '812.5,1520' },
  ),
  'POST /tradingview': access('Returns the message of a TradingView alert that places an order.', {
    ...shared,
    body: tradingviewAlertPayload,
    example: { ...CONTRACT, mode: 'strategy' },
    answer: z.union([answers.strategyAlert, answers.lineAlert]),
  }),
  'POST /gocharting': access('Returns the message of a GoCharting alert that places an order.', {
    ...shared,
    body: lineAlertPayload,
    example: { ...CONTRACT, action: 'BUY', quantity: 10 },
    answer: answers.lineAlert,
  }),
}
