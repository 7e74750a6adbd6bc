import type { ConfigProblem } from './problem.js'
import type { StrategyConfig } from './schema.js'

/** Returns the lot size of a contract; undefined if the instrument master does not list it. */
export type LotSizeOf = (symbol: string, exchange: string) => number | undefined

/** Returns the quantities of derivatives that are no whole lots. A contract whose lot size is unknown passes. */
export function lotProblems(config: StrategyConfig, lotSizeOf: LotSizeOf): ConfigProblem[] {
  if (config.strategy_kind !== 'signal') return []
  return config.legs.flatMap(({ exchange, qty, qty_mode, segment, symbol }, i) => {
    if (segment === 'cash' || qty_mode === 'lots') return []
    const lotSize = lotSizeOf(symbol, exchange) ?? 0
    if (!(lotSize > 0) || qty % lotSize === 0) return []
    const message = `legs[${i}].qty must be a whole number of lots; ${symbol} trades in lots of ${lotSize}`
    return [{ path: ['legs', i, 'qty'], message }]
  })
}
