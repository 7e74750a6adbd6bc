/** How a call to the broker ended: answered, refused by the broker, or failed on the way. */
export type CallEnd = 'served' | 'refused' | 'failed'

/** The number of calls of one kind since the start. */
export interface CallCount {
  /** The call, as `orders.place`. */
  call: string
  end: CallEnd
  count: number
}

/** Counts the calls to brokers, across reconnections. */
export class CallCounts {
  readonly #counts = new Map<string, CallCount>()

  add(call: string, end: CallEnd): void {
    const key = `${call} ${end}`
    const known = this.#counts.get(key)
    if (known) known.count += 1
    else this.#counts.set(key, { call, end, count: 1 })
  }

  list(): readonly CallCount[] {
    return [...this.#counts.values()]
  }
}
