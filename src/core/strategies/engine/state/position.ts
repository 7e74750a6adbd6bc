import {
  fromMoney,
  type Money,
  shareOf,
  timesContract,
  timesQuantity,
  toMoney,
  unitPrice,
} from '../../../money/index.js'
import type { Action } from '../../../orders/schema.js'
import type { ExitKind } from '../../config/vocabulary.js'
import type { Contract } from '../definition.js'
import type { PositionCheckpoint } from '../records.js'
import {
  initialLevels,
  isTrailArmed,
  type LegPlan,
  type Levels,
  type Side,
  tighter,
  trailStop,
} from '../risk/leg.js'
import type { OrderState } from './order.js'

/** The filled quantity of one side of a position and its value. The value is null while a fill has no price. */
interface Filled {
  quantity: number
  value: Money | null
}

/**
 * Exits of these kinds are given up when the request for them is refused: a person or a signal asks again. Once the broker has
 * accepted one, nobody asks again, so the run tries until the position is closed.
 */
const ASKED_ONCE: ReadonlySet<ExitKind> = new Set(['exit_leg_manual', 'exit_signal'])
const FIRST_PAUSE_MS = 5_000
const FIRST_LONGEST_PAUSE_MS = 60_000
/** After so many refusals the pauses grow further, so that a run does not use up the orders that a broker takes in a day. */
const MANY_REFUSALS = 10
const LONGEST_PAUSE_MS = 300_000

/**
 * One position of a leg: its orders, what they filled, and its levels. Everything except the levels of the trail follows
 * from the orders, so a restored position is the same one.
 */
export class Position {
  readonly orders: OrderState[] = []
  /** Held units: positive on the side of the position, negative if exits filled more than was held. */
  net = 0
  realized: Money = 0n
  /** The average of all entries. Null while nothing is filled or a fill has no price. */
  entry: Money | null = null
  /** The most favourable price since the entry. */
  best: Money | null = null
  stop: Money | null = null
  target: Money | null = null
  /** The tightest stop that the trail has reached. */
  trail: Money | null = null
  isTrailArmed = false
  /** The trail stop that the last event reported, and the monotonic reading of that event. */
  reportedTrail: Money | null = null
  reportedTrailAt = Number.NEGATIVE_INFINITY
  /** True while a step of the trail waits to be reported. */
  isTrailUnreported = false
  /** True once the stop of another leg has moved this one's stop to the entry. */
  isStopAtEntry = false
  /** The kind of the exit that is wanted. Null if the position may stay. */
  intent: ExitKind | null = null
  /** True once a signal wanted the position again after it had asked for its exit. */
  isExitTakenBack = false
  /** The last refusal that an event reported, so that each is reported once. */
  reportedRefusal: string | null = null
  /** The exit is not tried again before this monotonic reading. */
  retryAt = Number.NEGATIVE_INFINITY
  /** True when the end of the position has had its consequences. */
  isSettled = false
  /** True once the account has closed the position itself: the run sends nothing for it any more. */
  isGone = false
  /** The units that somebody else has closed. Their price is unknown, so the profit leaves them out. */
  closedElsewhere = 0
  /** The refusals by the broker since the exit was requested. */
  #refusals = 0
  /** The refusals by this service, which the broker does not count. */
  #unsent = 0
  /** The value of the held units at their fills. */
  #openValue: Money = 0n
  #hasUnpriced = false

  constructor(
    readonly ref: string,
    readonly legId: number,
    readonly contract: Contract,
    readonly side: Side,
    readonly plan: LegPlan,
    /** Amounts are multiplied by it; prices and levels are not. */
    private readonly contractValue = 1,
  ) {}

  get held(): number {
    return this.net < 0 ? -this.net : this.net
  }

  /** True if the run holds nothing and no order of the position works. */
  get isFlat(): boolean {
    return (this.net === 0 || this.isGone) && !this.orders.some(({ isWorking }) => isWorking)
  }

  get hasFills(): boolean {
    return this.orders.some(({ filled }) => filled > 0)
  }

  get isPartial(): boolean {
    return this.#hasUnpriced
  }

  get workingEntry(): OrderState | undefined {
    return this.orders.find((one) => one.isWorking && one.isEntry)
  }

  get workingExit(): OrderState | undefined {
    return this.orders.find((one) => one.isWorking && !one.isEntry)
  }

  /** The newest exit order, whatever became of it. */
  get lastExit(): OrderState | undefined {
    return this.orders.findLast((one) => !one.isEntry)
  }

  /** The action of an order that brings the position to zero. */
  get exitAction(): Action {
    return this.side > 0n === this.net >= 0 ? 'SELL' : 'BUY'
  }

  get entryAction(): Action {
    return this.side > 0n ? 'BUY' : 'SELL'
  }

  /** Returns the profit of the held units at a price. 0 while a fill has no price. */
  unrealized(price: Money | null): Money {
    if (this.net === 0 || price === null || this.#hasUnpriced) return 0n
    const sign = this.net > 0 ? this.side : -this.side
    return timesContract(sign * (timesQuantity(price, this.held) - this.#openValue), this.contractValue)
  }

  /** Counts the fills of all orders again and sets the levels that follow from the entry average. */
  recount(): void {
    const [entered, left] = [this.#filled(true), this.#filled(false)]
    const own = Math.max(entered.quantity - this.closedElsewhere, 0)
    this.net = own - left.quantity
    this.#hasUnpriced = entered.value === null || left.value === null
    if (entered.value === null || left.value === null) {
      this.realized = 0n
      this.entry = entered.value === null ? null : averageOf(entered.quantity, entered.value)
    } else {
      const matched = this.net < 0 ? own : left.quantity
      const cost = part(entered.value, matched, entered.quantity)
      const proceeds = part(left.value, matched, left.quantity)
      this.realized = timesContract(this.side * (proceeds - cost), this.contractValue)
      const held = part(entered.value, own, entered.quantity) - cost
      this.#openValue = this.net < 0 ? left.value - proceeds : held
      this.entry = averageOf(entered.quantity, entered.value)
    }
    this.#setLevels()
  }

  /** Takes away units that somebody else has closed. */
  closeElsewhere(quantity: number): void {
    this.closedElsewhere += quantity
    this.recount()
  }

  /** Moves the most favourable price and the trail. Returns whether the stop moved. */
  follow(price: Money): boolean {
    const { entry, side } = this
    if (entry === null || (this.best !== null && side * (price - this.best) <= 0n)) return false
    this.best = price
    return this.#moveTrail(entry, price)
  }

  /** Moves the stop to the entry. Returns false if it is there or nearer, or the price is already beyond the entry. */
  moveStopToEntry(price: Money | null): boolean {
    const { entry, side, stop } = this
    if (entry === null || price === null || side * (price - entry) <= 0n) return false
    if (stop !== null && side * (stop - entry) >= 0n) return false
    this.isStopAtEntry = true
    this.#setLevels()
    return true
  }

  /** Requests the exit. A new request starts without the pauses of an earlier one. */
  wantExit(kind: ExitKind): void {
    if (this.intent !== kind) this.reportedRefusal = null
    this.intent = kind
    this.isExitTakenBack = false
    this.endPause()
  }

  /** Lets the next try of the exit come at once. */
  endPause(): void {
    this.#refusals = 0
    this.#unsent = 0
    this.retryAt = Number.NEGATIVE_INFINITY
  }

  /** Keeps the position that a signal asked to exit, because a newer signal wants its side. Returns false for other exits. */
  takeBackExit(): boolean {
    if (this.intent !== 'exit_signal') return false
    this.intent = null
    this.isExitTakenBack = true
    return true
  }

  /** Notes that an exit was refused. The next try comes after a pause that doubles. */
  noteRefusal(elapsed: number, { isKept, isSent }: { isKept: boolean; isSent: boolean }): void {
    const longest = this.#refusals < MANY_REFUSALS ? FIRST_LONGEST_PAUSE_MS : LONGEST_PAUSE_MS
    const pauses = isSent ? this.#refusals++ : this.#unsent++
    this.retryAt = elapsed + Math.min(FIRST_PAUSE_MS << Math.min(pauses, 8), longest)
    if (!isKept && this.intent !== null && ASKED_ONCE.has(this.intent)) this.intent = null
  }

  /** True if the broker has accepted an exit of the wanted kind, whatever became of it. */
  get isExitAccepted(): boolean {
    return this.#isAccepted(this.intent)
  }

  #isAccepted(kind: ExitKind | null): boolean {
    return this.orders.some(({ isPlaced, order }) => isPlaced && order.kind === kind)
  }

  /** True if it loses nothing at its own stop. */
  get isProtected(): boolean {
    const { entry, net, side, stop } = this
    return net > 0 && entry !== null && stop !== null && side * (stop - entry) >= 0n
  }

  /** True if the exit was refused since it was requested. */
  get wasRefused(): boolean {
    return this.#refusals > 0
  }

  /** Returns whether an exit waits after a refusal. */
  isPausedAt(elapsed: number): boolean {
    return elapsed < this.retryAt
  }

  /** Returns the intent that follows from the stored orders. */
  intentOfOrders(isKept: boolean): ExitKind | null {
    const last = this.lastExit
    if (!last || last.order.kind === 'entry') return null
    const kind = last.order.kind
    const isOver = !last.isWorking && last.status !== 'complete'
    const isDue = isKept || !ASKED_ONCE.has(kind) || (this.#isAccepted(kind) && !this.isExitTakenBack)
    const isGivenUp = isOver && !isDue
    return isGivenUp ? null : kind
  }

  checkpoint(): PositionCheckpoint {
    return {
      positionRef: this.ref,
      best: rupees(this.best),
      trailStop: rupees(this.trail),
      isTrailArmed: this.isTrailArmed,
      isStopAtEntry: this.isStopAtEntry,
      ...(this.isExitTakenBack && { isExitTakenBack: true }),
      orders: this.orders.map(({ order, filled, average }) => ({
        id: order.id,
        filledQuantity: filled,
        averagePrice: average,
      })),
    }
  }

  /** Restores the levels of a checkpoint. */
  restoreLevels(saved: PositionCheckpoint): void {
    this.best = saved.best === null ? null : toMoney(saved.best)
    this.trail = saved.trailStop === null ? null : toMoney(saved.trailStop)
    this.reportedTrail = this.trail
    this.isTrailArmed = saved.isTrailArmed
    this.isStopAtEntry = saved.isStopAtEntry
    this.isExitTakenBack = saved.isExitTakenBack ?? false
    this.#setLevels()
  }

  #filled(isEntered: boolean): Filled {
    const { entryAction } = this
    const sum: Filled = { quantity: 0, value: 0n }
    for (const { order, filled, value } of this.orders) {
      if ((order.action === entryAction) !== isEntered || filled === 0) continue
      sum.quantity += filled
      sum.value = sum.value === null || value === null ? null : sum.value + value
    }
    return sum
  }

  #setLevels(): void {
    const { entry, side, plan } = this
    if (entry === null) {
      this.stop = null
      this.target = null
      return
    }
    if (this.best === null || side * (entry - this.best) > 0n) this.best = entry
    this.target = initialLevels(plan, side, entry).target
    this.#moveTrail(entry, this.best)
  }

  #moveTrail(entry: Money, best: Money): boolean {
    const { side, plan } = this
    const before = this.stop
    this.isTrailArmed ||= isTrailArmed(plan, side, entry, best)
    this.trail = tighter(side, this.trail, trailStop(plan, side, entry, best))
    const floor = this.isStopAtEntry ? entry : null
    const levels: Levels = initialLevels(plan, side, entry)
    this.stop = tighter(side, tighter(side, levels.stop, floor), this.trail)
    return this.stop !== before
  }
}

function part(value: Money, share: number, whole: number): Money {
  return whole === 0 ? 0n : shareOf(value, share, whole)
}

function averageOf(quantity: number, value: Money): Money | null {
  return quantity === 0 ? null : unitPrice(value, quantity)
}

function rupees(money: Money | null): number | null {
  return money === null ? null : fromMoney(money)
}
