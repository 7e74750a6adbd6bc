import { storedExpiry } from '../../instruments/index.js'
import { type ExpiryRank, expiryOfRank, type ListedExpiries, liveAt } from '../../options/index.js'
import { ResolveError } from './failure.js'
import type { ListedContracts } from './listed.js'

/** The expiry that a rank picks. */
export interface PickedExpiry {
  /** `DD-MON-YY`. */
  expiry: string
  /** True if the rank is not listed and a nearer expiry stands in for it. */
  isFallback: boolean
}

/** The listed expiries of an underlying, and which of them still trade. */
export interface TradedExpiries extends ListedExpiries {
  isLive(expiry: string): boolean
}

/** The ranks of a strategy in the words of the one rule. */
const RANKS: Readonly<Record<string, ExpiryRank>> = {
  weekly: 'current_week',
  current: 'current_week',
  next_week: 'next_week',
  next: 'next_week',
  monthly: 'current_month',
  next_month: 'next_month',
}
/** The ranks that stand in for one that is not listed. */
const STAND_INS: Partial<Readonly<Record<ExpiryRank, ExpiryRank>>> = {
  next_week: 'current_week',
  next_month: 'current_month',
}

/** Returns the expiries of an underlying. */
export function tradedExpiries(
  { catalog, almanac }: Pick<ListedContracts, 'almanac' | 'catalog'>,
  venue: string,
  base: string,
  kind: 'options' | 'futures',
  now: number,
): TradedExpiries {
  const isLive = liveAt(almanac, now)
  return {
    contracts: catalog.expiries(venue, base, kind),
    futures: catalog.expiries(venue, base, 'futures'),
    isLive: (expiry) => isLive(expiry, venue),
  }
}

/**
 * Picks an expiry by rank, or by a listed date.
 * @throws ResolveError `no_expiry` without such an expiry, `invalid_rank` for another word
 */
export function pickExpiry(listed: TradedExpiries, word: string): PickedExpiry {
  const of = (one: ExpiryRank | undefined) => one && expiryOfRank(one, listed, listed.isLive)
  if (of('current_week') === undefined) {
    throw new ResolveError('no_expiry', 'No unexpired contract is listed')
  }
  const rank = Object.hasOwn(RANKS, word) ? RANKS[word] : undefined
  if (rank === undefined) return { expiry: dated(listed, word), isFallback: false }
  const expiry = of(rank)
  if (expiry !== undefined) return { expiry, isFallback: false }
  const nearer = of(STAND_INS[rank])
  if (nearer !== undefined) return { expiry: nearer, isFallback: true }
  throw new ResolveError('no_expiry', 'No unexpired monthly contract is listed')
}

function dated({ contracts, isLive }: TradedExpiries, text: string): string {
  const expiry = storedExpiry(text)
  if (expiry !== undefined && contracts.includes(expiry) && isLive(expiry)) return expiry
  throw new ResolveError('invalid_rank', `${text} is neither an expiry rank nor a listed expiry`)
}
