/* The names of the exchanges. This file loads nothing, so that the command line and the terminal program use it too. */

/** All exchanges, in the order the error messages list them. */
export const EXCHANGES = [
  'NSE',
  'NFO',
  'CDS',
  'BSE',
  'BFO',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'NSE_INDEX',
  'BSE_INDEX',
  'MCX_INDEX',
  'GLOBAL_INDEX',
  'CRYPTO',
] as const
export type Exchange = (typeof EXCHANGES)[number]

/** Exchanges of shares, which are held in delivery. */
export const CASH_EXCHANGES: ReadonlySet<string> = new Set<Exchange>(['NSE', 'BSE'])

/** Exchanges that trade only contracts with an expiry, or perpetuals. */
export const DERIVATIVE_EXCHANGES: ReadonlySet<string> = new Set<Exchange>([
  'NFO',
  'BFO',
  'CDS',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'CRYPTO',
])

/** Exchange codes of indices: they have quotes but cannot be traded. */
export const INDEX_EXCHANGES: ReadonlySet<string> = new Set<Exchange>([
  'NSE_INDEX',
  'BSE_INDEX',
  'MCX_INDEX',
  'GLOBAL_INDEX',
])

/** Exchanges that have freeze quantities. */
export const FREEZE_EXCHANGES = ['NFO', 'BFO', 'CDS', 'MCX'] as const satisfies readonly Exchange[]
export type FreezeExchange = (typeof FREEZE_EXCHANGES)[number]
