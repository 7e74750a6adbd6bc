import { parseStrategy, type StrategyConfig } from '../../../../src/core/strategies/config/index.js'

const COMMON = {
  name: 'Straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  strategy_type: 'positional',
}

/** A batch strategy on NIFTY whose legs buy one lot each. */
export function batch(legs: readonly object[], more: object = {}): StrategyConfig {
  const filled = legs.map((leg) => ({ position: 'B', lots: 1, ...leg }))
  const universe = legs.some((leg) => 'segment' in leg && leg.segment === 'cash')
    ? { universe_tab: 'stocks_fno' }
    : {}
  return parseStrategy({ ...COMMON, strategy_kind: 'batch', ...universe, ...more, legs: filled })
}

export function signal(legs: readonly object[], more: object = {}): StrategyConfig {
  return parseStrategy({ ...COMMON, strategy_kind: 'signal', ...more, legs })
}
