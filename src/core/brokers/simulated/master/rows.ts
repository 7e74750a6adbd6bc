/** A cash share: symbol, company, base price in rupees, annual volatility in percent. */
export type CashRow = readonly [symbol: string, company: string, basePrice: number, volatility: number]

/**
 * A share with futures and options: the cash row, then the lot size and the largest order the exchange
 * accepts.
 */
export type FnoRow = readonly [
  symbol: string,
  company: string,
  basePrice: number,
  volatility: number,
  lotSize: number,
  freezeQuantity: number,
]
