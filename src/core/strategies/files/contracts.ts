import { namedUnderlying, optionsVenue } from '../../options/index.js'
import type { StrategyConfig } from '../config/index.js'

/** A share or contract, or the root of contracts, that a strategy names. */
export interface NamedContract {
  /** `underlying`: its options or futures are listed on the exchange. `symbol`: it is listed there itself. */
  kind: 'underlying' | 'symbol'
  name: string
  exchange: string
  /** True for a contract that expires: then it is not listed any more, and a file of git still names it. */
  expires: boolean
  /** The place in the file. */
  path: readonly (string | number)[]
}

/** Returns what a strategy names, so that it can be looked up among the instruments of a daemon. */
export function contractsIn(config: StrategyConfig): NamedContract[] {
  if (config.strategy_kind === 'signal') {
    return config.legs.map(({ exchange, segment, symbol }, index) => ({
      kind: 'symbol',
      name: symbol,
      exchange,
      expires: segment !== 'cash',
      path: ['legs', index, 'symbol'],
    }))
  }
  const { legs, underlying, underlying_exchange: exchange } = config
  const { base } = namedUnderlying(underlying, exchange)
  const isCash = ({ segment }: { segment: string }) => segment === 'cash'
  const rest = { expires: false, path: ['underlying'] }
  const shares = legs.some(isCash) && ['NSE', 'BSE'].includes(exchange)
  return [
    ...(legs.every(isCash)
      ? []
      : [{ kind: 'underlying' as const, name: base, exchange: optionsVenue(base, exchange), ...rest }]),
    ...(shares ? [{ kind: 'symbol' as const, name: base, exchange, ...rest }] : []),
  ]
}
