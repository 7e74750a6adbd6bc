import { namedUnderlying, optionsVenue } from '../../options/index.js'
import type { StrategyConfig } from '../config/index.js'

/** A share, or the root of contracts, that a strategy names. */
export interface NamedContract {
  /** `underlying`: its options or futures are listed on the exchange. `symbol`: it is listed there itself. */
  kind: 'underlying' | 'symbol'
  name: string
  exchange: string
  /** The place in the file. */
  path: readonly (string | number)[]
}

/**
 * Returns what a strategy names, so that it can be looked up among the instruments of a daemon. Of a contract only the root
 * counts: a file of git may still name a contract that has expired.
 */
export function contractsIn(config: StrategyConfig): NamedContract[] {
  if (config.strategy_kind === 'signal') {
    return config.legs.flatMap(({ exchange, segment, symbol }, index): NamedContract[] => {
      const path = ['legs', index, 'symbol']
      if (segment === 'cash') return [{ kind: 'symbol', name: symbol, exchange, path }]
      const { base, expiry } = namedUnderlying(symbol, exchange)
      return expiry === undefined ? [] : [{ kind: 'underlying', name: base, exchange, path }]
    })
  }
  const { legs, underlying, underlying_exchange: exchange } = config
  const { base } = namedUnderlying(underlying, exchange)
  const isCash = ({ segment }: { segment: string }) => segment === 'cash'
  const path = ['underlying']
  const named: NamedContract[] = []
  if (!legs.every(isCash)) {
    named.push({ kind: 'underlying', name: base, exchange: optionsVenue(base, exchange), path })
  }
  if (legs.some(isCash) && ['NSE', 'BSE'].includes(exchange)) {
    named.push({ kind: 'symbol', name: base, exchange, path })
  }
  return named
}
