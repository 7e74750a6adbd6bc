import type { Config } from '../../core/config/index.js'

/* The words in which an operation states its facts: its chapter, credential, headers and rate group. */

/** The chapters of the API reference, in its order. */
export const TAGS = {
  Orders: 'Placing, changing and cancelling orders.',
  'Good till triggered': 'Orders that wait for a trigger price, for up to a year.',
  Account: 'Orders, trades, positions, holdings, funds, margin and the mode of the account.',
  'Market data': 'Quotes, depth and history.',
  Instruments: 'Tradable instruments.',
  Options: 'Option symbols, chains and Greeks.',
  Calendar: 'Holidays and trading hours, in Indian time.',
  Messages: 'Telegram, WhatsApp and e-mail; and preferences of clients.',
  'Action Center': 'Orders that wait for approval.',
  Access: 'Set-up, sessions, tokens and the API key.',
  Audit: 'The acts that changed state, each row sealed to the one before.',
  Security: 'Banned addresses, and the rules by which the service bans by itself.',
  Control: 'Modes, risk, the order journal and the broker.',
  Sandbox: 'The simulated account.',
  Logs: 'What was requested, and what was answered.',
  Stream: 'The market stream for signed-in pages.',
  Administration: 'Freeze quantities, holidays and trading hours.',
  Search: 'Symbol search for signed-in users.',
  Assistants: 'Assistants that connect by MCP: how they get access, and what they did.',
  Strategies: 'Legs that are opened, watched and closed together, or by signals.',
  Workflows: 'Graphs of nodes, started by a schedule, webhook, price alert, order update or by hand.',
  Backup: 'Copies of the databases, made while the service runs.',
  Diagnostics: 'The errors of the service, the state of the installation, and probes of its connections.',
  Service: 'Health and version.',
} as const
export type Tag = keyof typeof TAGS

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/**
 * The credential that an operation requires: `apikey` in the body (or query) or as `X-API-KEY`; a session or
 * a personal access token; or none.
 */
export type Auth = 'apikey' | 'session' | 'none'

/**
 * What a change does to an account whose orders are live: it sends an order (`order`), starts something that will send
 * orders by itself (`start`), changes what may trade (`change`), cancels an order or closes a position (`end`), or takes
 * risk away in another way (`less`).
 */
export type LiveEffect = 'order' | 'start' | 'change' | 'end' | 'less'

/** Request headers that change how an operation runs. */
export const REQUEST_HEADERS = {
  'Idempotency-Key':
    "The caller's own key for this request, up to 255 characters, stored for 24 hours. A retry with the same key is not executed again.",
  'X-Request-Timeout':
    'How long the caller waits, in seconds: above 0 and up to 3600, default 30. After that the request sends nothing.',
  'X-Only-Mode':
    'live or analyze: where orders go now must be this, when the request is sent, simulated or queued. Otherwise it is refused (409, `conflict`), and nothing is sent.',
  'X-Dry-Run':
    'With any value, nothing is queued, simulated or sent; the answer describes the checks and the margin.',
  'webhook-id':
    'Signed webhooks: the id of the message, without a dot. The same id starts no second run for 24 hours.',
  'webhook-timestamp': 'Signed webhooks: Unix seconds, at most 5 minutes from the clock of the service.',
  'webhook-signature':
    'Signed webhooks: `v1,` and the base64 of the HMAC-SHA256 over `<id>.<timestamp>.<body>`.',
  'X-Setup-Token': 'The text of the file setup-token, for setup from another machine.',
} as const
export type RequestHeader = keyof typeof REQUEST_HEADERS

/** The names of the settings that hold a rate limit. */
type RateSetting = Extract<keyof Config, `${string}_RATE_LIMIT${string}`>

type RateGroupFacts =
  | {
      settings: readonly RateSetting[]
      counts?: 'wrong credentials' | 'calls of strangers' | 'addresses and tokens' | 'all routes together'
    }
  | { fixed: string }

/**
 * The groups of routes with the same rate limit: the configuration keys that set it, or the limit itself where
 * it is fixed. Each route is counted separately unless the group says otherwise. A route without a group has no limit.
 */
export const RATE_GROUPS = {
  order: { settings: ['ORDER_RATE_LIMIT'] },
  smart: { settings: ['SMART_ORDER_RATE_LIMIT'] },
  api: { settings: ['API_RATE_LIMIT'] },
  data: { settings: ['DATA_RATE_LIMIT'] },
  search: { settings: ['SEARCH_RATE_LIMIT'] },
  greeks: { settings: ['GREEKS_RATE_LIMIT'] },
  telegram: { settings: ['TELEGRAM_RATE_LIMIT'] },
  whatsapp: { settings: ['WHATSAPP_RATE_LIMIT'] },
  login: { settings: ['LOGIN_RATE_LIMIT_MIN', 'LOGIN_RATE_LIMIT_HOUR'], counts: 'calls of strangers' },
  reset: { settings: ['RESET_RATE_LIMIT'], counts: 'calls of strangers' },
  /** Only calls with a wrong token or secret count: an alert that is sent often must not get lost. */
  webhook: { settings: ['WEBHOOK_RATE_LIMIT'], counts: 'wrong credentials' },
  /** Every call counts, because each one may start orders. */
  strategyWebhook: { settings: ['WEBHOOK_RATE_LIMIT'], counts: 'addresses and tokens' },
  strategy: { settings: ['STRATEGY_RATE_LIMIT'], counts: 'all routes together' },
  threeHundredAMinute: { fixed: '300 per minute' },
  sixtyAMinute: { fixed: '60 per minute' },
  twentyAMinute: { fixed: '20 per minute' },
  tenAnHour: { fixed: '10 per hour' },
  consent: { fixed: '30 per minute;200 per hour' },
  thirtyAMinute: { fixed: '30 per minute' },
  tenAMinute: { fixed: '10 per minute' },
  fiveAMinute: { fixed: '5 per minute' },
} as const satisfies Record<string, RateGroupFacts>
export type RateGroup = keyof typeof RATE_GROUPS
