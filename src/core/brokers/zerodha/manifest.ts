import type { BrokerManifest } from '../broker.js'

/**
 * The addresses of Kite Connect. Tests or the configuration may override them in `BrokerContext.endpoints`.
 */
export const DEFAULT_ENDPOINTS = {
  login: 'https://kite.zerodha.com',
  api: 'https://api.kite.trade',
  ticker: 'wss://ws.kite.trade',
} as const

/** Maximum number of instruments of one `GET /quote`. */
export const QUOTE_BATCH = 500

/** Maximum number of instruments of one ticker connection. */
export const TICKER_LIMIT = 3000

/** Maximum number of ticker connections of one key. */
export const TICKER_CONNECTIONS = 3

const SECOND = 1000
const MINUTE = 60_000
const DAY = 86_400_000

/** Zerodha, over Kite Connect v3. */
export const manifest: BrokerManifest = {
  id: 'zerodha',
  displayName: 'Zerodha',
  apiUrl: DEFAULT_ENDPOINTS.api,
  kind: 'in_stock',
  exchanges: [
    'NSE',
    'BSE',
    'NFO',
    'BFO',
    'CDS',
    'MCX',
    'NCO',
    'NSE_INDEX',
    'BSE_INDEX',
    'MCX_INDEX',
    'GLOBAL_INDEX',
  ],
  products: ['CNC', 'MIS', 'NRML'],
  closesProducts: ['MTF'],
  priceTypes: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  instructions: ['IOC', 'TTL', 'amo', 'iceberg', 'market_protection', 'algo_id'],
  // Kite keeps each for a year.
  gtt: { oco: true, limit: true, market: true, products: ['CNC', 'NRML'], expiry: false, order: 'named' },
  credentialFields: [
    { name: 'api_key', label: 'API key', secret: false, required: true, step: 'begin' },
    {
      name: 'api_secret',
      label: 'API secret (with a request token)',
      secret: true,
      required: false,
      step: 'begin',
    },
    { name: 'request_token', label: 'Request token of the redirect', secret: true, required: false },
    {
      name: 'access_token',
      label: 'Access token (instead of secret and request token)',
      secret: true,
      required: false,
    },
  ],
  // The order book can lag behind an order that the gateway accepted, so finding nothing proves nothing.
  tagLookup: 'book',
  quotes: { maxBatch: QUOTE_BATCH },
  streaming: { modes: [1, 2, 3], depthLevels: [5] },
  orderUpdates: 'push',
  rateLimits: {
    quote: [{ count: 1, perMs: SECOND }],
    history: [{ count: 3, perMs: SECOND }],
    order: [
      { count: 10, perMs: SECOND },
      { count: 400, perMs: MINUTE },
      { count: 5000, perMs: DAY },
    ],
    other: [{ count: 10, perMs: SECOND }],
  },
  fractionalQuantity: false,
}
