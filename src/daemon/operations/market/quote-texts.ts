import { type Quote, quoteView } from '../../../core/market/index.js'

/** A row of the answer for many symbols. */
export interface QuoteRow {
  symbol: string
  exchange: string
  data: ReturnType<typeof quoteView>
}

/** Rows and their JSON; both live as long as the quote. */
const ROWS = new WeakMap<Quote, { row: QuoteRow; text: string }>()

/**
 * Returns the row of a quote and its JSON. Nobody changes a quote, and a broker may answer with the same one for a second,
 * so that both are made once for it.
 */
export function rowOf(
  { symbol, exchange }: Pick<QuoteRow, 'symbol' | 'exchange'>,
  quote: Quote,
): { row: QuoteRow; text: string } {
  const known = ROWS.get(quote)
  if (known?.row.symbol === symbol && known.row.exchange === exchange) return known
  const row = { symbol, exchange, data: quoteView(quote) }
  const made = { row, text: JSON.stringify(row) }
  ROWS.set(quote, made)
  return made
}
