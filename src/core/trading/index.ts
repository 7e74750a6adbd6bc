/** The destination of orders: the broker, or the sandbox in Analyzer mode. */
export type TradingMode = 'live' | 'analyze'
