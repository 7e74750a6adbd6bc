/** The newest keys, up to a limit. */
export class RecentKeys {
  readonly #limit: number
  readonly #keys = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  has(key: string): boolean {
    return this.#keys.has(key)
  }

  add(key: string): void {
    this.#keys.delete(key)
    this.#keys.add(key)
    const [oldest] = this.#keys
    if (this.#keys.size > this.#limit && oldest !== undefined) this.#keys.delete(oldest)
  }

  delete(key: string): void {
    this.#keys.delete(key)
  }
}
