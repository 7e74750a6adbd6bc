import type { BrokerManifest } from '../broker.js'

/**
 * The addresses of Upstox. Tests or the configuration may override them in `BrokerContext.endpoints`. Those of the feeds come
 * from Upstox with each connection.
 */
export const DEFAULT_ENDPOINTS = {
  login: 'https://api.upstox.com',
  api: 'https://api.upstox.com',
  hft: 'https://api-hft.upstox.com',
  master: 'https://assets.upstox.com',
} as const

/** Maximum number of instruments of one call for quotes. */
export const QUOTE_BATCH = 500

const SECOND = 1000
const MINUTE = 60_000
const HALF_HOUR = 1_800_000

/** Upstox, over its API of version 2 with the parts of version 3. */
export const manifest: BrokerManifest = {
  id: 'upstox',
  displayName: 'Upstox',
  apiUrl: DEFAULT_ENDPOINTS.api,
  kind: 'in_stock',
  exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'BCD', 'MCX', 'NSE_INDEX', 'BSE_INDEX', 'GLOBAL_INDEX'],
  products: ['CNC', 'MIS', 'NRML'],
  closesProducts: ['MTF'],
  priceTypes: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  instructions: ['IOC', 'amo', 'algo_id'],
  // Its multiple GTTs open a position first, and a fired rule sends an order without a price of ours.
  gtt: { oco: false, limit: false, market: true, products: ['CNC', 'NRML'], expiry: false, order: 'named' },
  credentialFields: [
    { name: 'api_key', label: 'API key', secret: false, required: true, step: 'begin' },
    { name: 'api_secret', label: 'API secret (with a code)', secret: true, required: false, step: 'begin' },
    { name: 'code', label: 'Code of the redirect', secret: true, required: false },
    {
      name: 'access_token',
      label: 'Access token (instead of secret and code)',
      secret: true,
      required: false,
    },
  ],
  // Neither the book nor the history of a tag is documented as proof that an order never arrived.
  tagLookup: 'book',
  quotes: { maxBatch: QUOTE_BATCH },
  streaming: { modes: [1, 2, 3], depthLevels: [5] },
  orderUpdates: 'push',
  // Both hosts count for the same user.
  rateLimits: {
    order: [
      { count: 10, perMs: SECOND },
      { count: 500, perMs: MINUTE },
      { count: 2000, perMs: HALF_HOUR },
    ],
    other: [
      { count: 50, perMs: SECOND },
      { count: 500, perMs: MINUTE },
      { count: 2000, perMs: HALF_HOUR },
    ],
  },
  fractionalQuantity: false,
}
