export interface BatchedReadOptions<Row> {
  /** The largest number of keys in one call. */
  size: number
  /** Waits until the budget allows the next call. */
  turn: () => Promise<void>
  /** Reads the rows of these keys with one call; a key may have none. */
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>
}

interface Batch<Row> {
  keys: Set<string>
  rows: Promise<ReadonlyMap<string, Row>>
}

/**
 * Reads rows by key in as few calls as possible: keys that are asked for while a call waits for its turn go with that call.
 * So thirty callers that ask for a quote each need two calls, where a broker answers one a second.
 */
export class BatchedRead<Row> {
  /** The call that still waits for its turn, if one does. */
  #filling: Batch<Row> | undefined

  constructor(private readonly options: BatchedReadOptions<Row>) {}

  /** Returns the rows of these keys. @throws the error of a call */
  async rows(keys: Iterable<string>): Promise<Map<string, Row>> {
    const batches = new Map<string, Batch<Row>>()
    for (const key of keys) if (!batches.has(key)) batches.set(key, this.#batchWith(key))
    await Promise.all([...new Set(batches.values())].map((batch) => batch.rows))
    const found = new Map<string, Row>()
    for (const [key, batch] of batches) {
      const row = (await batch.rows).get(key)
      if (row !== undefined) found.set(key, row)
    }
    return found
  }

  #batchWith(key: string): Batch<Row> {
    const filling = this.#filling
    const batch =
      filling && (filling.keys.size < this.options.size || filling.keys.has(key)) ? filling : this.#open()
    batch.keys.add(key)
    return batch
  }

  #open(): Batch<Row> {
    const keys = new Set<string>()
    const batch: Batch<Row> = { keys, rows: this.#readAtTurn(keys) }
    this.#filling = batch
    return batch
  }

  async #readAtTurn(keys: Set<string>): Promise<ReadonlyMap<string, Row>> {
    try {
      await this.options.turn()
    } finally {
      if (this.#filling?.keys === keys) this.#filling = undefined
    }
    return this.options.read([...keys])
  }
}
