import { ServiceError } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import { MINUTE_MS } from '../../time/index.js'
import type { IdentityStore } from '../store.js'

/** Wrong passwords of one account before the first delay. */
const FREE_FAILURES = 5
const FIRST_DELAY_MS = 30_000
const LONGEST_DELAY_MS = 15 * MINUTE_MS
/** Failures are forgotten this long after the last one. */
const MEMORY_MS = 24 * 60 * MINUTE_MS
/** The time for which an address counts as the owner's after a sign-in from it. */
const KNOWN_ADDRESS_MS = 90 * 24 * 60 * MINUTE_MS
/**
 * The number of accounts counted. Callers can invent names, so the account that failed longest ago is dropped
 * first.
 */
const MAX_ACCOUNTS = 50_000

interface Failures {
  count: number
  lastAt: number
}

/** A caller who wants to sign in, as the delay sees it. */
export interface Caller {
  username: string
  /**
   * The caller's own address, which it cannot forge. Undefined when only an address is known that many callers
   * share, like that of a proxy.
   */
  ownAddress?: string | undefined
  /** True when the caller is on the machine of the service. */
  isLocal?: boolean | undefined
}

/**
 * Slows down password guessing at one account from many addresses: from the fifth wrong password in a row,
 * each further try has to wait longer, at most 15 minutes. The account is never locked, and its owner is not
 * shut out: the wait does not apply on the machine of the service, nor to an address that has signed in to
 * the account before.
 */
export class SignInDelays {
  readonly #failures = new Map<string, Failures>()

  private constructor(
    private readonly store: IdentityStore,
    private readonly clock: Clock,
  ) {}

  /** Loads the failures that were recorded before a restart. */
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
   * Counts a try as failed until {@link succeeded} or {@link undo} corrects it, so that concurrent tries
   * count each other.
   * @throws ServiceError `rate_limited` while the account has to wait
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

  /** Removes a try that revealed nothing about the password. */
  undo(username: string): void {
    this.#add(username, -1)
  }

  #waitFor(username: string): number {
    const failures = this.#failures.get(username)
    if (!failures) return 0
    const now = this.clock.now()
    if (now - failures.lastAt >= MEMORY_MS) this.#failures.delete(username)
    const delay = delayAfter(failures.count)
    // A clock that was set back must not make the wait longer.
    return Math.min(Math.max(0, failures.lastAt + delay - now), delay)
  }

  async #isOwners({ username, ownAddress, isLocal }: Caller): Promise<boolean> {
    if (isLocal) return true
    if (ownAddress === undefined) return false
    return this.store.signedInFrom(username, ownAddress, this.clock.now() - KNOWN_ADDRESS_MS)
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
