import type { SymbolRef } from '../../../market/schema.js'
import { BrokerError, type BrokerMarket } from '../../broker.js'

type Quotes = Pick<BrokerMarket, 'quotes'>

/**
 * Returns quotes, or for each why there is none if the broker fails to answer: what a person owns must be known without prices,
 * because every close and every exit reads it. Only a refused session fails, so that somebody signs in again.
 * @throws BrokerError `auth`
 */
export async function quotesIfAny(market: Quotes, refs: readonly SymbolRef[]): ReturnType<Quotes['quotes']> {
  try {
    return await market.quotes(refs)
  } catch (error) {
    if (!(error instanceof BrokerError) || error.kind === 'auth') throw error
    return refs.map(() => ({ error: error.message }))
  }
}
