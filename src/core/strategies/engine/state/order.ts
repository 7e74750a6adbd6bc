import { costAt, type Money } from '../../../money/index.js'
import type { StrategyOrderStatus } from '../../config/vocabulary.js'
import type { OrderUpdate, RunOrder } from '../messages.js'

/** The change that one update makes to an order. */
export interface OrderChange {
  /** True if the filled quantity grew, or a fill without a price got one. */
  hasFill: boolean
  /** True if the order has just become complete, cancelled or rejected. */
  hasEnded: boolean
}

/** One order of a run, as the answers of the broker describe it. */
export class OrderState {
  status: StrategyOrderStatus = 'pending'
  filled = 0
  average: number | null = null
  /** The value of the filled quantity. Null while the price of the fills is unknown. */
  value: Money | null = 0n
  brokerOrderId: string | null = null
  /** False if this service refused the order and the broker never saw it. */
  isSent = true
  /** The reason of a refusal or an end. */
  reason: string | null = null
  /** True when the dispatch was answered, or the broker has reported the order. */
  isAnswered = false
  /** True when the broker is known to have the order. */
  isPlaced = false
  /** True while the order waits for a person's approval. */
  isQueued = false
  /** True while nobody knows whether the broker has the order, or how it ended. It counts as working. */
  isInDoubt = false
  /** True when the run wants the order cancelled. */
  isUnwanted = false
  /** The monotonic reading of the first retry that found the order working at the broker. */
  restsSince: number | null = null
  /** True once an event has reported that the order rests. */
  isRestReported = false

  constructor(readonly order: RunOrder) {}

  get isWorking(): boolean {
    return this.status === 'pending' || this.status === 'open'
  }

  get isEntry(): boolean {
    return this.order.kind === 'entry'
  }

  /** True if the broker filled another quantity than the run ordered: somebody has changed the order there. */
  get isChangedOutside(): boolean {
    return (
      this.filled > this.order.quantity || (this.status === 'complete' && this.filled < this.order.quantity)
    )
  }

  get remaining(): number {
    return this.order.quantity - this.filled
  }

  /** Returns whether this is the first news that the broker has the order. */
  accept(brokerOrderId: string | null): boolean {
    const isNews = !this.isPlaced
    this.isAnswered = true
    this.isPlaced = true
    this.isInDoubt = false
    this.brokerOrderId ??= brokerOrderId
    if (this.status === 'pending') this.status = 'open'
    return isNews
  }

  /** Ends the order, unless the broker has already reported more about it. Returns whether it ended. */
  refuse(reason: string, isSent = true): boolean {
    this.isAnswered = true
    if (!this.isWorking || this.filled > 0) return false
    this.isSent = isSent
    this.status = 'rejected'
    this.reason = reason
    return true
  }

  /** Ends an order that works, because its account is gone. */
  end(reason: string): void {
    this.isAnswered = true
    if (!this.isWorking) return
    this.status = 'cancelled'
    this.reason = reason
  }

  /**
   * Applies a cumulative update. An old or repeated one changes nothing. An order that ended stays ended, and a larger filled
   * quantity still counts: a fill is a fact.
   */
  apply(
    update: Pick<OrderUpdate, 'status' | 'filledQuantity' | 'averagePrice' | 'brokerOrderId' | 'reason'>,
  ): OrderChange {
    this.brokerOrderId ??= update.brokerOrderId ?? null
    const hasFill = this.#fill(this.#filledBy(update), priceOf(update.averagePrice))
    const hasEnded = this.isWorking && this.#end(update)
    return { hasFill, hasEnded }
  }

  #filledBy({ status, filledQuantity: filled }: Pick<OrderUpdate, 'status' | 'filledQuantity'>): number {
    if (status === 'complete' && !filled) return this.order.quantity
    // It may be more than the quantity of the order: somebody has changed the order at the broker.
    return filled !== null && Number.isSafeInteger(filled) ? filled : this.filled
  }

  #fill(filled: number, price: number | null): boolean {
    const grows = filled > this.filled
    const isPriced = this.value === null && price !== null && filled === this.filled
    if (!grows && !isPriced) return false
    this.filled = filled
    this.average = price
    this.value = price === null ? null : costAt(price, filled)
    if (!this.isWorking && filled >= this.order.quantity) this.status = 'complete'
    return true
  }

  #end({ status, reason }: Pick<OrderUpdate, 'status' | 'reason'>): boolean {
    if (status === 'pending') return false
    this.status = this.filled >= this.order.quantity ? 'complete' : status
    if (this.isWorking) return false
    this.reason ??= reason ?? null
    return true
  }
}

/** The highest believable price. A larger one would not fit into the ledger. */
const MAX_PRICE = 1e9

/** Returns a usable price in rupees; null if it is none. */
export function priceOf(price: number | null): number | null {
  return price !== null && price > 0 && price <= MAX_PRICE ? price : null
}
