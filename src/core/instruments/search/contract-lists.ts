import { DERIVATIVE_EXCHANGES, type InstrumentCatalog } from '../schema.js'
import { compareExpiries, expiryToDate } from '../symbols/expiry.js'

export interface ContractFilter {
  /** All derivatives exchanges when undefined. */
  exchange?: string | undefined
  /** All roots when undefined. */
  underlying?: string | undefined
  kind?: 'futures' | 'options' | undefined
}

/** Instruments exchanges list to test their systems. */
const TEST_SYMBOL = /NSETEST|BSETEST/

/** Expiries (`DD-MON-YY`) from the IST date `today` on, chronological, each once. */
export function liveExpiries(catalog: InstrumentCatalog, filter: ContractFilter, today: string): string[] {
  const expiries = new Set<string>()
  for (const exchange of exchangesOf(filter.exchange)) {
    const roots = filter.underlying === undefined ? catalog.underlyings(exchange) : [filter.underlying]
    for (const root of roots) {
      for (const expiry of catalog.expiries(exchange, root, filter.kind)) {
        if ((expiryToDate(expiry) ?? '') >= today) expiries.add(expiry)
      }
    }
  }
  return [...expiries].sort(compareExpiries)
}

/**
 * Roots that have options, sorted; with `includeFutures` also those that have a future which has not expired.
 * Test symbols are left out.
 */
export function optionRoots(
  catalog: InstrumentCatalog,
  options: { exchange?: string | undefined; includeFutures: boolean; today: string },
): string[] {
  const roots = new Set<string>()
  for (const exchange of exchangesOf(options.exchange)) {
    for (const root of catalog.underlyings(exchange)) {
      if (roots.has(root) || TEST_SYMBOL.test(root)) continue
      const hasFuture = () =>
        liveExpiries(catalog, { exchange, underlying: root, kind: 'futures' }, options.today).length > 0
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
