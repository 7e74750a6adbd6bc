/** A value that parts of the screen follow. Each change replaces it, so that two states compare by identity. */
export class Store<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  readonly get = (): Value => this.#value

  set(value: Value): void {
    if (value === this.#value) return
    this.#value = value
    for (const listener of [...this.#listeners]) listener()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
