import { DERIVATIVE_EXCHANGES, type InstrumentCatalog } from '../schema.js'
import { compareExpiries } from '../symbols/expiry.js'

interface ContractFilter {
  /** Undefined means all derivatives exchanges. */
  exchange?: string | undefined
  /** Undefined means all underlyings. */
  underlying?: string | undefined
  kind?: 'futures' | 'options' | undefined
}

/** Symbols that exchanges list to test their systems. */
const TEST_SYMBOL = /NSETEST|BSETEST/

/** Returns whether a contract has not expired. */
type IsLive = (expiry: string, exchange: string) => boolean

/** Returns the distinct expiries (`DD-MON-YY`) that have not passed, in chronological order. */
export function liveExpiries(catalog: InstrumentCatalog, filter: ContractFilter, isLive: IsLive): string[] {
  const expiries = new Set<string>()
  for (const exchange of exchangesOf(filter.exchange)) {
    const roots = filter.underlying === undefined ? catalog.underlyings(exchange) : [filter.underlying]
    for (const root of roots) {
      for (const expiry of catalog.expiries(exchange, root, filter.kind)) {
        if (isLive(expiry, exchange)) expiries.add(expiry)
      }
    }
  }
  return [...expiries].sort(compareExpiries)
}

/**
 * Returns the underlyings that have options, sorted. With `includeFutures`, underlyings with an unexpired
 * future are included too. Test symbols are left out.
 */
export function optionRoots(
  catalog: InstrumentCatalog,
  options: { exchange?: string | undefined; includeFutures: boolean; isLive: IsLive },
): string[] {
  const roots = new Set<string>()
  for (const exchange of exchangesOf(options.exchange)) {
    for (const root of catalog.underlyings(exchange)) {
      if (roots.has(root) || TEST_SYMBOL.test(root)) continue
      const hasFuture = () =>
        liveExpiries(catalog, { exchange, underlying: root, kind: 'futures' }, options.isLive).length > 0
      if (catalog.expiries(exchange, root, 'options').length > 0 || (options.includeFutures && hasFuture())) {
        roots.add(root)
      }
    }
  }
  return [...roots].sort()
}

function exchangesOf(exchange: string | undefined): readonly string[] {
  if (exchange === undefined) return [...DERIVATIVE_EXCHANGES]
  return DERIVATIVE_EXCHANGES.has(exchange) ? [exchange] : []
}
