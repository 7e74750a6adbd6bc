import { fromMoney, type Money, shareOf, timesQuantity, toMoney, unitPrice } from '../../../money/index.js'
import type { ExitKind, OrderAction } from '../../config/vocabulary.js'
import {
  initialLevels,
  isTrailArmed,
  type LegPlan,
  type Levels,
  type Side,
  tighter,
  trailStop,
} from '../risk/leg.js'
import type { Contract, PositionCheckpoint } from '../types.js'
import type { OrderState } from './order.js'

/** The filled quantity of one side of a position and its value. The value is null while a fill has no price. */
interface Filled {
  quantity: number
  value: Money | null
}

/** Exits of these kinds are given up when they are refused: a person or a signal asks again. */
const ASKED_ONCE: ReadonlySet<ExitKind> = new Set(['exit_leg_manual', 'exit_signal'])
const FIRST_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 60_000

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
  /** The trail stop that the last event told. */
  reportedTrail: Money | null = null
  /** True once the stop of another leg has moved this one's stop to the entry. */
  isStopAtEntry = false
  /** The kind of the exit that is wanted. Null if the position may stay. */
  intent: ExitKind | null = null
  /** The last refusal that an event has told, so that each is told once. */
  toldRefusal: string | null = null
  /** The exit is not tried again before this moment. */
  retryAt = 0
  /** True when the end of the position has had its consequences. */
  isSettled = false
  #refusals = 0
  /** The value of the held units at their fills. */
  #openValue: Money = 0n
  #hasUnpriced = false

  constructor(
    readonly ref: string,
    readonly legId: number,
    readonly contract: Contract,
    readonly side: Side,
    readonly plan: LegPlan,
  ) {}

  get held(): number {
    return this.net < 0 ? -this.net : this.net
  }

  /** True if nothing is held and no order of the position works. */
  get isFlat(): boolean {
    return this.net === 0 && !this.orders.some(({ isWorking }) => isWorking)
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
  get exitAction(): OrderAction {
    return this.side > 0n === this.net >= 0 ? 'SELL' : 'BUY'
  }

  get entryAction(): OrderAction {
    return this.side > 0n ? 'BUY' : 'SELL'
  }

  /** Returns the profit of the held units at a price. 0 while a fill has no price. */
  unrealized(price: Money | null): Money {
    if (this.net === 0 || price === null || this.#hasUnpriced) return 0n
    const sign = this.net > 0 ? this.side : -this.side
    return sign * (timesQuantity(price, this.held) - this.#openValue)
  }

  /** Counts the fills of all orders again and sets the levels that follow from the entry average. */
  recount(): void {
    const [entered, left] = [this.#filled(true), this.#filled(false)]
    this.net = entered.quantity - left.quantity
    this.#hasUnpriced = entered.value === null || left.value === null
    if (entered.value === null || left.value === null) {
      this.realized = 0n
      this.entry = entered.value === null ? null : averageOf(entered.quantity, entered.value)
    } else {
      const matched = this.net < 0 ? entered.quantity : left.quantity
      const cost = part(entered.value, matched, entered.quantity)
      const proceeds = part(left.value, matched, left.quantity)
      this.realized = this.side * (proceeds - cost)
      this.#openValue = this.net < 0 ? left.value - proceeds : entered.value - cost
      this.entry = averageOf(entered.quantity, entered.value)
    }
    this.#setLevels()
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

  /** Wants the exit. A new wish starts without the pauses of an earlier one. */
  wantExit(kind: ExitKind): void {
    if (this.intent !== kind) this.toldRefusal = null
    this.intent = kind
    this.#refusals = 0
    this.retryAt = 0
  }

  /** Notes that the broker refused an exit. The next try comes after a pause that doubles. */
  noteRefusal(at: number, isKept: boolean): void {
    this.retryAt = at + Math.min(FIRST_PAUSE_MS << Math.min(this.#refusals++, 8), LONGEST_PAUSE_MS)
    if (!isKept && this.intent !== null && ASKED_ONCE.has(this.intent)) this.intent = null
  }

  /** Returns the intent that the stored orders tell. */
  intentOfOrders(isKept: boolean): ExitKind | null {
    const last = this.lastExit
    if (!last || last.order.kind === 'entry') return null
    const kind = last.order.kind
    const isGivenUp = !isKept && ASKED_ONCE.has(kind) && !last.isWorking && last.status !== 'complete'
    return isGivenUp ? null : kind
  }

  checkpoint(): PositionCheckpoint {
    return {
      positionRef: this.ref,
      best: rupees(this.best),
      trailStop: rupees(this.trail),
      isTrailArmed: this.isTrailArmed,
      isStopAtEntry: this.isStopAtEntry,
      orders: this.orders.map(({ order, filled, average }) => ({
        id: order.id,
        filledQuantity: filled,
        averagePrice: average,
      })),
    }
  }

  /** Takes the levels of a checkpoint over. */
  restoreLevels(saved: PositionCheckpoint): void {
    this.best = saved.best === null ? null : toMoney(saved.best)
    this.trail = saved.trailStop === null ? null : toMoney(saved.trailStop)
    this.reportedTrail = this.trail
    this.isTrailArmed = saved.isTrailArmed
    this.isStopAtEntry = saved.isStopAtEntry
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
