import { expiryToDate, storedExpiry } from '../../instruments/index.js'
import { expiryInstant } from '../../options/index.js'
import { ResolveError } from './failure.js'
import type { ListedContracts } from './listed.js'

/** The expiry that a rank picks. */
export interface PickedExpiry {
  /** `DD-MON-YY`. */
  expiry: string
  /** True if the rank is not listed and a nearer expiry stands in for it. */
  isFallback: boolean
}

/** Returns the expiries of an underlying whose contracts still trade, in chronological order. */
export function tradedExpiries(
  { catalog, almanac }: Pick<ListedContracts, 'almanac' | 'catalog'>,
  venue: string,
  base: string,
  kind: 'options' | 'futures',
  now: number,
): string[] {
  return catalog
    .expiries(venue, base, kind)
    .filter((one) => (expiryInstant({ expiry: one, exchange: venue }, almanac) ?? 0) > now)
}

/**
 * Picks an expiry by rank, or by a listed date.
 * @param expiries in chronological order
 * @throws ResolveError `no_expiry` without expiries, `invalid_rank` for another word
 */
export function pickExpiry(expiries: readonly string[], rank: string): PickedExpiry {
  const [nearest, second] = expiries
  if (nearest === undefined) throw new ResolveError('no_expiry', 'No unexpired contract is listed')
  const month = monthOf(nearest)
  switch (rank) {
    case 'weekly':
    case 'current':
      return { expiry: nearest, isFallback: false }
    case 'next_week':
    case 'next':
      return { expiry: second ?? nearest, isFallback: second === undefined }
    case 'monthly':
      return { expiry: lastOf(expiries, month) ?? nearest, isFallback: false }
    case 'next_month': {
      const next = lastOf(expiries, monthAfter(month))
      return { expiry: next ?? lastOf(expiries, month) ?? nearest, isFallback: next === undefined }
    }
    default:
      return { expiry: listed(expiries, rank), isFallback: false }
  }
}

function listed(expiries: readonly string[], text: string): string {
  const expiry = storedExpiry(text)
  if (expiry !== undefined && expiries.includes(expiry)) return expiry
  throw new ResolveError('invalid_rank', `${text} is neither an expiry rank nor a listed expiry`)
}

function lastOf(expiries: readonly string[], month: string): string | undefined {
  return expiries.findLast((one) => monthOf(one) === month)
}

/** `2026-11`. */
function monthOf(expiry: string): string {
  return (expiryToDate(expiry) ?? '').slice(0, 7)
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`
}
