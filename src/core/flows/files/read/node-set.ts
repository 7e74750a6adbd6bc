const WORD = 32

/** A set of numbers from 0 to one below its size. */
export class NodeSet {
  readonly #words: Uint32Array

  constructor(readonly size: number) {
    this.#words = new Uint32Array(Math.ceil(size / WORD))
  }

  has(node: number): boolean {
    return (((this.#words[node >>> 5] ?? 0) >>> (node & 31)) & 1) === 1
  }

  add(node: number): void {
    this.#words[node >>> 5] = (this.#words[node >>> 5] ?? 0) | (1 << (node & 31))
  }

  /** Adds all members of another set. */
  addAll(other: NodeSet): void {
    for (let word = 0; word < this.#words.length; word++) {
      this.#words[word] = (this.#words[word] ?? 0) | (other.#words[word] ?? 0)
    }
  }
}
