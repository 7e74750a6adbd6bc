/** Where orders go: to the broker, or to the sandbox of Analyzer mode. */
export type TradingMode = 'live' | 'analyze'
