import { rateLimit } from '../kinds.js'
import { setting } from './describe.js'

/** How many requests of each kind the service takes. */
export const LIMITS = {
  ORDER_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the order endpoints, by client address.'),
  SMART_ORDER_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the smart order endpoint.'),
  API_RATE_LIMIT: setting(rateLimit, '50 per second', 'Limit of the other API and session routes.'),
  DATA_RATE_LIMIT: setting(
    rateLimit,
    '50 per second',
    'Limit of each market data, symbol and option endpoint.',
  ),
  SEARCH_RATE_LIMIT: setting(rateLimit, '10 per second', 'Limit of the search endpoint of the API.'),
  GREEKS_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of optiongreeks (the Greeks of one option).'),
  TELEGRAM_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of each Telegram endpoint.'),
  WHATSAPP_RATE_LIMIT: setting(rateLimit, '30 per minute', 'Limit of the WhatsApp endpoint.'),
  LOGIN_RATE_LIMIT_MIN: setting(rateLimit, '5 per minute', 'Short limit of sign-in attempts.'),
  LOGIN_RATE_LIMIT_HOUR: setting(rateLimit, '25 per hour', 'Long limit of sign-in attempts.'),
  WEBHOOK_RATE_LIMIT: setting(
    rateLimit,
    '100 per minute',
    'Limit of webhook calls: of those to workflows only calls with a wrong token, secret or signature count, of those to strategies every call, by address and by token.',
  ),
  STRATEGY_RATE_LIMIT: setting(
    rateLimit,
    '200 per minute',
    'Limit of all session routes of strategies together.',
  ),
  RESET_RATE_LIMIT: setting(rateLimit, '15 per hour', 'Limit of the steps of a password reset.'),
}
