import { type Money, toMoney } from '../../../money/index.js'
import { nextRollover } from '../../../time/index.js'
import type { StopReason } from '../../config/vocabulary.js'
import type { Contract, RunDefinition } from '../definition.js'
import type { RunEffect, RunEvent } from '../messages.js'
import { type RunPlan, runPlan } from '../risk/aggregate.js'
import type { IdMaker } from '../types.js'
import type { Attempt } from './attempt.js'
import { LegState } from './leg.js'
import type { OrderState } from './order.js'
import type { Position } from './position.js'

const NO_EFFECTS: readonly RunEffect[] = Object.freeze([])

/** Everything that one run knows, and the effects that it has asked for since the last input. */
export class RunState {
  readonly legs: readonly LegState[]
  readonly plan: RunPlan
  /** The total at the last end of a session that the run was open over. Null in the session in which it began. */
  carried: Money | null = null
  /** The end of the session. */
  sessionEndsAt: number
  readonly orders = new Map<string, OrderState>()
  readonly positions = new Map<string, Position>()
  attempts: Attempt[] = []
  /** The exchanges that were closed at the last retry. */
  closed: ReadonlySet<string> = new Set()
  hasStarted = false
  /** The reason of the first stop request. */
  stop: StopReason | null = null
  /** The reason the run ended for. */
  ended: StopReason | null = null
  /** True while a fill that came after the end is squared off. */
  isReopened = false
  /** True while a restore applies news: their consequences wait until all of them are known. */
  isRestoring = false
  realized: Money = 0n
  unrealized: Money = 0n
  peak: Money = 0n
  trough: Money = 0n
  /** The floor of the profit lock. Null until it is armed. */
  floor: Money | null = null
  /** The floor that the last event reported, and the reading of that event. */
  reportedFloor: Money | null = null
  reportedFloorAt = Number.NEGATIVE_INFINITY
  isTrailToEntryActive = false
  /** True if the profit of every leg is a true one. Peak and trough follow only such totals. */
  isTotalCurrent = true
  /** The reading from which the total could not be judged, because it is not current. Null while it is. */
  blindSince: number | null = null
  /** The contracts whose ticks the run wants. */
  watched: Contract[] = []
  readonly #earlierRuns: Money
  #effects: RunEffect[] | null = null

  constructor(
    readonly definition: RunDefinition,
    readonly ids: IdMaker,
    /** The moment of the last input: for the times of the calendar. */
    public now: number,
    /** The monotonic reading of the last input: for durations, which a step of the clock must not shorten or stretch. */
    public elapsed: number,
  ) {
    this.legs = definition.legs.map((leg) => new LegState(leg))
    this.plan = runPlan(definition.risk)
    this.#earlierRuns = toMoney(definition.earlierRealized)
    this.sessionEndsAt = nextRollover(now)
  }

  /**
   * The amount that the daily loss limit adds to the total: the profit that earlier runs of the session realised. A run
   * that is carried over starts the next session at zero.
   */
  get earlier(): Money {
    return this.carried === null ? this.#earlierRuns : -this.carried
  }

  /** The profit that it realised in this session. */
  get sessionRealized(): Money {
    return this.realized - (this.carried ?? 0n)
  }

  get total(): Money {
    return this.realized + this.unrealized
  }

  get isFlat(): boolean {
    return this.legs.every((leg) => leg.isFlat)
  }

  leg(id: number): LegState | undefined {
    return this.legs.find((one) => one.id === id)
  }

  /** Adds an order to its position. */
  addOrder(state: OrderState, position: Position): void {
    this.orders.set(state.order.id, state)
    this.positions.set(position.ref, position)
    position.orders.push(state)
  }

  /** Sums the legs up. Peak and trough follow if the total is a true one. */
  sumUp(): void {
    let [realized, unrealized] = [0n, 0n]
    let isCurrent = true
    for (const leg of this.legs) {
      realized += leg.realized
      unrealized += leg.unrealized
      isCurrent &&= leg.isValued
    }
    this.realized = realized
    this.unrealized = unrealized
    this.isTotalCurrent = isCurrent
    if (!isCurrent) return
    this.blindSince = null
    const { total } = this
    if (total > this.peak) this.peak = total
    if (total < this.trough) this.trough = total
  }

  emit(effect: RunEffect): void {
    this.#effects ??= []
    this.#effects.push(effect)
  }

  event(event: RunEvent): void {
    this.emit({ type: 'event', event })
  }

  /** Returns the effects since the last call. Without any it allocates nothing. */
  takeEffects(): readonly RunEffect[] {
    const effects = this.#effects ?? NO_EFFECTS
    this.#effects = null
    return effects
  }

  get hasEffects(): boolean {
    return this.#effects !== null
  }
}
