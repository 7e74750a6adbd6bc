import { classOf } from './grams.js'

/** The distinct names of a master (companies, indices, underlyings) in upper case, by their code. */
export class Names {
  readonly texts: readonly string[]
  /** Gram classes of all names in one array. Name `n` has the classes from `at[n]` to `at[n + 1]`. */
  readonly #classes: Uint8Array
  readonly #at: Uint32Array

  constructor(names: readonly string[]) {
    this.texts = names.map((name) => name.toUpperCase())
    this.#at = new Uint32Array(names.length + 1)
    this.texts.forEach((name, code) => {
      this.#at[code + 1] = (this.#at[code] ?? 0) + name.length
    })
    this.#classes = new Uint8Array(this.#at[names.length] ?? 0)
    let end = 0
    for (const name of this.texts) {
      for (let at = 0; at < name.length; at++) this.#classes[end++] = classOf(name.charCodeAt(at))
    }
  }

  has(code: number, text: string): boolean {
    return this.texts[code]?.includes(text) ?? false
  }

  /**
   * Writes the gram classes of a name to `into`, starting at `at`. Does nothing if `into` (the row's symbol)
   * already starts with them.
   * @returns the position after them
   */
  addClasses(code: number, into: Uint8Array, at: number): number {
    const from = this.#at[code] ?? 0
    const to = this.#at[code + 1] ?? 0
    let same = 0
    while (from + same < to && into[same] === this.#classes[from + same]) same++
    if (from + same === to) return at
    let end = at
    for (let place = from; place < to; place++) into[end++] = this.#classes[place] ?? 0
    return end
  }
}
