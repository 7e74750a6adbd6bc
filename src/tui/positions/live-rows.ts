import { useMemo } from 'react'
import { gainPercent, valueAt } from '../../client/answers/records.js'
import { symbolKey } from '../../views/text/symbol.js'
import type { Live } from '../live/feed.js'
import { newest } from '../live/prices/quote.js'
import type { Quotes } from '../live/prices/quote-watch.js'
import { useQuotes } from '../live/prices/quotes.js'
import type { HoldingRow, PositionRow } from './feeds.js'

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
  return { ...row, ltp, pnl, pnlpercent: gainPercent({ ...row, ltp }) ?? row.pnlpercent }
}

const paise = (rupees: number): number => Math.round(rupees * 100) / 100

export const sumOf = <Book>(rows: readonly Book[], of: (row: Book) => number): number =>
  paise(rows.reduce((sum, row) => sum + of(row), 0))

/** A hook: returns positions at the newest prices. */
export function usePositionRows({ content, readAt }: Live<readonly PositionRow[]>): readonly PositionRow[] {
  const symbols = useMemo(() => pricedSymbols(content), [content])
  const quotes = useQuotes(symbols, 'ltp')
  return useMemo(() => livePositions(content, readAt, quotes), [content, readAt, quotes])
}

/** A hook: returns holdings at the newest prices. */
export function useHoldingRows({ content, readAt }: Live<readonly HoldingRow[]>): readonly HoldingRow[] {
  const symbols = useMemo(() => pricedSymbols(content), [content])
  const quotes = useQuotes(symbols, 'ltp')
  return useMemo(() => liveHoldings(content, readAt, quotes), [content, readAt, quotes])
}
