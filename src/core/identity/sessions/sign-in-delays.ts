import { ServiceError } from '../../errors/index.js'
import { type Clock, MINUTE_MS, readingOf } from '../../time/index.js'
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
 * The number of names counted. Callers can invent names, so the name that failed longest ago is dropped first,
 * but never that of an account: otherwise invented names would end its wait.
 */
const MAX_ACCOUNTS = 50_000

/** The tries before the last one whose times are kept, for {@link SignInDelays.undo}. */
const KEPT_TIMES = 32

interface Failures {
  readonly count: number
  /** The times of the last tries, in their order; never empty. */
  readonly times: readonly number[]
}

/** A caller who wants to sign in, as the delay sees it. */
export interface Caller {
  username: string
  /**
   * The caller's own address, which it cannot forge. Undefined when only an address is known that many callers
   * share, like that of a proxy.
   */
  ownAddress?: string | undefined
  /** True when the caller is on the machine of the service, or at an address that the owner has named. */
  isOwners?: boolean | undefined
}

/**
 * Slows down password guessing at one account from many addresses: from the fifth wrong password in a row,
 * each further try has to wait longer, at most 15 minutes. The account is never locked, and its owner is not
 * shut out: the wait does not apply on the machine of the service, nor to an address that the owner has named or
 * that has signed in to the account before.
 */
export class SignInDelays {
  readonly #failures = new Map<string, Failures>()

  private constructor(
    private readonly store: IdentityStore,
    private readonly clock: Clock,
    private readonly isAccount: (username: string) => boolean,
  ) {}

  /**
   * Loads the failures that were recorded before a restart.
   * @param isAccount returns whether a name is that of an account
   */
  static async open(
    store: IdentityStore,
    clock: Clock,
    isAccount: (username: string) => boolean,
    counted: 'sign-ins' | 'resets' = 'sign-ins',
  ): Promise<SignInDelays> {
    const delays = new SignInDelays(store, clock, isAccount)
    const since = clock.ago(MEMORY_MS)
    for (const { username, count, lastAt } of await store.failedSignIns(since, MAX_ACCOUNTS, counted)) {
      delays.#failures.set(username, { count, times: [readingOf(clock, lastAt)] })
    }
    return delays
  }

  /**
   * Counts a try as failed until {@link succeeded} or {@link undo} corrects it, so that concurrent tries
   * count each other.
   * @param owner the user whose earlier sign-ins make an address the owner's
   * @throws ServiceError `rate_limited` while the account has to wait
   */
  async begin(caller: Caller, owner: string = caller.username): Promise<void> {
    const { username } = caller
    const waitMs = this.#waitFor(username)
    if (waitMs > 0 && !(await this.#isOwners(caller, owner))) {
      throw new ServiceError('rate_limited', 'Too many failed sign-ins for this account. Try again later.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      })
    }
    this.#add(username, 1)
  }

  succeeded(username: string): void {
    this.#failures.delete(username)
  }

  /** Removes a try that revealed nothing about the password. The wait is again as it was before the try. */
  undo(username: string): void {
    this.#add(username, -1)
  }

  #waitFor(username: string): number {
    const failures = this.#failures.get(username)
    if (!failures) return 0
    const elapsed = this.clock.monotonic()
    const since = elapsed - (failures.times.at(-1) ?? elapsed)
    if (since >= MEMORY_MS) this.#failures.delete(username)
    return Math.max(0, delayAfter(failures.count) - since)
  }

  async #isOwners({ ownAddress, isOwners }: Caller, owner: string): Promise<boolean> {
    if (isOwners) return true
    if (ownAddress === undefined) return false
    return this.store.signedInFrom(owner, ownAddress, this.clock.ago(KNOWN_ADDRESS_MS))
  }

  #add(username: string, change: 1 | -1): void {
    const former = this.#failures.get(username)
    const count = (former?.count ?? 0) + change
    const times = former?.times ?? []
    const kept = change === 1 ? [...times.slice(-KEPT_TIMES), this.clock.monotonic()] : withoutLast(times)
    this.#failures.delete(username)
    if (count > 0) this.#failures.set(username, { count, times: kept })
    if (this.#failures.size > MAX_ACCOUNTS) this.#dropOldestInvented()
  }

  #dropOldestInvented(): void {
    for (const name of this.#failures.keys()) {
      if (this.isAccount(name)) continue
      this.#failures.delete(name)
      return
    }
  }
}

/** Returns the times without one. Any of several concurrent tries may go: their times differ by less than a request takes. */
function withoutLast(times: readonly number[]): readonly number[] {
  return times.length > 1 ? times.slice(0, -1) : times
}

function delayAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0
  const doublings = Math.min(failures - FREE_FAILURES, 10)
  return Math.min(FIRST_DELAY_MS * 2 ** doublings, LONGEST_DELAY_MS)
}
