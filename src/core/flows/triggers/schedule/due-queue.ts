interface Item<K> {
  key: K
  dueAt: number
}

/**
 * Keys by due time, the earliest first: a binary heap with an index of its items, so that all changes are
 * O(log n).
 */
export class DueQueue<K> {
  readonly #heap: Item<K>[] = []
  readonly #places = new Map<K, number>()

  get size(): number {
    return this.#heap.length
  }

  /** Returns the earliest item without removing it. */
  peek(): Readonly<Item<K>> | undefined {
    return this.#heap[0]
  }

  dueAt(key: K): number | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#heap[place]?.dueAt
  }

  /** Adds a key, or changes its due time. */
  set(key: K, dueAt: number): void {
    const place = this.#places.get(key) ?? this.#heap.length
    this.#put({ key, dueAt }, place)
    this.#settle(place)
  }

  delete(key: K): void {
    const place = this.#places.get(key)
    if (place === undefined) return
    this.#places.delete(key)
    const last = this.#heap.pop()
    if (last === undefined || place === this.#heap.length) return
    this.#put(last, place)
    this.#settle(place)
  }

  #settle(start: number): void {
    let place = start
    while (place > 0 && this.#isBefore(place, (place - 1) >> 1)) place = this.#swap(place, (place - 1) >> 1)
    for (let child = this.#smallerChild(place); this.#isBefore(child, place); ) {
      place = this.#swap(place, child)
      child = this.#smallerChild(place)
    }
  }

  #smallerChild(place: number): number {
    const left = 2 * place + 1
    return this.#isBefore(left + 1, left) ? left + 1 : left
  }

  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    return one !== undefined && other !== undefined && one.dueAt < other.dueAt
  }

  #swap(from: number, to: number): number {
    const [one, other] = [this.#heap[from], this.#heap[to]]
    if (one && other) {
      this.#put(one, to)
      this.#put(other, from)
    }
    return to
  }

  #put(item: Item<K>, place: number): void {
    this.#heap[place] = item
    this.#places.set(item.key, place)
  }
}
