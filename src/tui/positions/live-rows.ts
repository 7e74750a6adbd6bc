import { useMemo } from 'react'
import { valueAt } from '../../client/answers/records.js'
import { HOLDING_COLUMNS, POSITION_COLUMNS } from '../../views/orders/books.js'
import { symbolKey } from '../../views/text/symbol.js'
import { keptList, useList } from '../components/list/use-list.js'
import { newest } from '../live/prices/quote.js'
import type { Quotes } from '../live/prices/quote-watch.js'
import { useQuotes } from '../live/prices/quotes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { HoldingFeed, type HoldingRow, PositionFeed, type PositionRow } from './feeds.js'

type Row = Pick<
  PositionRow,
  'exchange' | 'symbol' | 'quantity' | 'average_price' | 'ltp' | 'pnl' | 'pnlpercent' | 'contract_value'
>

/** Returns the symbols whose price changes a row. */
export function pricedSymbols(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.filter(isPriced).map(symbolKey))]
}

/** Returns whether a tick changes the P&L of a row. One without a price has nothing to count from, and waits for the next read. */
function isPriced({ quantity, ltp }: Row): boolean {
  return quantity !== 0 && ltp > 0
}

/** Returns positions that were read at a time, at the newest prices. */
export function livePositions(
  rows: readonly PositionRow[],
  readAt: number,
  quotes: Quotes,
): readonly PositionRow[] {
  return rows.map((row) => repriced(row, readAt, quotes))
}

/** Returns holdings that were read at a time, at the newest prices. */
export function liveHoldings(
  rows: readonly HoldingRow[],
  readAt: number,
  quotes: Quotes,
): readonly HoldingRow[] {
  return rows.map((row) => {
    const live = repriced(row, readAt, quotes)
    return live === row ? row : { ...live, current_value: paise(live.ltp * live.quantity) }
  })
}

function repriced<Book extends Row>(row: Book, readAt: number, quotes: Quotes): Book {
  const ltp = newest({ ltp: row.ltp, at: readAt }, quotes.get(symbolKey(row)))?.ltp
  if (ltp === undefined || ltp === row.ltp || !isPriced(row)) return row
  const gained = Math.sign(row.quantity) * valueAt(row, ltp - row.ltp)
  const pnl = paise(row.pnl + gained)
  const cost = valueAt(row, row.average_price)
  return { ...row, ltp, pnl, pnlpercent: cost === 0 ? row.pnlpercent : paise((pnl / cost) * 100) }
}

const paise = (rupees: number): number => Math.round(rupees * 100) / 100

export const sumOf = <Book>(rows: readonly Book[], of: (row: Book) => number): number =>
  paise(rows.reduce((sum, row) => sum + of(row), 0))

const LISTS = { positions: keptList(), holdings: keptList() }

/** Returns the positions at the newest prices, as a list. */
export function usePositions() {
  const live = useFeed(useDaemon().part(PositionFeed))
  const symbols = useMemo(() => pricedSymbols(live.content), [live.content])
  const quotes = useQuotes(symbols, 'ltp')
  const rows = useMemo(() => livePositions(live.content, live.readAt, quotes), [live, quotes])
  return { live, rows, list: useList(LISTS.positions, rows, POSITION_COLUMNS) }
}

/** Returns the holdings at the newest prices, as a list. */
export function useHoldings() {
  const live = useFeed(useDaemon().part(HoldingFeed))
  const symbols = useMemo(() => pricedSymbols(live.content), [live.content])
  const quotes = useQuotes(symbols, 'ltp')
  const rows = useMemo(() => liveHoldings(live.content, live.readAt, quotes), [live, quotes])
  return { live, rows, list: useList(LISTS.holdings, rows, HOLDING_COLUMNS) }
}
