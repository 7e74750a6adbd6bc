import { compactExpiry, optionSymbol } from '../instruments/index.js'
import { priceMissing, symbolMissing } from './failures.js'
import { type ExpiryRequest, type PricedLadder, pricedLadder, quotesBySymbol } from './locate-options.js'
import type { OptionSources } from './ports.js'
import { rounded } from './pricing/analytics.js'
import type { OptionType } from './pricing/black76.js'

/** The response body of the synthetic future endpoint (docs/api.md). */
interface SyntheticFuture {
  underlying: string
  underlying_ltp: number
  expiry: string
  atm_strike: number
  synthetic_future_price: number
}

const SIDE = { CE: 'Call', PE: 'Put' } as const

/**
 * Returns the price of a synthetic future: a bought call and a sold put at the money.
 * @throws ServiceError as {@link pricedLadder}, and if the call or the put is not listed or has no price
 */
export async function syntheticFuture(
  sources: OptionSources,
  request: ExpiryRequest,
): Promise<SyntheticFuture> {
  const priced = await pricedLadder(sources, request)
  const { series, quote, rung } = priced
  const sides = { CE: sideOf(priced, 'CE'), PE: sideOf(priced, 'PE') }
  const quotes = await quotesBySymbol(sources, Object.values(sides))
  const ltp = (type: OptionType): number => {
    const price = quotes.get(sides[type].symbol)?.ltp ?? 0
    if (price > 0) return price
    throw priceMissing(`Could not fetch LTP for ${SIDE[type]} option: ${sides[type].symbol}`)
  }
  return {
    underlying: series.base,
    underlying_ltp: quote.ltp,
    expiry: compactExpiry(series.expiry),
    atm_strike: rung.strike,
    synthetic_future_price: rounded(rung.strike + ltp('CE') - ltp('PE'), 2),
  }
}

function sideOf({ series, rung }: PricedLadder, type: OptionType) {
  const contract = rung[type]
  if (contract) return { symbol: contract.symbol, exchange: contract.exchange }
  throw symbolMissing(optionSymbol(series.base, series.expiry, rung.strike, type), series.venue)
}
