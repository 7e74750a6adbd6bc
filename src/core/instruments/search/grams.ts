/**
 * The number of gram keys. A gram is one, two or three characters as a number, 6 bits per character, so
 * shorter grams have smaller numbers. Characters outside the usual alphabet share classes, so a gram narrows
 * the search but never proves a match.
 */
const GRAM_KEYS = 1 << 18
const CLASS_BITS = 6
const FIRST_SHARED = 42
const SHARED = 64 - FIRST_SHARED
const USUAL = ' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789&-_.'

/** Separates texts; no gram spans it. */
export const SEPARATOR = 0x0a

/** The class of each of the first 256 characters, ignoring case. The separator has class 0. */
export const CLASS_OF: Uint8Array = Uint8Array.from({ length: 256 }, (_, code) => {
  if (code === SEPARATOR) return 0
  const usual = USUAL.indexOf(String.fromCharCode(code).toUpperCase())
  return usual >= 0 ? usual + 1 : FIRST_SHARED + (code % SHARED)
})

export function classOf(charCode: number): number {
  return CLASS_OF[charCode] ?? FIRST_SHARED + (charCode % SHARED)
}

/** Returns the longest grams of a text. A row that contains the text has all of them. */
export function gramsOf(text: string): number[] {
  const classes = Array.from({ length: text.length }, (_, at) => classOf(text.charCodeAt(at)))
  const size = Math.min(3, classes.length)
  const keys = new Set<number>()
  for (let at = 0; at + size <= classes.length; at++) {
    let key = 0
    for (let next = at; next < at + size; next++) key = (key << CLASS_BITS) | (classes[next] ?? 0)
    keys.add(key)
  }
  return [...keys]
}

/** Gram keys per chunk of the collected grams. */
const CHUNK_KEYS = 1 << 18
/** No row has more distinct grams than this. A chunk with this much space left can take one more row. */
const MAX_ROW_GRAMS = 1 << 15
/** Documents processed before `filling` yields to other work. */
const FILL_SLICE = 8192

/**
 * Lists of documents by gram. First {@link add} every document's texts in ascending order of documents, so
 * that the lists are sorted. Then {@link filling} builds the lists.
 *
 * Pairs and triples have lists. Single characters occur in nearly every document, so they are bits of a mask.
 */
export class GramPostings {
  readonly #starts = new Uint32Array(GRAM_KEYS + 1)
  readonly #masks: Uint32Array
  /** The last document (+1) that had each gram, so that a gram counts once per document. */
  #last = new Uint32Array(GRAM_KEYS)
  #documents = new Uint32Array(0)
  /** The grams of all documents one after the other; `#counts` has the number of grams of each document. */
  #collected: { keys: Uint32Array; used: number }[] = []
  #counts: Uint16Array

  constructor(documents: number) {
    this.#masks = new Uint32Array(documents * 2)
    this.#counts = new Uint16Array(documents)
  }

  /** Adds the grams of the character classes in `[0, to)` to a document. Class 0 separates texts. */
  add(document: number, classes: Uint8Array, to: number): void {
    const chunk = this.#chunk()
    const { keys } = chunk
    const first = chunk.used
    let used = first
    const mark = document + 1
    const last = this.#last
    let low = 0
    let high = 0
    let pair = 0
    let previous = 0
    for (let at = 0; at < to; at++) {
      const current = classes[at] ?? 0
      if (current < 32) low |= 1 << current
      else high |= 1 << (current - 32)
      const two = current === 0 || previous === 0 ? 0 : (previous << CLASS_BITS) | current
      if (two !== 0 && last[two] !== mark) {
        last[two] = mark
        keys[used++] = two
      }
      const three = two === 0 || pair === 0 ? 0 : (pair << CLASS_BITS) | current
      if (three !== 0 && last[three] !== mark) {
        last[three] = mark
        keys[used++] = three
      }
      pair = two
      previous = current
    }
    for (let at = first; at < used; at++) {
      const key = keys[at] ?? 0
      this.#starts[key] = (this.#starts[key] ?? 0) + 1
    }
    chunk.used = used
    this.#counts[document] = used - first
    this.#masks[document * 2] = low
    this.#masks[document * 2 + 1] = high
  }

  /** Builds the lists from the added grams. */
  *filling(): Generator<void> {
    let total = 0
    for (let key = 0; key <= GRAM_KEYS; key++) {
      const count = this.#starts[key] ?? 0
      this.#starts[key] = total
      total += count
    }
    this.#documents = new Uint32Array(total)
    const next = this.#starts.slice()
    yield
    let document = 0
    for (const { keys, used } of this.#collected) {
      let at = 0
      while (at < used) {
        const until = Math.min(document + FILL_SLICE, this.#counts.length)
        for (; document < until && at < used; document++) {
          at = this.#fill(document, keys, at, next)
        }
        yield
      }
    }
    this.#collected = []
    this.#last = new Uint32Array(0)
    this.#counts = new Uint16Array(0)
  }

  /** Returns the documents that have a gram of two or three characters, in ascending order. */
  #list(key: number): Uint32Array {
    return this.#documents.subarray(this.#starts[key], this.#starts[key + 1])
  }

  /**
   * Yields the documents that have all of these grams, in ascending order. Of each run of grams only the two
   * with the shortest lists are intersected, because few documents are in both. Single characters are checked
   * during the walk, so a caller that has enough results can stop early.
   */
  *having(runs: readonly (readonly number[])[]): Generator<number> {
    const lists: Uint32Array[] = []
    let low = 0
    let high = 0
    for (const run of runs) {
      const [first = 0] = run
      if (first >= 1 << CLASS_BITS) lists.push(...this.#shortest(run))
      else if (first < 32) low |= 1 << first
      else high |= 1 << (first - 32)
    }
    const masks = this.#masks
    for (const document of lists.length > 0 ? inAll(lists) : upTo(masks.length / 2)) {
      const hasLow = ((masks[document * 2] ?? 0) & low) === low
      if (hasLow && ((masks[document * 2 + 1] ?? 0) & high) === high) yield document
    }
  }

  #shortest(run: readonly number[]): Uint32Array[] {
    const lists = run.map((key) => this.#list(key))
    return lists.sort((a, b) => a.length - b.length).slice(0, 2)
  }

  #fill(document: number, keys: Uint32Array, from: number, next: Uint32Array): number {
    const to = from + (this.#counts[document] ?? 0)
    for (let at = from; at < to; at++) {
      const key = keys[at] ?? 0
      const place = next[key] ?? 0
      this.#documents[place] = document
      next[key] = place + 1
    }
    return to
  }

  #chunk(): { keys: Uint32Array; used: number } {
    const current = this.#collected.at(-1)
    if (current && current.keys.length - current.used > MAX_ROW_GRAMS) return current
    const chunk = { keys: new Uint32Array(CHUNK_KEYS), used: 0 }
    this.#collected.push(chunk)
    return chunk
  }
}

function* upTo(count: number): Generator<number> {
  for (let document = 0; document < count; document++) yield document
}

/** Yields the documents that are in all of the sorted lists, in ascending order. */
function* inAll(lists: readonly Uint32Array[]): Generator<number> {
  const [driver, ...others] = [...lists].sort((a, b) => a.length - b.length)
  if (!driver) return
  const cursors = new Uint32Array(others.length)
  next: for (let at = 0; at < driver.length; at++) {
    const document = driver[at] ?? 0
    for (let which = 0; which < others.length; which++) {
      const list = others[which]
      if (!list) continue
      const cursor = advance(list, cursors[which] ?? 0, document)
      if (cursor >= list.length) return
      cursors[which] = cursor
      if (list[cursor] !== document) continue next
    }
    yield document
  }
}

/**
 * Returns the first position at or after `from` whose document is not less than `document` (galloping
 * search).
 */
function advance(list: Uint32Array, from: number, document: number): number {
  let step = 1
  let low = from
  let high = from
  while (high < list.length && (list[high] ?? 0) < document) {
    low = high + 1
    high += step
    step *= 2
  }
  high = Math.min(high, list.length)
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle] ?? 0) < document) low = middle + 1
    else high = middle
  }
  return low
}
