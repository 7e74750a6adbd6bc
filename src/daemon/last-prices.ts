import { type SymbolRef, symbolKey } from '../core/market/index.js'
import type { Service } from './service.js'

/** Symbols looked up at the most, and how long a list waits for them. */
const MAX_SYMBOLS = 200
const PATIENCE_MS = 1000

/** The last prices of symbols, by their key; what the broker does not tell in time is missing. */
export async function lastPrices(
  { clock, instruments, market }: Service,
  refs: readonly SymbolRef[],
): Promise<ReadonlyMap<string, number>> {
  const known = refs.filter((ref) => instruments.directory.find(ref.symbol, ref.exchange))
  const wanted = [
    ...new Map(known.map(({ symbol, exchange }) => [symbolKey({ symbol, exchange }), { symbol, exchange }])),
  ].slice(0, MAX_SYMBOLS)
  const prices = new Map<string, number>()
  if (wanted.length === 0) return prices
  const asked = market.quotes(wanted.map(([, ref]) => ref)).catch(() => [])
  const quotes = await Promise.race([asked, clock.sleep(PATIENCE_MS).then(() => [])])
  quotes.forEach((quote, index) => {
    const key = wanted[index]?.[0]
    if (key !== undefined && !('error' in quote)) prices.set(key, quote.ltp)
  })
  return prices
}
