import type { InstrumentDirectory } from '../../../core/instruments/index.js'
import { type MarketData, type SymbolRef, symbolKey } from '../../../core/market/index.js'
import type { Clock } from '../../../core/time/index.js'
import { within } from '../../../core/time/index.js'

interface PriceSources {
  clock: Clock
  instruments: { directory: Pick<InstrumentDirectory, 'find'> }
  market: Pick<MarketData, 'quotes'>
}

/** The most symbols looked up, and how long the caller waits for their prices. */
const MAX_SYMBOLS = 200
const PATIENCE_MS = 1000

/**
 * Returns the last prices of symbols, by symbol key. Leaves out prices the broker does not return in time.
 */
export async function lastPrices(
  { clock, instruments, market }: PriceSources,
  refs: readonly SymbolRef[],
): Promise<ReadonlyMap<string, number>> {
  const known = refs.filter((ref) => instruments.directory.find(ref.symbol, ref.exchange))
  const askedRefs = [
    ...new Map(known.map(({ symbol, exchange }) => [symbolKey({ symbol, exchange }), { symbol, exchange }])),
  ].slice(0, MAX_SYMBOLS)
  const prices = new Map<string, number>()
  if (askedRefs.length === 0) return prices
  const asked = market.quotes(askedRefs.map(([, ref]) => ref)).catch(() => [])
  const quotes = (await within(clock, PATIENCE_MS, asked)) ?? []
  quotes.forEach((quote, index) => {
    const key = askedRefs[index]?.[0]
    if (key !== undefined && !('error' in quote)) prices.set(key, quote.ltp)
  })
  return prices
}
