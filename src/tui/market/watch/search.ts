import type { AnswerOf, Body, SvcClient } from '../../../client/index.js'
import { INSTRUMENT_COLUMNS } from '../../../views/market/instrument.js'
import type { Column } from '../../../views/table/column.js'
import { byExpiry } from '../../../views/table/sort.js'
import { keyOf, parsedKey } from '../symbol-key.js'

/** A search begins so long after the last key, in milliseconds. */
export const SEARCH_PAUSE_MS = 250

export type Found = AnswerOf<'search'>['data'][number] & { id: string }

export const FOUND: readonly Column[] = [
  { key: 'id', title: 'SYMBOL' },
  ...INSTRUMENT_COLUMNS.filter(({ key }) => key !== 'symbol' && key !== 'exchange'),
]

/** Finds instruments by words; those without an expiry come first. */
export async function foundBy(client: SvcClient, text: string): Promise<readonly Found[]> {
  const { data } = await client.call('search', queryOf(text))
  return byExpiry(data).map((row) => ({ ...row, id: keyOf(row) }))
}

/** Returns the search for a text: `NSE:SBIN` looks on that exchange only. */
export function queryOf(text: string): Body<'search'> {
  const named = parsedKey(text.trim())
  return named === undefined ? { query: text.trim() } : { query: named.symbol, exchange: named.exchange }
}
