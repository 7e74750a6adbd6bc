import type { InstrumentCatalog } from '../schema.js'
import type { InstrumentSearch } from './instrument-search.js'

/** The most symbols that a text suggests. */
const SUGGESTED = 3

interface Listings {
  directory: Pick<InstrumentCatalog, 'countByExchange' | 'idOf'>
  search: Pick<InstrumentSearch, 'find'>
}

/**
 * Returns undefined for a listed instrument, otherwise a text with the nearest symbols. On an exchange without any
 * loaded instrument nothing is known, so every symbol counts as listed.
 */
export function unlistedText(
  { directory, search }: Listings,
  { exchange, symbol }: { symbol: string; exchange: string },
): Promise<string> | undefined {
  // The rules of fields refuse an order without a symbol.
  if (symbol.trim() === '' || directory.idOf(symbol, exchange) !== undefined) return undefined
  if ((directory.countByExchange()[exchange] ?? 0) === 0) return undefined
  const absence = `Symbol ${symbol} not found on ${exchange}`
  const index = `${exchange}_INDEX`
  if (directory.idOf(symbol, index) !== undefined) {
    const text = `${absence}: it is an index (${index}), which has no orders. Trade its contracts: svc search ${symbol} FUT`
    return Promise.resolve(text)
  }
  return nearest(search, symbol, exchange).then(
    (names) =>
      `${absence}. ${names.length > 0 ? `Nearest: ${names.join(', ')}. ` : ''}Look it up: svc search ${symbol}`,
  )
}

/** Returns the nearest symbols of the exchange, otherwise those of others. A refusal must not fail for want of them. */
async function nearest(
  search: Listings['search'],
  symbol: string,
  exchange: string,
): Promise<readonly string[]> {
  try {
    const here = await search.find({ text: symbol, exchanges: [exchange], limit: SUGGESTED })
    const names = Array.from(here.rows, (row) => row.symbol)
    if (names.length > 0) return names.slice(0, SUGGESTED)
    const elsewhere = await search.find({ text: symbol, limit: SUGGESTED })
    return Array.from(elsewhere.rows, (row) => `${row.exchange}:${row.symbol}`).slice(0, SUGGESTED)
  } catch {
    return []
  }
}
