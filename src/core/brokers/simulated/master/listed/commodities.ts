/** A commodity future of the MCX, with or without options. Quantities are in the unit of the price. */
export interface Commodity {
  symbol: string
  basePrice: number
  /** Annual, percent. */
  volatility: number
  freezeQuantity: number
  tickSize: number
  /** Delivery months; all twelve if absent. */
  months?: readonly number[]
  /** Nominal expiry day of the month; if absent, the last trading day. */
  day?: number
  /** Number of futures listed. */
  futures: number
  /** Options: trading days before the future's expiry, strike step, number of expiries. */
  options?: { leadDays: number; strikeStep: number; expiries: number; tickSize: number }
}

const BIMONTHLY = [2, 4, 6, 8, 10, 12] as const

// biome-ignore format: one row per commodity
export const COMMODITIES: readonly Commodity[] = [
  { symbol: 'GOLD', basePrice: 123500, volatility: 16, freezeQuantity: 1000, tickSize: 1, months: BIMONTHLY, day: 5, futures: 6, options: { leadDays: 5, strikeStep: 500, expiries: 3, tickSize: 0.5 } },
  { symbol: 'GOLDM', basePrice: 123400, volatility: 16, freezeQuantity: 1000, tickSize: 1, day: 5, futures: 3, options: { leadDays: 5, strikeStep: 500, expiries: 3, tickSize: 0.5 } },
  { symbol: 'GOLDGUINEA', basePrice: 98900, volatility: 16, freezeQuantity: 1250, tickSize: 1, futures: 3 },
  { symbol: 'GOLDPETAL', basePrice: 12420, volatility: 16, freezeQuantity: 10000, tickSize: 1, futures: 3 },
  { symbol: 'GOLDTEN', basePrice: 123450, volatility: 16, freezeQuantity: 1000, tickSize: 1, futures: 3 },
  { symbol: 'SILVER', basePrice: 156500, volatility: 27, freezeQuantity: 600, tickSize: 1, months: [3, 5, 7, 9, 12], day: 5, futures: 5, options: { leadDays: 8, strikeStep: 500, expiries: 2, tickSize: 0.5 } },
  { symbol: 'SILVERM', basePrice: 156700, volatility: 27, freezeQuantity: 600, tickSize: 1, months: [2, 4, 6, 8, 11], futures: 4, options: { leadDays: 8, strikeStep: 500, expiries: 2, tickSize: 0.5 } },
  { symbol: 'SILVERMIC', basePrice: 156800, volatility: 27, freezeQuantity: 600, tickSize: 1, months: [2, 4, 6, 8, 11], futures: 4 },
  { symbol: 'CRUDEOIL', basePrice: 5280, volatility: 33, freezeQuantity: 10000, tickSize: 1, day: 19, futures: 6, options: { leadDays: 2, strikeStep: 50, expiries: 3, tickSize: 0.1 } },
  { symbol: 'CRUDEOILM', basePrice: 5285, volatility: 33, freezeQuantity: 10000, tickSize: 1, day: 19, futures: 6, options: { leadDays: 2, strikeStep: 50, expiries: 3, tickSize: 0.1 } },
  { symbol: 'NATURALGAS', basePrice: 402, volatility: 55, freezeQuantity: 60000, tickSize: 0.1, day: 26, futures: 4, options: { leadDays: 2, strikeStep: 5, expiries: 3, tickSize: 0.05 } },
  { symbol: 'NATGASMINI', basePrice: 402.5, volatility: 55, freezeQuantity: 60000, tickSize: 0.1, day: 26, futures: 4, options: { leadDays: 2, strikeStep: 5, expiries: 3, tickSize: 0.05 } },
  { symbol: 'COPPER', basePrice: 1008, volatility: 19, freezeQuantity: 70000, tickSize: 0.05, futures: 5, options: { leadDays: 7, strikeStep: 5, expiries: 2, tickSize: 0.01 } },
  { symbol: 'ZINC', basePrice: 301, volatility: 20, freezeQuantity: 100000, tickSize: 0.05, futures: 5, options: { leadDays: 7, strikeStep: 2.5, expiries: 2, tickSize: 0.01 } },
  { symbol: 'ZINCMINI', basePrice: 301.5, volatility: 20, freezeQuantity: 100000, tickSize: 0.05, futures: 5 },
  { symbol: 'ALUMINIUM', basePrice: 271, volatility: 17, freezeQuantity: 100000, tickSize: 0.05, futures: 5 },
  { symbol: 'ALUMINI', basePrice: 271.5, volatility: 17, freezeQuantity: 100000, tickSize: 0.05, futures: 5 },
  { symbol: 'LEAD', basePrice: 181, volatility: 13, freezeQuantity: 100000, tickSize: 0.05, futures: 5 },
  { symbol: 'LEADMINI', basePrice: 181.5, volatility: 13, freezeQuantity: 100000, tickSize: 0.05, futures: 5 },
  { symbol: 'NICKEL', basePrice: 1335, volatility: 24, freezeQuantity: 24000, tickSize: 0.1, futures: 4 },
  { symbol: 'MENTHAOIL', basePrice: 925, volatility: 18, freezeQuantity: 18000, tickSize: 0.1, futures: 4 },
  { symbol: 'COTTONCNDY', basePrice: 25600, volatility: 14, freezeQuantity: 1200, tickSize: 10, futures: 4 },
]
