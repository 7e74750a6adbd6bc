import { DERIVATIVE_EXCHANGES } from '../schema.js'
import { strikeText } from '../symbols/symbol-grammar.js'
import type { InstrumentTable } from '../table/instrument-table.js'
import { Documents } from './documents.js'
import { compileFilter, type DocumentFilter } from './filter.js'
import { CLASS_OF, GramPostings, gramsOf } from './grams.js'
import { Names } from './names.js'
import { type SearchHits, type SearchQuery, type Term, termsOf, wholeText } from './query.js'
import { KnownWords } from './typos.js'

/** Rows processed before the build yields to other work. */
const SLICE = 2048
/** The maximum number of searchable characters of a row. Only an absurdly long company name exceeds it. */
const MAX_ROW_CHARACTERS = 4096
/** The number of corrections to try when a query finds nothing. */
const MAX_CORRECTIONS = 8

interface Parts {
  table: InstrumentTable
  documents: Documents
  names: Names
  postings: GramPostings
  words: KnownWords
}

/** A term in the form the index compares. */
interface CompiledTerm extends Term {
  /** Undefined if the text has a character that no symbol contains. */
  bytes: Uint8Array | undefined
}

/**
 * Finds instruments by parts of their symbol, broker symbol, name or token. It consists of typed arrays over
 * one master; a new master needs a new index.
 *
 * Order of the results: the symbol that equals the query, symbols that start with it, symbols that contain
 * every word, then rows that have a word only in another field. Within each group, shorter symbols come
 * first, then alphabetical order (docs/api.md). If nothing is found, one word may be wrong by one letter.
 */
export class SearchIndex {
  readonly #table: InstrumentTable
  readonly #documents: Documents
  readonly #names: Names
  readonly #postings: GramPostings
  readonly #words: KnownWords

  private constructor(parts: Parts) {
    this.#table = parts.table
    this.#documents = parts.documents
    this.#names = parts.names
    this.#postings = parts.postings
    this.#words = parts.words
  }

  /** Builds the index in steps of one or two milliseconds, so that other work can run in between. */
  static *building(table: InstrumentTable): Generator<void, SearchIndex> {
    const documents = yield* Documents.building(table)
    const names = new Names(table.values('name'))
    yield
    const postings = new GramPostings(documents.count)
    const parts = { table, documents, names, postings }
    yield* addGrams(parts)
    yield* postings.filling()
    const words = yield* knownWords(table, documents, names)
    return new SearchIndex({ ...parts, words })
  }

  /** Builds the index in one go. */
  static of(table: InstrumentTable): SearchIndex {
    const steps = SearchIndex.building(table)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  find(query: SearchQuery): SearchHits {
    const filter = compileFilter(query, this.#table, this.#documents)
    const documents = filter ? this.#find(wholeText(query.text), filter, query.limit) : []
    return { count: documents.length, rows: this.#instruments(documents) }
  }

  #find(whole: string, filter: DocumentFilter, limit: number): number[] {
    const terms = termsOf(whole)
    if (terms.length === 0) return this.#all(filter, limit)
    const found = this.#matching(whole, terms, filter, limit)
    return found.length > 0 ? found : this.#corrected(terms, filter, limit)
  }

  #all(filter: DocumentFilter, limit: number): number[] {
    const found: number[] = []
    for (let document = 0; document < this.#documents.count && found.length < limit; document++) {
      if (filter(document)) found.push(document)
    }
    return found
  }

  #matching(whole: string, terms: readonly Term[], filter: DocumentFilter, limit: number): number[] {
    const prefix = bytesOf(whole)
    const found = prefix ? this.#beginningWith(prefix, filter, limit) : []
    const elsewhere: number[] = []
    const compiled = terms.map((term) => ({ ...term, bytes: bytesOf(term.text) }))
    for (const document of this.#postings.having(terms.map((term) => gramsOf(term.core)))) {
      if (found.length >= limit) break
      if (!filter(document) || (prefix && this.#documents.symbolStartsWith(document, prefix))) continue
      const place = this.#placeOf(document, compiled)
      if (place === 'symbol') found.push(document)
      else if (place === 'elsewhere' && elsewhere.length < limit) elsewhere.push(document)
    }
    return [...found, ...elsewhere.slice(0, limit - found.length)]
  }

  /** Returns the symbol that equals the text, then those that start with it, shorter ones first. */
  #beginningWith(prefix: Uint8Array, filter: DocumentFilter, limit: number): number[] {
    const found: number[] = []
    for (let length = prefix.length; length <= this.#documents.longest; length++) {
      const [from, to] = this.#documents.withPrefix(prefix, length)
      for (let document = from; document < to; document++) {
        if (found.length >= limit) return found
        if (filter(document)) found.push(document)
      }
    }
    return found
  }

  /**
   * Returns where the words occur: all in the symbol, some in another field, or undefined if one is missing.
   */
  #placeOf(document: number, terms: readonly CompiledTerm[]): 'symbol' | 'elsewhere' | undefined {
    let place: 'symbol' | 'elsewhere' = 'symbol'
    for (const term of terms) {
      if (term.bytes && this.#documents.symbolHas(document, term.bytes)) continue
      if (!this.#isElsewhere(document, term)) return undefined
      place = 'elsewhere'
    }
    return place
  }

  #isElsewhere(document: number, { text, bytes, strike }: CompiledTerm): boolean {
    const row = this.#documents.rows[document] ?? 0
    if (strike !== undefined && strike > 0 && this.#table.strike(row) === strike) return true
    if (bytes && this.#documents.othersHave(document, bytes)) return true
    return this.#names.has(this.#table.code('name', row), text)
  }

  /** Returns the matches after one word is replaced by a known word that differs by one letter. */
  #corrected(terms: readonly Term[], filter: DocumentFilter, limit: number): number[] {
    const words = terms.map((term) => term.text)
    const unknown = terms.filter((term) => this.#matching(term.text, [term], () => true, 1).length === 0)
    // If two words are unknown, correcting one of them does not help.
    if (unknown.length > 1) return []
    const found = new Set<number>()
    for (const { text } of unknown.length > 0 ? unknown : terms) {
      for (const known of this.#words.near(text, MAX_CORRECTIONS)) {
        const whole = words.map((word) => (word === text ? known : word)).join(' ')
        for (const document of this.#matching(whole, termsOf(whole), filter, limit - found.size)) {
          found.add(document)
        }
        if (found.size >= limit) return [...found]
      }
    }
    return [...found]
  }

  *#instruments(documents: readonly number[]) {
    for (const document of documents) yield this.#table.instrument(this.#documents.rows[document] ?? 0)
  }
}

/** Returns a text as symbol bytes; undefined if it has a character that no symbol contains. */
function bytesOf(text: string): Uint8Array | undefined {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7e) return undefined
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

/** Adds the grams of all texts of all rows, in one pass. */
function* addGrams(parts: Omit<Parts, 'words'>): Generator<void> {
  const { count } = parts.documents
  const scratch = new Uint8Array(MAX_ROW_CHARACTERS)
  const strikes = strikeTexts()
  for (let from = 0; from < count; from += SLICE) {
    addSlice(parts, from, Math.min(from + SLICE, count), scratch, strikes)
    yield
  }
}

function addSlice(
  { table, documents, names, postings }: Omit<Parts, 'words'>,
  from: number,
  to: number,
  scratch: Uint8Array,
  strikeOf: (strike: number) => Uint8Array,
): void {
  const { symbols, symbolAt, others, otherAt } = documents
  for (let document = from; document < to; document++) {
    const row = documents.rows[document] ?? 0
    let end = copyClasses(symbols, symbolAt[document] ?? 0, symbolAt[document + 1] ?? 0, scratch, 0)
    end = copyClasses(others, otherAt[document] ?? 0, otherAt[document + 1] ?? 0, scratch, end)
    // A contract's symbol starts with its underlying and contains its strike, so their grams are already
    // included.
    const strike = strikeOf(table.strike(row))
    if (!documents.symbolHas(document, strike)) end = copyClasses(strike, 0, strike.length, scratch, end)
    end = names.addClasses(table.code('name', row), scratch, end)
    postings.add(document, scratch, Math.min(end, scratch.length))
  }
}

/**
 * Returns a function that spells strikes as symbols do; empty for a strike of 0. Results are cached, because
 * a master has few distinct strikes.
 */
function strikeTexts(): (strike: number) => Uint8Array {
  const known = new Map([[0, new Uint8Array(0)]])
  return (strike) => {
    const text = known.get(strike) ?? Uint8Array.from(Buffer.from(strikeText(strike), 'latin1'))
    known.set(strike, text)
    return text
  }
}

/** Writes gram classes and a separator. @returns the position after them */
function copyClasses(bytes: Uint8Array, from: number, to: number, into: Uint8Array, at: number): number {
  let end = at
  for (let place = from; place < to; place++) into[end++] = CLASS_OF[bytes[place] ?? 0] ?? 0
  into[end++] = 0
  return end
}

function* knownWords(
  table: InstrumentTable,
  documents: Documents,
  names: Names,
): Generator<void, KnownWords> {
  const words = new KnownWords()
  const isDerivative = table.values('exchange').map((exchange) => DERIVATIVE_EXCHANGES.has(exchange))
  for (let document = 0; document < documents.count; document++) {
    const row = documents.rows[document] ?? 0
    if (!isDerivative[table.code('exchange', row)]) words.add(documents.symbol(document))
    if (document % SLICE === SLICE - 1) yield
  }
  const roots = new Set<number>()
  for (let row = 0; row < table.count; row++) {
    if (isDerivative[table.code('exchange', row)]) roots.add(table.code('name', row))
  }
  yield
  for (const code of roots) words.add(names.texts[code] ?? '')
  for (const [code, name] of names.texts.entries()) {
    if (!roots.has(code)) words.addName(name)
    if (code % SLICE === SLICE - 1) yield
  }
  return words
}
