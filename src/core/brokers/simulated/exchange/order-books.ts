import { exactQuantity, timesQuantity, toMoney } from '../../../money/index.js'
import { sessionDate, sessionStart, wholeSeconds } from '../../../time/index.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import type { ExchangeGtt } from './exchange-gtt.js'
import { type ExchangeOrder, type ExchangeTrade, isActive } from './exchange-order.js'
import type { ExchangeStore } from './exchange-store.js'
import { Ledger, type SeedHolding } from './ledger.js'
import type { Fill } from './matching.js'

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
   * Rolls the books over to the session of `now`: day orders of earlier sessions are cancelled, deliveries
   * settle, and open positions in expired contracts are closed at the settlement price.
   */
  rollOver(now: number): ExchangeChanges {
    const changes = noChanges()
    if (sessionDate(now) === this.#session) return changes
    this.#rollOverTo(sessionDate(now))
    for (const [orderId, order] of this.#orders) {
      if (sessionDate(order.placedAt) === this.#session) continue
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
      const trade = this.#newTrade({
        orderId: 'SETTLEMENT',
        symbol: position.symbol,
        exchange: position.exchange,
        action: position.quantity > 0 ? 'SELL' : 'BUY',
        quantity: Math.abs(position.quantity),
        price: this.#market.settlementPrice(contract),
        product: position.product,
        multiplier: position.multiplier,
        timestamp: now,
      })
      changes.trades.push(trade)
    }
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
