import type { Money } from '../../../money/index.js'
import type { TickSource } from '../../config/vocabulary.js'
import { type LegPlan, legPlan, type Side } from '../risk/leg.js'
import type { Contract, RunLeg } from '../types.js'
import { Position } from './position.js'

/** The price at which a leg enters again. */
export interface ReentryWait {
  price: Money
  /** True if the price must rise to it, false if it must fall to it. */
  isRise: boolean
}

/** One leg of a run: its positions, oldest first, and the last price. */
export class LegState {
  readonly plan: LegPlan
  readonly positions: Position[] = []
  /** The contract of the leg. Stored orders decide it when a run is restored. */
  contract: Contract
  /** The last price as the feed sent it. */
  price: number | null = null
  ltp: Money | null = null
  source: TickSource = 'ws'
  wait: ReentryWait | null = null
  /** True once a person closed the leg: it does not enter again. */
  isReentryOff = false
  /** True once the leg was squared off because its contract expires. */
  isExpired = false
  /** The positions that hold something. */
  held: readonly Position[] = []
  /** True if the next tick is to be judged even at the same price. */
  isDue = true
  realized: Money = 0n
  unrealized: Money = 0n

  constructor(readonly config: RunLeg) {
    this.plan = legPlan(config.risk)
    this.contract = { symbol: config.symbol, exchange: config.exchange }
  }

  get id(): number {
    return this.config.id
  }

  get newest(): Position | undefined {
    return this.positions.at(-1)
  }

  /** The current position, if it is held or an order of it works. */
  get live(): Position | undefined {
    const { newest } = this
    return newest?.isFlat === false ? newest : undefined
  }

  /** The older positions that are not flat: the outgoing sides of flips. */
  get outgoing(): Position[] {
    return this.positions.filter((one) => one !== this.newest && !one.isFlat)
  }

  get isFlat(): boolean {
    return this.positions.every((one) => one.isFlat)
  }

  isOn(symbol: string, exchange: string): boolean {
    return this.contract.symbol === symbol && this.contract.exchange === exchange
  }

  isOutgoing(position: Position): boolean {
    return position !== this.newest
  }

  /** Adds a position. Every older one becomes outgoing. */
  open(ref: string, side: Side): Position {
    const position = new Position(ref, this.id, this.contract, side, this.plan)
    this.positions.push(position)
    return position
  }

  /** Counts the leg again after a fill or an end of an order. */
  refresh(): void {
    this.held = this.positions.filter(({ net }) => net !== 0)
    this.realized = this.positions.reduce((sum, one) => sum + one.realized, 0n)
    this.isDue = true
    this.revalue()
  }

  /** Values the held positions at the last price. */
  revalue(): void {
    let sum = 0n
    for (const position of this.held) sum += position.unrealized(this.ltp)
    this.unrealized = sum
  }
}
