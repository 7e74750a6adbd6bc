import { randomBase32, sha256Hex } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'

const CODE_LENGTH = 10
const LIFETIME_MS = 10 * 60_000
/** The number of codes that may be open; the oldest goes first. */
const MAX_OPEN = 20
/** Wrong codes of one chat within the lifetime of a code. */
const MAX_WRONG = 5
/** The number of chats whose wrong codes are counted. */
const MAX_COUNTED = 10_000

/** A code that links the chat that sends it to a user. It works once, for ten minutes, until the service stops. */
export class LinkCodes {
  /** By digest, so that a dump of the memory shows no code. */
  readonly #open = new Map<string, { userId: string; endsAt: number }>()
  readonly #wrong = new Map<string, { count: number; until: number }>()

  constructor(private readonly clock: Clock) {}

  create(userId: string): { code: string; expiresAt: number } {
    const code = randomBase32(CODE_LENGTH)
    const endsAt = this.clock.monotonic() + LIFETIME_MS
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < MAX_OPEN) break
      this.#open.delete(oldest)
    }
    this.#open.set(sha256Hex(code), { userId, endsAt })
    return { code, expiresAt: this.clock.now() + LIFETIME_MS }
  }

  /** Returns the user of a code and ends the code; undefined for a code that is wrong, used or too old. */
  take(code: string, chat: string): string | undefined {
    const now = this.clock.monotonic()
    const wrong = this.#wrong.get(chat)
    if (wrong && wrong.until > now && wrong.count >= MAX_WRONG) return undefined
    const digest = sha256Hex(code.trim().toUpperCase())
    const open = this.#open.get(digest)
    this.#open.delete(digest)
    if (open && open.endsAt > now) return open.userId
    this.#countWrong(chat, wrong && wrong.until > now ? wrong.count : 0)
    return undefined
  }

  /** Ends the open codes of a user. */
  endOf(userId: string): void {
    for (const [digest, open] of this.#open) if (open.userId === userId) this.#open.delete(digest)
  }

  #countWrong(chat: string, before: number): void {
    if (this.#wrong.size >= MAX_COUNTED) this.#wrong.clear()
    this.#wrong.set(chat, { count: before + 1, until: this.clock.monotonic() + LIFETIME_MS })
  }
}
