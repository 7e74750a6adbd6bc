const MINUTE_MS = 60_000

/** Counts the messages that each address got within the last minute. */
export class Pace {
  readonly #sent = new Map<string, number[]>()

  /** @param perMinute the most messages that one address gets in a minute */
  constructor(private readonly perMinute: () => number) {}

  /** Returns the instant from which the address may get a message; `now` if it may get one at once. */
  freeAt(address: string, now: number): number {
    const recent = (this.#sent.get(address) ?? []).filter((at) => at > now - MINUTE_MS)
    if (recent.length === 0) this.#sent.delete(address)
    else this.#sent.set(address, recent)
    const oldest = recent.at(-this.perMinute())
    return oldest === undefined ? now : oldest + MINUTE_MS
  }

  note(address: string, now: number): void {
    const sent = this.#sent.get(address) ?? []
    sent.push(now)
    this.#sent.set(address, sent)
  }
}

/** The waits after a failed attempt: 5 s, and three times the wait before, up to half an hour. */
const FIRST_WAIT_MS = 5_000
const GROWTH = 3
const LONGEST_WAIT_MS = 30 * MINUTE_MS

/** Returns the wait after `attempts` failed attempts. */
export function backoffMs(attempts: number): number {
  return Math.min(FIRST_WAIT_MS * GROWTH ** (attempts - 1), LONGEST_WAIT_MS)
}
