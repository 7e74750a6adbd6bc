import type { Money } from '../../../money/index.js'
import { MINUTE_MS } from '../../../time/index.js'
import type { TickSource } from '../../config/vocabulary.js'
import type { Contract, LegLimits, RunLeg } from '../definition.js'
import { type LegPlan, legPlan, type Side } from '../risk/leg.js'
import { Position } from './position.js'

/** The price at which a leg enters again. */
export interface ReentryWait {
  price: Money
  /** True if the price must rise to it, false if it must fall to it. */
  isRise: boolean
}

/** The run leaves a position this long before its account closes it, or its exchange closes. */
const BEFORE_DAY_END_MS = MINUTE_MS
const NEVER = Number.POSITIVE_INFINITY

/** The moment at which a run squares a leg off by itself, and the reason. */
interface SquareOff {
  at: number
  reason: 'expiry' | 'eod'
  /** True if the reason is the close of the exchange, not the end of the product. */
  isClose: boolean
}

/**
 * Returns when a run squares a leg off by itself: before its contract ends, before its account closes it, and for an
 * intraday strategy before its exchange closes.
 */
export function squareOffOf({ closesAt, intradayEndsAt, squareOffAt }: LegLimits): SquareOff {
  const expiry = squareOffAt ?? NEVER
  const [close, productEnd] = [closesAt ?? NEVER, intradayEndsAt ?? NEVER]
  const dayEnd = Math.min(close, productEnd) - BEFORE_DAY_END_MS
  return dayEnd < expiry
    ? { at: dayEnd, reason: 'eod', isClose: close < productEnd }
    : { at: expiry, reason: 'expiry', isClose: false }
}

/** Returns the moment from which the account holds no position of a leg any more, whoever closed it. */
function endOf({ expiresAt, intradayEndsAt }: LegLimits): number {
  return Math.min(expiresAt ?? NEVER, intradayEndsAt ?? NEVER)
}

/** One leg of a run: its positions, oldest first, and the last price. */
export class LegState {
  readonly plan: LegPlan
  squareOff: SquareOff
  /** The moment from which the account holds no position of the leg any more, whoever closed it. */
  endsAt: number
  /** The largest order that the exchange accepts. */
  largestOrder: number
  readonly positions: Position[] = []
  /** The contract of the leg. Stored orders decide it when a run is restored. */
  contract: Contract
  /** The last price as the feed sent it. */
  price: number | null = null
  ltp: Money | null = null
  /**
   * True until a price comes after a restore, after the exchange opens or after the feed went stale. The total of the run
   * is not a true one until then.
   */
  isPriceOld = false
  /** True while a fill of a position has no price. */
  hasUnpricedFill = false
  source: TickSource = 'ws'
  wait: ReentryWait | null = null
  /** True once a person closed the leg: it does not enter again. */
  isReentryOff = false
  /** True once the leg was squared off because its contract or its day ends. It does not enter again. */
  isOver = false
  /** The positions that hold something. */
  held: readonly Position[] = []
  /** True if the next tick is to be judged even at the same price. */
  isDue = true
  realized: Money = 0n
  unrealized: Money = 0n

  constructor(readonly config: RunLeg) {
    this.plan = legPlan(config.risk)
    this.squareOff = squareOffOf(config)
    this.endsAt = endOf(config)
    this.largestOrder = config.largestOrder ?? NEVER
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

  /**
   * Returns whether an entry of this side cannot make the leg hold more than its quantity, whatever becomes of the orders
   * that work: no position of the side is held or may still be. An order in doubt works.
   */
  mayOpen(side: Side): boolean {
    return this.positions.every((one) => one.isFlat || one.side !== side)
  }

  /** True if its profit is a true one: it holds nothing or has a current price, and each fill has a price. */
  get isValued(): boolean {
    return !this.hasUnpricedFill && (this.held.length === 0 || (this.ltp !== null && !this.isPriceOld))
  }

  isOn(symbol: string, exchange: string): boolean {
    return this.contract.symbol === symbol && this.contract.exchange === exchange
  }

  isOutgoing(position: Position): boolean {
    return position !== this.newest
  }

  /**
   * Takes limits that may have changed. An end that is already over when the run learns of it does not count: the position
   * may still be there, so the run tries to leave it.
   */
  limit(limits: LegLimits, now: number): void {
    this.squareOff = squareOffOf(limits)
    this.largestOrder = limits.largestOrder ?? NEVER
    const endsAt = endOf(limits)
    if (endsAt > now) this.endsAt = endsAt
  }

  /** Adds a position. Every older one becomes outgoing. */
  open(ref: string, side: Side): Position {
    const { contract, config, id, plan } = this
    const position = new Position(ref, id, contract, side, plan, config.contractValue)
    this.positions.push(position)
    return position
  }

  /** Counts the leg again after a fill or an end of an order. */
  refresh(): void {
    this.held = this.positions.filter(({ isGone, net }) => net !== 0 && !isGone)
    this.realized = this.positions.reduce((sum, one) => sum + one.realized, 0n)
    this.hasUnpricedFill = this.positions.some(({ isGone, isPartial }) => isPartial && !isGone)
    this.isDue = true
    this.revalue()
  }

  /** Forgets the last price and its source. */
  forgetPrice(): void {
    this.price = null
    this.ltp = null
    this.isPriceOld = false
    this.source = 'ws'
  }

  /** Values the held positions at the last price. */
  revalue(): void {
    let sum = 0n
    for (const position of this.held) sum += position.unrealized(this.ltp)
    this.unrealized = sum
  }
}
