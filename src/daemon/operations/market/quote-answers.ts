import {
  type ListedMarket,
  notListed,
  type Quote,
  type QuoteOrError,
  quoteView,
  type SymbolRef,
} from '../../../core/market/index.js'
import { nextTurn } from '../../../core/time/index.js'
import { withJson } from '../../http/response/ready-bytes.js'

/** A row of the answer for many symbols. */
interface QuoteRow {
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
function quoteRow(
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

type Ref = Readonly<SymbolRef>

/** A list that takes several turns of the event loop. */
const MANY = 1000

export interface QuotesAnswer {
  readonly status: 'success'
  readonly results: readonly (QuoteRow | (Ref & { error: string }))[]
}

/** Answers with the quotes of many symbols, together with their JSON. */
export class QuoteAnswers {
  readonly #listed: ListedMarket
  /** The last answer to a frozen list of symbols. It lives as long as the list. */
  readonly #last = new WeakMap<readonly Ref[], { quotes: readonly QuoteOrError[]; answer: QuotesAnswer }>()

  constructor(listed: ListedMarket) {
    this.#listed = listed
  }

  /**
   * Returns the symbols that failed, then the quotes. While every quote is the same object, so is the answer to a frozen
   * list of symbols.
   * @throws ServiceError when no symbol has a quote
   */
  async of(symbols: readonly Ref[]): Promise<QuotesAnswer> {
    // The check of a long list took its turn; its quotes and its text take others.
    if (symbols.length > MANY) await nextTurn()
    const quotes = await this.#listed.quotes(symbols)
    if (symbols.length > MANY) await nextTurn()
    const last = this.#last.get(symbols)
    if (last && isSame(last.quotes, quotes)) return last.answer
    const answer = this.#answer(symbols, quotes)
    if (Object.isFrozen(symbols)) this.#last.set(symbols, { quotes, answer })
    return answer
  }

  #answer(symbols: readonly Ref[], quotes: readonly QuoteOrError[]): QuotesAnswer {
    const found = symbols.map((ref, place) => {
      const answer = quotes[place] ?? { error: 'The broker returned no quote' }
      if (!('error' in answer)) return { ...quoteRow(ref, answer), unlisted: false }
      const row = { ...ref, error: answer.error }
      return { row, text: JSON.stringify(row), unlisted: !this.#listed.isListed(ref) }
    })
    const failed = found.filter(({ unlisted }) => unlisted)
    const [first] = failed
    if (first && failed.length === found.length) {
      throw notListed(first.row, { invalid_symbols: failed.map(({ row }) => row) })
    }
    const ordered = [...failed, ...found.filter(({ unlisted }) => !unlisted)]
    const body = { status: 'success' as const, results: ordered.map(({ row }) => row) }
    const text = `{"status":"success","results":[${ordered.map((one) => one.text).join(',')}]}`
    return withJson(body, [Buffer.from(text)])
  }
}

function isSame(a: readonly QuoteOrError[], b: readonly QuoteOrError[]): boolean {
  return a === b || (a.length === b.length && a.every((quote, place) => quote === b[place]))
}
