import { changeOf, type PriceChange } from '../../../views/market/change.js'
import type { Column } from '../../../views/table/column.js'
import { ageText } from '../../../views/text/age.js'
import { isOld, newest, type Quote } from '../../live/prices/quote.js'
import type { WatchList } from './watch-list.js'

type Prices = Partial<Pick<Quote, 'ltp' | 'bid' | 'ask' | 'volume' | 'oi'>>

export interface WatchRow extends Prices, PriceChange {
  /** The symbol: `NSE:SBIN`. */
  id: string
  /** The same, by the name that people sort by. */
  symbol: string
  /** The time since the last price; none without a price. */
  age?: string
  isStale: boolean
}

/** The columns that sort and filter. */
export const PRICES = [
  { key: 'symbol' },
  { key: 'ltp', title: 'LAST', kind: 'price' },
  { key: 'change', title: 'CHG', kind: 'change', leaves: 4 },
  { key: 'change_percent', title: 'CHG %', kind: 'signed' },
  { key: 'bid', kind: 'price', leaves: 1 },
  { key: 'ask', kind: 'price', leaves: 1 },
  { key: 'volume', kind: 'quantity', leaves: 2 },
  { key: 'oi', title: 'OI', kind: 'quantity', leaves: 3 },
] as const satisfies readonly Column<keyof WatchRow>[]

/** The columns that the table shows. An age as a text has no order. */
export const WATCHED: readonly Column<keyof WatchRow>[] = [...PRICES, { key: 'age' }]

interface Sources {
  read: ReadonlyMap<string, Quote>
  live: ReadonlyMap<string, Quote>
}

/** Returns the rows of the list with the newest prices of both sources. */
export function watchRows(list: WatchList, { read, live }: Sources, now: number): readonly WatchRow[] {
  return list.map((id) => watchRow(id, newest(read.get(id), live.get(id)), now))
}

function watchRow(id: string, quote: Quote | undefined, now: number): WatchRow {
  if (quote === undefined) return { id, symbol: id, isStale: false }
  const { at, close, ltp, bid, ask, volume, oi } = quote
  return {
    id,
    symbol: id,
    ...Object.fromEntries(Object.entries({ ltp, bid, ask, volume, oi }).filter(([, value]) => value)),
    ...changeOf(ltp, close),
    age: ageText(now - at),
    isStale: isOld(quote, now),
  }
}
