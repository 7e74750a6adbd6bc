import type { Instrument } from '../schema.js'

/** What to look for. Everything given must hold; an absent filter lets all through. */
export interface SearchQuery {
  /** Words in any case; all of them must be found. Blank matches everything. */
  text: string
  /** Exchange codes, any of which. One that lists nothing matches nothing. */
  exchanges?: readonly string[] | undefined
  /** Instrument types, any of which: see {@link typeFilters}. */
  types?: readonly string[] | undefined
  /** Root of contracts; on cash and index exchanges the symbol itself. */
  underlying?: string | undefined
  /** `DD-MON-YY`. */
  expiry?: string | undefined
  /** Bounds of the strike, both included; what has no strike fails them. */
  strikeMin?: number | undefined
  strikeMax?: number | undefined
  /** Rows at the most. */
  limit: number
}

/** What was found, best first. Rows are made while they are read. */
export interface SearchHits {
  count: number
  rows: Iterable<Instrument>
}

/** A word of the query. */
export interface Term {
  /** Upper case. */
  text: string
  /** A plain number also matches a strike of that value. */
  strike: number | undefined
  /** What every row that matches holds: the text, or the number as symbols spell it. */
  core: string
}

const PLAIN_NUMBER = /^\d+(\.\d+)?$/
/** Past these a query is noise. */
const MAX_TERMS = 12

/** The query as it is compared with symbols: upper case, single blanks. */
export function wholeText(text: string): string {
  return text.trim().toUpperCase().replaceAll(/\s+/g, ' ')
}

/** The distinct words of a query. */
export function termsOf(whole: string): Term[] {
  const words = whole === '' ? [] : [...new Set(whole.split(' '))].slice(0, MAX_TERMS)
  return words.map((text) => {
    if (!PLAIN_NUMBER.test(text)) return { text, strike: undefined, core: text }
    // `292.50` and `0292.5` are the strike that symbols spell `292.5`: always a part of what was typed.
    const core = text.replace(/^0+(?=\d)/, '').replace(/\.0+$|(\.\d*?)0+$/, '$1')
    return { text, strike: Number(text), core }
  })
}

/** How a wanted type is recognised: the end of a derivative's symbol, or the type itself. */
export type TypeFilter = { ending: 'FUT' | 'CE' | 'PE' } | { type: string }

const WORDS: Readonly<Record<string, readonly TypeFilter[]>> = {
  FUT: [{ ending: 'FUT' }],
  FUTURE: [{ ending: 'FUT' }],
  FUTURES: [{ ending: 'FUT' }],
  CE: [{ ending: 'CE' }],
  PE: [{ ending: 'PE' }],
  OPT: [{ ending: 'CE' }, { ending: 'PE' }],
  OPTION: [{ ending: 'CE' }, { ending: 'PE' }],
  OPTIONS: [{ ending: 'CE' }, { ending: 'PE' }],
}

/** What the type words of a query ask for; any other word is an instrument type, exactly. */
export function typeFilters(types: readonly string[]): TypeFilter[] {
  return types.flatMap((word) => (Object.hasOwn(WORDS, word) ? [...(WORDS[word] ?? [])] : [{ type: word }]))
}
