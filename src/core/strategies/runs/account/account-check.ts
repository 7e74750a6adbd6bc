import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../../errors/index.js'
import { exactQuantity } from '../../../money/index.js'
import type { AccountState, RunAccount } from '../../../orders/index.js'
import { sessionDate, type Timer } from '../../../time/index.js'
import type { RunOrder } from '../../engine/messages.js'
import type { Claim } from '../../engine/types.js'
import type { ActiveRun } from '../active-run.js'
import type { RunPorts } from '../ports.js'
import { type ClosedPosition, ClosedPositions } from './closed-positions.js'
import {
  closedByOthers,
  countedIn,
  type Found,
  foundOn,
  giveUp,
  type HeldPosition,
  hasLasted,
  isDelivery,
  isInDoubt,
  isSettled,
  keyOf,
  missingOf,
  type Owned,
  tellUnexplained,
} from './compare.js'

/** The pause after a comparison that was asked for. */
const PAUSE_MS = 1_000

interface AccountCheckParts extends Pick<RunPorts, 'calendar' | 'clock' | 'log' | 'orders'> {
  /** The runs in memory, oldest first. */
  runs(): Iterable<ActiveRun>
  /** Returns what runs that nobody manages hold of an account. */
  unmanaged(account: RunAccount): Promise<readonly HeldPosition[]>
  /** Returns which of these references belong to orders of any run, also of one that holds nothing now. */
  ofRuns(orderRefs: readonly string[]): Promise<ReadonlySet<string>>
}

/** The positions of one account that are compared. */
interface Compared {
  account: RunAccount
  owned: Owned[]
  /** The positions of which their runs know no held unit yet. The account may hold them already. */
  opening: Owned[]
  closed: ClosedPosition[]
}

/**
 * Compares the positions that runs count on with what their accounts hold, whatever day it was bought on. Where an account
 * holds less than all its runs together, somebody else has closed the difference: the runs give it up, the oldest first, so
 * that their exits do not open the reverse. It never gives a run more than its own orders filled.
 */
export class AccountCheck {
  readonly #parts: AccountCheckParts
  /** The results of the last comparisons, by account and position. */
  readonly #found = new Map<string, Found>()
  readonly #closed = new ClosedPositions()
  /** The accounts whose last reading failed. */
  readonly #unread = new Set<string>()
  #running: Promise<void> | undefined
  #isDue = true
  /** Counts the changes by others. The start counts as one: nobody knows what has happened before. */
  #changes = 1
  /** The changes that comparisons have looked at. */
  #seen = 0
  #timer: Timer | undefined
  #hasBegun = false

  constructor(parts: AccountCheckParts) {
    this.#parts = parts
  }

  /** Begins to compare: every run that may hold something is in memory now. */
  begin(): void {
    this.#hasBegun = true
    if ([...this.#parts.runs()].some(({ isOpen }) => isOpen)) this.soon()
  }

  /** Compares soon, because somebody else may have changed an account. */
  soon(): void {
    this.#changes++
    this.#want()
  }

  /** Compares soon if orders of a run have opened a position or closed one. */
  noteFill(run: ActiveRun): void {
    const hasClosed = this.#closed.follow(run, this.#parts.clock.monotonic())
    const isNew = run.claims.some((claim) => !this.#found.has(keyOf(run.account, claim)))
    if (isNew || hasClosed) this.#want()
  }

  /**
   * Returns the end of a comparison that exits should know before they leave: somebody else's order has changed since the
   * last one, or is trading on their positions at this moment. Undefined if there is nothing to learn. Never rejects.
   */
  beforeExit(exits: readonly RunOrder[]): Promise<void> | undefined {
    const underWay = this.#parts.orders.tradesUnderWay(exits)
    if (!underWay && this.#changes === this.#seen) return undefined
    return this.#compareAfter(underWay)
  }

  /** Compares the accounts that may have changed. Called with every sweep; never rejects. */
  compare(): Promise<void> {
    if (!this.#hasBegun) return Promise.resolve()
    this.#running ??= this.#compareAll().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Resolves when no comparison is in progress. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  stop(): Promise<void> {
    this.#parts.clock.clear(this.#timer)
    return this.settled()
  }

  async #compareAfter(underWay: Promise<unknown> | undefined): Promise<void> {
    await underWay
    await this.#running
    this.#isDue = true
    await this.compare()
  }

  #want(): void {
    this.#isDue = true
    if (this.#hasBegun && this.#timer === undefined) this.#now()
  }

  #now(): void {
    this.#timer = this.#parts.clock.setTimeout(() => {
      this.#timer = undefined
      if (this.#isDue) this.#now()
    }, PAUSE_MS)
    void this.compare()
  }

  /** A simulated account changes only by orders, so it is read only after one. A broker's may change anywhere. */
  async #compareAll(): Promise<void> {
    const [isDue, changes] = [this.#isDue, this.#changes]
    this.#isDue = false
    const accounts = this.#accounts()
    let isWhole = true
    this.#forgetClosed()
    for (const compared of accounts) {
      const { account } = compared
      if (account.mode === 'analyze' && !isDue) continue
      try {
        await this.#compareOne(compared)
        this.#unread.delete(JSON.stringify(account))
      } catch (error) {
        isWhole = false
        this.#noteUnread(account, error)
      }
    }
    // An exit waits for a comparison that has seen the change.
    if (isWhole) this.#seen = changes
  }

  /** Logs once that an account cannot be read. The next sweep tries again. */
  #noteUnread(account: RunAccount, error: unknown): void {
    this.#isDue = true
    const key = JSON.stringify(account)
    if (this.#unread.has(key)) return
    this.#unread.add(key)
    this.#parts.log.warn('strategy_account.not_compared', { ...account, error: messageOf(error) })
  }

  /** Returns the accounts with the positions that runs count on or have just closed. */
  #accounts(): Compared[] {
    const { clock, runs } = this.#parts
    const now = clock.monotonic()
    const accounts = new Map<string, Compared>()
    const of = (account: RunAccount): Compared => {
      const key = JSON.stringify(account)
      const compared = accounts.get(key) ?? { account, owned: [], opening: [], closed: [] }
      accounts.set(key, compared)
      return compared
    }
    for (const run of runs()) {
      this.#closed.follow(run, now)
      const { claims, opening } = run
      of(run.account).owned.push(...this.#read(run, claims))
      of(run.account).opening.push(...this.#read(run, opening))
    }
    for (const closed of this.#closed.recent(now)) {
      if (this.#isRead(closed.run.account, closed.claim)) of(closed.run.account).closed.push(closed)
    }
    return [...accounts.values()].filter(({ closed, owned }) => owned.length + closed.length > 0)
  }

  #read(run: ActiveRun, claims: readonly Claim[]): Owned[] {
    return claims.filter((claim) => this.#isRead(run.account, claim)).map((claim) => ({ run, claim }))
  }

  /** A broker's book may be incomplete while the exchange is closed, and no exit can be sent then. */
  #isRead(account: RunAccount, { exchange }: Claim): boolean {
    return account.mode === 'analyze' || this.#parts.calendar.isOpen(exchange)
  }

  async #compareOne({ account, closed, opening, owned }: Compared): Promise<void> {
    const held = owned.map(({ claim }) => claim)
    const claims = [...owned, ...opening, ...closed].map(({ claim }) => claim)
    const unmanaged = await this.#parts.unmanaged(account)
    const state = await this.#parts.orders.positions.read(account, {
      positions: claims,
      orderRefs: claims.flatMap(({ orders }) => orders.map(({ id }) => id)),
      ofRuns: this.#parts.ofRuns,
    })
    const reread = this.#accounts().find((one) => isDeepStrictEqual(one.account, account))
    // The positions are found by key: hundreds of them, each searched in a list, would hold up exits for a quarter of a second.
    const before = claimsByKey(account, { opening, owned })
    const after = claimsByKey(account, reread)
    const isKnown = (key: string) => isSettled(before.get(key) ?? [], after.get(key) ?? [], state)
    for (const one of closed) {
      if (!state.isSettled(one.claim)) continue
      const isJudged =
        isKnown(keyOf(account, one.claim)) && this.#closed.judge(one, state, countedIn(held, one.claim))
      if (!isJudged) this.#isDue = true
    }
    for (const [key, [first, ...others]] of groupsOf(account, owned)) {
      // What the account holds may be the fill of the order in doubt. The run waits for its end.
      if (before.get(key)?.some(isInDoubt) || !state.isSettled(first.claim)) continue
      if (isKnown(key))
        this.#comparePosition(key, [first, ...others], state, countedIn(unmanaged, first.claim))
      else this.#isDue = true
    }
  }

  /** @param unmanaged the signed quantity of the position that belongs to runs that nobody manages */
  #comparePosition(
    key: string,
    group: readonly [Owned, ...Owned[]],
    state: AccountState,
    unmanaged: number,
  ): void {
    const counted = exactQuantity(group.reduce((sum, { claim }) => sum + claim.quantity, 0))
    const [first] = group
    const holds = state.held(first.claim)
    // The position of an unmanaged run may explain a difference. If a person has closed it, it explains none.
    const missing = Math.min(missingOf(counted, holds), missingOf(counted, exactQuantity(holds - unmanaged)))
    const { clock } = this.#parts
    const now = clock.monotonic()
    const session = sessionDate(clock.now())
    const before = foundOn(session, this.#found.get(key))
    if (missing > 0 && !state.isExact) {
      const isListed = state.isListed(first.claim)
      // Nobody sells delivery shares that he does not have: below zero, the broker does not list all of them yet.
      const unlisted = isDelivery(first.claim) ? Math.max(-holds, 0) : 0
      const closed = closedByOthers(Math.sign(counted), group, state, before)
      const isExplained = isListed && closed >= missing + unlisted
      const isLasting = hasLasted(before, missing, now)
      if (!isExplained && (!isLasting || isDelivery(first.claim) || !isListed)) {
        const isSame = before?.missing === missing
        const isReported = isLasting || (isSame && before.isReported === true)
        this.#found.set(key, {
          session,
          byOthers: before?.byOthers,
          missing,
          isReported,
          since: isSame ? before.since : now,
        })
        if (isLasting && before?.isReported !== true) tellUnexplained(group, { holds, isListed, missing })
        return
      }
    }
    this.#found.set(key, { session, byOthers: state.byOthers(first.claim), missing: 0, since: now })
    if (missing > 0) giveUp(group, { counted, holds, missing }, clock.now())
  }

  /** Forgets the positions that no run counts on: an old finding would explain a new difference wrongly. */
  #forgetClosed(): void {
    const runs = [...this.#parts.runs()]
    const kept = new Set(runs.flatMap(({ account, claims }) => claims.map((claim) => keyOf(account, claim))))
    for (const key of this.#found.keys()) if (!kept.has(key)) this.#found.delete(key)
  }
}

/** Returns the positions of an account that runs count on, by their keys, in the order of the list. */
function groupsOf(account: RunAccount, owned: readonly Owned[]): Map<string, [Owned, ...Owned[]]> {
  const groups = new Map<string, [Owned, ...Owned[]]>()
  for (const one of owned) {
    const key = keyOf(account, one.claim)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}

/** Returns what runs hold of each position of an account, and what they are about to hold, by its key. */
function claimsByKey(
  account: RunAccount,
  compared?: Pick<Compared, 'opening' | 'owned'>,
): Map<string, Claim[]> {
  const all = compared ? [...compared.owned, ...compared.opening] : []
  const groups = [...groupsOf(account, all)]
  return new Map(groups.map(([key, group]) => [key, group.map(({ claim }) => claim)]))
}
