import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { IdentityStore } from '../store.js'

const MINUTE_MS = 60_000
/** Wrong passwords of one account that cost no wait. */
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 30_000
const LONGEST_DELAY_MS = 15 * MINUTE_MS
/** Failures are forgotten this long after the last of them. */
const MEMORY_MS = 24 * 60 * MINUTE_MS
/** An address from which the account was signed in to counts as the owner's for this long. */
const KNOWN_ADDRESS_MS = 90 * 24 * 60 * MINUTE_MS
/** Accounts that are counted; names are made up freely, so the one that failed longest ago is forgotten first. */
const MAX_ACCOUNTS = 50_000

interface Failures {
  count: number
  lastAt: number
}

/** A caller who wants to sign in, as far as the delay is concerned. */
export interface Caller {
  username: string
  /** The address that the caller's calls are counted by: one that the caller cannot make up. */
  address?: string | undefined
  /** Whether the caller is on the machine of the service. */
  isLocal?: boolean | undefined
}

/**
 * Slows down guessing at one account from many addresses: from the fifth wrong password in a row on, the next try has to
 * wait, each time longer, at most 15 minutes. The account is never locked, and its owner is not shut out: the wait does
 * not hold on the machine of the service, nor from an address that has signed in to the account before.
 */
export class SignInDelays {
  readonly #failures = new Map<string, Failures>()

  private constructor(
    private readonly store: IdentityStore,
    private readonly clock: Clock,
  ) {}

  /** Goes on with the failures that were recorded before a restart. */
  static async open(store: IdentityStore, clock: Clock): Promise<SignInDelays> {
    const delays = new SignInDelays(store, clock)
    for (const { username, count, lastAt } of await store.failedSignIns(
      clock.now() - MEMORY_MS,
      MAX_ACCOUNTS,
    )) {
      delays.#failures.set(username, { count, lastAt })
    }
    return delays
  }

  /**
   * Counts a try as failed until {@link succeeded} or {@link undo} says otherwise, so that tries made at the same time
   * count one another. @throws ServiceError `rate_limited` while the account has to wait
   */
  async begin(caller: Caller): Promise<void> {
    const { username } = caller
    const waitMs = this.#waitFor(username)
    if (waitMs > 0 && !(await this.#isOwners(caller))) {
      throw new ServiceError('rate_limited', 'Too many failed sign-ins for this account. Try again later.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      })
    }
    this.#add(username, 1)
  }

  succeeded(username: string): void {
    this.#failures.delete(username)
  }

  /** Takes a try back that told nothing of the password. */
  undo(username: string): void {
    this.#add(username, -1)
  }

  #waitFor(username: string): number {
    const failures = this.#failures.get(username)
    if (!failures) return 0
    const now = this.clock.now()
    if (now - failures.lastAt >= MEMORY_MS) this.#failures.delete(username)
    const delay = delayAfter(failures.count)
    // A clock that was set back does not make the wait longer.
    return Math.min(Math.max(0, failures.lastAt + delay - now), delay)
  }

  async #isOwners({ username, address, isLocal }: Caller): Promise<boolean> {
    if (isLocal) return true
    if (address === undefined) return false
    return this.store.signedInFrom(username, address, this.clock.now() - KNOWN_ADDRESS_MS)
  }

  #add(username: string, change: 1 | -1): void {
    const count = (this.#failures.get(username)?.count ?? 0) + change
    this.#failures.delete(username)
    if (count > 0) this.#failures.set(username, { count, lastAt: this.clock.now() })
    if (this.#failures.size <= MAX_ACCOUNTS) return
    const [oldest] = this.#failures.keys()
    if (oldest !== undefined) this.#failures.delete(oldest)
  }
}

function delayAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0
  const doublings = Math.min(failures - FREE_FAILURES, 10)
  return Math.min(FIRST_DELAY_MS * 2 ** doublings, LONGEST_DELAY_MS)
}
