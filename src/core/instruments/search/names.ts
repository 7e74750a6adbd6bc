import { classOf } from './grams.js'

/** The distinct names of a master (companies, indices, roots of contracts), upper case, by their code. */
export class Names {
  readonly texts: readonly string[]
  /** Gram classes of all names in one run: name `n` has those from `at[n]` to `at[n + 1]`. */
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
   * Writes the classes of a name to `into` from `at` on, if the classes before them (of the row's symbol) do not
   * begin with them already. @returns the place behind them
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
