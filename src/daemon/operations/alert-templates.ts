import { z } from 'zod'
import { lineAlert, strategyAlert } from './answers/alert-templates.js'
import { signedIn } from './operation.js'
import { lineAlertPayload, tradingviewAlertPayload } from './payloads/alert-templates.js'

const access = signedIn('Access', 'api')

const shared = {
  scopes: ['admin'],
  errors: ['validation', 'not_found', 'too_large', 'unsupported_media'],
} as const
const CONTRACT = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }

/** The messages of alerts that place orders with the API key. They hold the key, so they need the scope that shows it. */
export const ALERT_TEMPLATE_OPERATIONS = {
  'POST /tradingview': access('Returns the message of a TradingView alert that places an order.', {
    ...shared,
    body: tradingviewAlertPayload,
    example: { ...CONTRACT, mode: 'strategy' },
    answer: z.union([strategyAlert, lineAlert]),
  }),
  'POST /gocharting': access('Returns the message of a GoCharting alert that places an order.', {
    ...shared,
    body: lineAlertPayload,
    example: { ...CONTRACT, action: 'BUY', quantity: 10 },
    answer: lineAlert,
  }),
}
