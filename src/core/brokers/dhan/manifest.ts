import type { BrokerManifest } from '../broker.js'

/** The addresses of DhanHQ v2. Tests or the configuration may override them in `BrokerContext.endpoints`. */
export const DEFAULT_ENDPOINTS = {
  auth: 'https://auth.dhan.co',
  api: 'https://api.dhan.co/v2',
  feed: 'wss://api-feed.dhan.co',
  orders: 'wss://api-order-update.dhan.co',
  master: 'https://images.dhan.co',
} as const

/** Maximum number of instruments of one call for quotes. */
export const QUOTE_BATCH = 1000

/** Maximum number of instruments of one feed connection, of connections, and of instruments of one subscription. */
export const FEED_LIMIT = 5000
export const FEED_CONNECTIONS = 5
export const SUBSCRIPTION_LIMIT = 100

/** Dhan refuses every further change of an order. */
export const MOST_CHANGES = 25

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

/** Dhan, over DhanHQ v2. */
export const manifest: BrokerManifest = {
  id: 'dhan',
  displayName: 'Dhan',
  apiUrl: DEFAULT_ENDPOINTS.api,
  kind: 'in_stock',
  exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD', 'MCX', 'NSE_INDEX', 'BSE_INDEX'],
  products: ['CNC', 'MIS', 'NRML'],
  closesProducts: ['MTF'],
  priceTypes: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  instructions: ['IOC', 'amo'],
  // Forever orders last a year.
  gtt: { oco: true, limit: true, market: true, products: ['CNC', 'NRML'], expiry: false, order: 'tagged' },
  credentialFields: [
    { name: 'client_id', label: 'Client id', secret: false, required: true },
    {
      name: 'access_token',
      label: 'Access token (from the web console, instead of PIN and TOTP secret)',
      secret: true,
      required: false,
    },
    {
      name: 'pin',
      label: 'PIN (with the TOTP secret)',
      secret: true,
      required: false,
      keep: 'sealed',
    },
    {
      name: 'totp_secret',
      label: 'TOTP secret (with the PIN: signs in each day without you)',
      secret: true,
      required: false,
      keep: 'sealed',
    },
  ],
  // That an order is not found by its correlation id is not documented as proof.
  tagLookup: 'book',
  quotes: { maxBatch: QUOTE_BATCH },
  streaming: { modes: [1, 2, 3], depthLevels: [5] },
  orderUpdates: 'push',
  rateLimits: {
    quote: [{ count: 1, perMs: SECOND }],
    history: [
      { count: 5, perMs: SECOND },
      { count: 100_000, perMs: DAY },
    ],
    order: [
      { count: 10, perMs: SECOND },
      { count: 250, perMs: MINUTE },
      { count: 1000, perMs: HOUR },
      { count: 7000, perMs: DAY },
    ],
    other: [{ count: 20, perMs: SECOND }],
  },
  fractionalQuantity: false,
}
