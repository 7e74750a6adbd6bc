const MINUTE_MS = 60_000

/**
 * When each address may get the next message: not too many in a minute, and none while one of them waits. Times are readings of
 * the monotonic clock: a time of day that is set back must not silence anybody.
 */
export class Pace {
  readonly #sent = new Map<string, number[]>()

  /** @param perMinute the most messages that one address gets in a minute */
  constructor(private readonly perMinute: () => number) {}

  readonly #held = new Map<string, number>()

  /** Lets an address get nothing until an instant, because a message to it failed. */
  hold(address: string, until: number): void {
    this.#held.set(address, until)
  }

  /** Returns the instant from which the address may get a message; `now` if it may get one at once. */
  freeAt(address: string, now: number): number {
    const recent = (this.#sent.get(address) ?? []).filter((at) => at > now - MINUTE_MS)
    if (recent.length === 0) this.#sent.delete(address)
    else this.#sent.set(address, recent)
    const oldest = recent.at(-this.perMinute())
    const held = this.#held.get(address) ?? 0
    if (held <= now) this.#held.delete(address)
    return Math.max(oldest === undefined ? now : oldest + MINUTE_MS, held)
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
