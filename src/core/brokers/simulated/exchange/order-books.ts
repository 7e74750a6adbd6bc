import { exactQuantity, timesQuantity, toMoney } from '../../../money/index.js'
import {
  DAY_MS,
  istInstant,
  SECOND_MS,
  SESSION_ROLLOVER,
  sessionDate,
  sessionStart,
  wholeSeconds,
} from '../../../time/index.js'
import { BrokerError } from '../../broker.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import type { ExchangeGtt } from './exchange-gtt.js'
import { type ExchangeOrder, type ExchangeTrade, isActive } from './exchange-order.js'
import type { ExchangeStore } from './exchange-store.js'
import { Ledger, type LedgerPosition, type SeedHolding } from './ledger.js'
import type { Fill } from './matching.js'
import { refused } from './order-checks.js'

/** The changes of one step. They must be stored before they are published. */
export interface ExchangeChanges {
  orders: Set<ExchangeOrder>
  trades: ExchangeTrade[]
  gtts: Set<ExchangeGtt>
}

export function noChanges(): ExchangeChanges {
  return { orders: new Set(), trades: [], gtts: new Set() }
}

export function changesOf(order: ExchangeOrder): ExchangeChanges {
  return { ...noChanges(), orders: new Set([order]) }
}

/** The exchange's memory: the session's orders and trades, and the ledger of the account. It does no I/O. */
export class OrderBooks {
  readonly ledger: Ledger
  readonly #market: SimulatedMarket
  /** Orders of this session, and older ones until they are cancelled; oldest first. */
  readonly #orders = new Map<string, ExchangeOrder>()
  readonly #active = new Map<string, ExchangeOrder>()
  readonly #trades: ExchangeTrade[] = []
  #session = ''
  #nextOrder = 1
  #nextTrade = 1

  constructor(market: SimulatedMarket, holdings: readonly SeedHolding[]) {
    this.#market = market
    this.ledger = new Ledger(holdings)
  }

  /** Loads the stored state. The ledger is rebuilt from all trades ever, session by session. */
  async load(store: ExchangeStore, now: number): Promise<void> {
    const [trades, ids, orders] = [
      await store.trades(),
      await store.lastIds(),
      await store.ordersSince(sessionStart(now)),
    ]
    this.#nextOrder = Number(ids.order.slice(1)) + 1
    this.#nextTrade = Number(ids.trade.slice(1)) + 1
    for (const order of orders) this.add(order)
    for (const trade of trades) {
      this.#rollOverTo(sessionDate(trade.timestamp))
      this.#record(trade)
    }
  }

  get orders(): Iterable<ExchangeOrder> {
    return this.#orders.values()
  }

  /** Orders that can still trade, oldest first. */
  get active(): readonly ExchangeOrder[] {
    return [...this.#active.values()]
  }

  get hasActive(): boolean {
    return this.#active.size > 0
  }

  /** The session's trades, oldest first. */
  get trades(): readonly ExchangeTrade[] {
    return this.#trades
  }

  order(orderId: string): ExchangeOrder | undefined {
    return this.#orders.get(orderId)
  }

  /** Returns a waiting order. @throws BrokerError not_found, or rejected if the order is no longer waiting */
  waiting(orderId: string, verb: string): ExchangeOrder {
    const order = this.order(orderId)
    if (!order) {
      throw new BrokerError('not_found', `Order ${orderId} not found`, { brokerStatus: 404, sent: 'yes' })
    }
    if (!isActive(order)) {
      throw refused({ code: 'ORDER_STATUS', message: `Cannot ${verb} order in ${order.status} status` })
    }
    return order
  }

  newOrderId(): string {
    return numbered('S', this.#nextOrder++)
  }

  add(order: ExchangeOrder): void {
    this.#orders.set(order.orderId, order)
    if (isActive(order)) this.#active.set(order.orderId, order)
  }

  /** Records a fill of an order; the last fill completes it. */
  fill(order: ExchangeOrder, contract: Contract, fill: Fill, now: number): ExchangeTrade {
    const { orderId, symbol, exchange, action, product } = order
    const { quantity, price } = fill
    order.filledQuantity = exactQuantity(order.filledQuantity + quantity)
    order.filledValue += timesQuantity(toMoney(price), quantity)
    if (order.filledQuantity >= order.quantity) this.end(order, 'complete', now)
    return this.#newTrade({
      orderId,
      symbol,
      exchange,
      action,
      quantity,
      price,
      product,
      multiplier: contract.multiplier,
      timestamp: now,
    })
  }

  end(order: ExchangeOrder, status: 'complete' | 'cancelled', now: number): void {
    order.status = status
    order.updatedAt = now
    this.#active.delete(order.orderId)
  }

  /**
   * Rolls the books over to the session of `now`: intraday positions and day orders of earlier sessions end, deliveries
   * settle, and open positions in expired contracts are closed at the settlement price.
   */
  rollOver(now: number): ExchangeChanges {
    const changes = noChanges()
    // A date that goes back is no new session: the clock was set back.
    if (sessionDate(now) <= this.#session) return changes
    this.#squareOff(changes)
    this.#rollOverTo(sessionDate(now))
    for (const [orderId, order] of this.#orders) {
      if (sessionDate(order.opensAt ?? order.placedAt) >= this.#session) continue
      this.#orders.delete(orderId)
      if (!isActive(order)) continue
      order.rejectionReason = 'Day order, cancelled at the end of its session'
      this.end(order, 'cancelled', now)
      changes.orders.add(order)
    }
    this.#settleExpired(now, changes)
    return changes
  }

  #rollOverTo(session: string): void {
    if (session === this.#session) return
    this.#session = session
    this.#trades.length = 0
    this.ledger.startSession()
  }

  #settleExpired(now: number, changes: ExchangeChanges): void {
    for (const position of this.ledger.positions) {
      const contract = this.#market.listedOrExpired(position)
      if (position.quantity === 0 || !contract) continue
      if (!this.#market.hasExpired(contract, wholeSeconds(now))) continue
      const price = this.#market.settlementPrice(contract)
      changes.trades.push(this.#close(position, { orderId: 'SETTLEMENT', price, timestamp: now }))
    }
  }

  /**
   * Closes the intraday positions of the session that is over at their last price, as brokers do before the close. They end
   * in that session. A market that never closes ends none.
   */
  #squareOff(changes: ExchangeChanges): void {
    if (this.#session === '') return
    const timestamp = istInstant(this.#session, SESSION_ROLLOVER) + DAY_MS - SECOND_MS
    const second = wholeSeconds(timestamp)
    for (const position of this.ledger.positions) {
      const contract = this.#market.listedOrExpired(position)
      if (position.product !== 'MIS' || position.quantity === 0 || !contract) continue
      if (this.#market.isOpen(contract, second) || this.#market.hasExpired(contract, second)) continue
      const price = this.#market.lastPrice(contract, second)
      changes.trades.push(this.#close(position, { orderId: 'SQUARE_OFF', price, timestamp }))
    }
  }

  /** Closes a whole position without an order. */
  #close(
    { exchange, multiplier, product, quantity, symbol }: LedgerPosition,
    trade: Pick<ExchangeTrade, 'orderId' | 'price' | 'timestamp'>,
  ): ExchangeTrade {
    const action = quantity > 0 ? 'SELL' : 'BUY'
    return this.#newTrade({
      symbol,
      exchange,
      action,
      quantity: Math.abs(quantity),
      product,
      multiplier,
      ...trade,
    })
  }

  #newTrade(fields: Omit<ExchangeTrade, 'tradeId'>): ExchangeTrade {
    const trade = { tradeId: numbered('T', this.#nextTrade++), ...fields }
    this.#record(trade)
    return trade
  }

  #record(trade: ExchangeTrade): void {
    this.#trades.push(trade)
    this.ledger.apply(trade)
  }
}

/** Returns an id such as `S00000000042`, which also sorts correctly as text. */
function numbered(prefix: string, number: number): string {
  return prefix + String(number).padStart(11, '0')
}
