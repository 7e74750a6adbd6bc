/** A coin of the crypto exchange: prices in US dollars, quantities in contracts of `contractValue` coins. */
export interface Coin {
  symbol: string
  basePrice: number
  /** Annual, percent. */
  volatility: number
  /** Coins per contract. */
  contractValue: number
  tickSize: number
  /** Present if dated futures and options are listed. */
  options?: { strikeStep: number; tickSize: number }
  /** Present if the coin trades against the rupee on the spot market. */
  spot?: { basePrice: number; minimum: number; tickSize: number }
}

export const COINS: readonly Coin[] = [
  {
    symbol: 'BTC',
    basePrice: 92000,
    volatility: 48,
    contractValue: 0.001,
    tickSize: 0.5,
    options: { strikeStep: 1000, tickSize: 0.1 },
    spot: { basePrice: 8_160_000, minimum: 0.0001, tickSize: 1 },
  },
  {
    symbol: 'ETH',
    basePrice: 3020,
    volatility: 65,
    contractValue: 0.01,
    tickSize: 0.05,
    options: { strikeStep: 50, tickSize: 0.1 },
    spot: { basePrice: 268_000, minimum: 0.001, tickSize: 1 },
  },
  { symbol: 'SOL', basePrice: 138, volatility: 80, contractValue: 1, tickSize: 0.01 },
  { symbol: 'XRP', basePrice: 2.12, volatility: 78, contractValue: 1, tickSize: 0.0001 },
  { symbol: 'BNB', basePrice: 905, volatility: 55, contractValue: 0.1, tickSize: 0.05 },
  { symbol: 'DOGE', basePrice: 0.157, volatility: 90, contractValue: 100, tickSize: 0.00001 },
]
