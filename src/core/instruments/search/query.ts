import type { Instrument } from '../schema.js'

/** A search request. A row must match every filter that is present. */
export interface SearchQuery {
  /** Words in any case; a row must contain all of them. Blank text matches every row. */
  text: string
  /** Exchange codes; a row must be on one of them. An empty list matches nothing. */
  exchanges?: readonly string[] | undefined
  /** Instrument types; a row must have one of them. See {@link typeFilters}. */
  types?: readonly string[] | undefined
  /** The underlying of contracts; on cash and index exchanges the symbol itself. */
  underlying?: string | undefined
  /** `DD-MON-YY`. */
  expiry?: string | undefined
  /** Bounds of the strike, both inclusive. Instruments without a strike do not match. */
  strikeMin?: number | undefined
  strikeMax?: number | undefined
  /** The maximum number of rows. */
  limit: number
}

/** The results, best match first. Rows are unpacked while they are read. */
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
  /** The text that every matching row contains: the word itself, or a number as symbols spell it. */
  core: string
}

/** A strike; no longer number is one. */
const PLAIN_NUMBER = /^\d{1,15}(\.\d{1,8})?$/
/** The maximum number of words in a query; more words are ignored. */
const MAX_TERMS = 12

/** Returns the query in the form that is compared with symbols: upper case, single spaces. */
export function wholeText(text: string): string {
  return text.trim().toUpperCase().replaceAll(/\s+/g, ' ')
}

/** Returns the distinct words of a query. */
export function termsOf(whole: string): Term[] {
  const words = whole === '' ? [] : [...new Set(whole.split(' '))].slice(0, MAX_TERMS)
  return words.map((text) => {
    if (!PLAIN_NUMBER.test(text)) return { text, strike: undefined, core: text }
    // Symbols spell the strikes `292.50` and `0292.5` as `292.5`, which is always a part of the typed text.
    const core = text.replace(/^0+(?=\d)/, '').replace(/\.0+$|(\.\d*?)0+$/, '$1')
    return { text, strike: Number(text), core }
  })
}

/** The way a type is recognised: by the end of a derivative's symbol, or by the instrument type itself. */
type TypeFilter = { ending: 'FUT' | 'CE' | 'PE' } | { type: string }

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

/** Translates the type words of a query. An unknown word is matched as an exact instrument type. */
export function typeFilters(types: readonly string[]): TypeFilter[] {
  return types.flatMap((word) => (Object.hasOwn(WORDS, word) ? [...(WORDS[word] ?? [])] : [{ type: word }]))
}
