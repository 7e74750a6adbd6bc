import type { BrokerManifest } from '../broker.js'

/** The addresses of SmartAPI. Tests or the configuration may override them in `BrokerContext.endpoints`. */
export const DEFAULT_ENDPOINTS = {
  api: 'https://apiconnect.angelone.in',
  feed: 'wss://smartapisocket.angelone.in',
  orders: 'wss://tns.angelone.in',
  master: 'https://margincalculator.angelone.in',
} as const

/** Maximum number of instruments of one quote call. */
export const QUOTE_BATCH = 50

/** Maximum number of instruments of one connection of the feed, and of its connections. */
export const FEED_LIMIT = 1000
export const FEED_CONNECTIONS = 3

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000

/** The limits that several kinds of calls have, each for itself. */
const DATA = [
  { count: 10, perMs: SECOND },
  { count: 500, perMs: MINUTE },
  { count: 5000, perMs: HOUR },
] as const
const ONCE_A_SECOND = [{ count: 1, perMs: SECOND }] as const

/** Angel One, over SmartAPI. */
export const manifest: BrokerManifest = {
  id: 'angel',
  displayName: 'Angel One',
  apiUrl: DEFAULT_ENDPOINTS.api,
  kind: 'in_stock',
  // What Angel counts on MCX and CDS is not documented: their contracts are quoted and shown, and never traded.
  exchanges: ['NSE', 'BSE', 'NFO', 'BFO', 'CDS', 'MCX', 'NSE_INDEX', 'BSE_INDEX', 'MCX_INDEX'],
  products: ['CNC', 'MIS', 'NRML'],
  closesProducts: ['MTF'],
  priceTypes: ['MARKET', 'LIMIT', 'SL', 'SL-M'],
  instructions: ['IOC', 'amo'],
  // A rule has one trigger, and two rules do not cancel each other. Each is kept for a year. Its word for NRML is not documented.
  gtt: { oco: false, limit: true, market: true, products: ['CNC'], expiry: false, order: 'unnamed' },
  credentialFields: [
    { name: 'api_key', label: 'API key', secret: false, required: true, keep: 'sealed' },
    { name: 'client_code', label: 'Client code', secret: false, required: true, keep: 'sealed' },
    { name: 'pin', label: 'PIN', secret: true, required: true, keep: 'sealed' },
    {
      name: 'totp_secret',
      label: 'TOTP secret (the text beside the QR code)',
      secret: true,
      required: true,
      keep: 'sealed',
    },
  ],
  // The order book can lag behind an order that was accepted, so finding nothing proves nothing.
  tagLookup: 'book',
  quotes: { maxBatch: QUOTE_BATCH },
  streaming: { modes: [1, 2, 3], depthLevels: [5] },
  orderUpdates: 'push',
  rateLimits: {
    // Angel's page says 20 a second; the exchanges allow 10 without a registered strategy, of which the budget uses 9.
    order: [
      { count: 10, perMs: SECOND },
      { count: 500, perMs: MINUTE },
      { count: 1000, perMs: HOUR },
    ],
    book: ONCE_A_SECOND,
    trades: ONCE_A_SECOND,
    positions: ONCE_A_SECOND,
    holdings: ONCE_A_SECOND,
    funds: [{ count: 2, perMs: SECOND }],
    details: DATA,
    quote: DATA,
    margin: DATA,
    gtt: DATA,
    history: [
      { count: 3, perMs: SECOND },
      { count: 500, perMs: MINUTE },
      { count: 5000, perMs: HOUR },
    ],
    login: ONCE_A_SECOND,
    other: ONCE_A_SECOND,
  },
  fractionalQuantity: false,
}
