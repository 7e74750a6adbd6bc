import {
  exactQuantity,
  formatMoney,
  fromMoney,
  type Money,
  shareOf,
  timesQuantity,
  toMoney,
  toRupees,
  unitPrice,
  unitsIn,
} from '../../../money/index.js'
import { isDeliverySale, type OrderProduct } from '../../../orders/schema.js'
import type { BrokerFunds, BrokerHolding, BrokerPosition } from '../../broker.js'
import type { Contract } from '../market/contract.js'
import type { SimulatedMarket } from '../market/simulated-market.js'
import { type ExchangeOrder, remaining } from './exchange-order.js'
import type { Ledger, LedgerPosition } from './ledger.js'
import { marginOf, marginPrice } from './margin.js'

/** The money of the account: margins, available cash, and the rows of the portfolio. */
export class ExchangeAccount {
  readonly #startingCash: Money
  readonly #ledger: Ledger
  readonly #market: SimulatedMarket

  constructor(startingCash: Money, ledger: Ledger, market: SimulatedMarket) {
    this.#startingCash = startingCash
    this.#ledger = ledger
    this.#market = market
  }

  /** Returns the margin that is available for new orders after the margin of the waiting orders. */
  available(waiting: Iterable<ExchangeOrder>, second: number): Money {
    return this.#cash() - this.#positionMargin() - this.orderMargin(waiting, second)
  }

  /**
   * Returns the margin of the waiting orders. Only the part that increases a position needs margin. The part
   * that closes a position is free, and each unit of a position can be closed by one order only.
   */
  orderMargin(waiting: Iterable<ExchangeOrder>, second: number): Money {
    const closable = new Map<string, number>()
    let sum = 0n
    for (const order of waiting) {
      const contract = this.#market.contract(order)
      if (!contract) continue
      const key = `${contract.key}:${order.product}:${order.action}`
      const free = closable.get(key) ?? this.#closableBy(order)
      const closing = Math.min(free, remaining(order))
      closable.set(key, exactQuantity(free - closing))
      const opening = exactQuantity(remaining(order) - closing)
      if (opening === 0) continue
      const value = notional(contract, marginPrice(order, this.#market.lastPrice(contract, second)), opening)
      sum += marginOf(value, contract.kind, order.product, order.action === 'SELL')
    }
    return sum
  }

  /** Returns the shares that may still be sold for delivery, after those in waiting sell orders. */
  deliverable(order: { symbol: string; exchange: string }, waiting: Iterable<ExchangeOrder>) {
    const position = this.#ledger.position(order.symbol, order.exchange, 'CNC')?.quantity ?? 0
    const holding = this.#ledger.holding(order.symbol, order.exchange)?.quantity ?? 0
    let offered = 0
    for (const other of waiting) {
      if (other.action !== 'SELL' || other.product !== 'CNC') continue
      if (other.symbol === order.symbol && other.exchange === order.exchange) offered += remaining(other)
    }
    return { position, holding, available: exactQuantity(position + holding - offered) }
  }

  /** @param sessionStart the second at which the session started */
  positions(second: number, sessionStart: number): BrokerPosition[] {
    return this.#ledger.positions.map((position) => {
      const ltp = this.#lastPrice(position, second)
      const unrealized = this.#unrealized(position, ltp)
      // The profit that was open when the session started belongs to earlier days.
      const atStart = { ...position, ...position.carried }
      const previousClose = this.#lastPrice(position, sessionStart)
      const earlier = this.#unrealized(atStart, previousClose)
      const ofDay = isDeliverySale(position) ? this.#unrealized(position, previousClose) : unrealized
      return {
        symbol: position.symbol,
        exchange: position.exchange,
        product: position.product,
        quantity: position.quantity,
        averagePrice: averageOf(position),
        ltp,
        pnl: toRupees(unrealized + position.realized),
        realized: toRupees(position.realized),
        unrealized: toRupees(unrealized),
        dayPnl: toRupees(ofDay + position.realized - earlier),
      }
    })
  }

  /** Like the book of a broker, it leaves out what was sold today: the positions show that as a negative quantity. */
  holdings(second: number): BrokerHolding[] {
    return this.#ledger.holdings.map((holding) => {
      const { cost, exchange, quantity: openingQuantity, symbol } = holding
      const position = this.#ledger.position(symbol, exchange, 'CNC')?.quantity ?? 0
      const quantity = exactQuantity(openingQuantity + Math.min(position, 0))
      const averagePrice = fromMoney(unitPrice(cost, openingQuantity))
      const contract = this.#market.contract(holding)
      const ltp = contract ? this.#market.lastPrice(contract, second) : averagePrice
      const pnl = toRupees(timesQuantity(toMoney(ltp), quantity) - shareOf(cost, quantity, openingQuantity))
      return {
        symbol,
        exchange,
        product: 'CNC',
        quantity,
        openingQuantity,
        averagePrice,
        ltp,
        pnl,
      }
    })
  }

  funds(waiting: Iterable<ExchangeOrder>, second: number): BrokerFunds {
    const utilized = this.#positionMargin() + this.orderMargin(waiting, second)
    let [realized, unrealized] = [0n, 0n]
    for (const position of this.#ledger.positions) {
      realized += position.realized
      unrealized += this.#unrealized(position, this.#lastPrice(position, second))
    }
    return {
      availableCash: formatMoney(this.#cash() - utilized),
      collateral: '0.00',
      unrealized: formatMoney(unrealized),
      realized: formatMoney(realized),
      utilized: formatMoney(utilized),
    }
  }

  #cash(): Money {
    return this.#startingCash + this.#ledger.realizedEver - this.#ledger.settledCost
  }

  #positionMargin(): Money {
    let sum = 0n
    for (const position of this.#ledger.positions) {
      if (position.quantity === 0) continue
      const kind = this.#market.listedOrExpired(position)?.kind ?? 'cash'
      sum += marginOf(position.cost, kind, position.product, position.quantity < 0)
    }
    return sum
  }

  #closableBy(order: ExchangeOrder): number {
    const quantity = this.#ledger.position(order.symbol, order.exchange, order.product)?.quantity ?? 0
    return order.action === 'SELL' ? Math.max(0, quantity) : Math.max(0, -quantity)
  }

  #lastPrice(position: LedgerPosition, second: number): number {
    const contract = this.#market.listedOrExpired(position)
    return contract ? this.#market.lastPrice(contract, second) : averageOf(position)
  }

  #unrealized(position: LedgerPosition, ltp: number): Money {
    const { quantity, multiplier, cost } = position
    const worth = timesQuantity(toMoney(ltp), unitsIn(Math.abs(quantity), multiplier))
    return quantity >= 0 ? worth - cost : cost - worth
  }
}

function averageOf(position: {
  cost: Money
  quantity: number
  multiplier: number
  product: OrderProduct
}): number {
  return fromMoney(unitPrice(position.cost, unitsIn(Math.abs(position.quantity), position.multiplier)))
}

function notional(contract: Contract, price: number, quantity: number): Money {
  return timesQuantity(toMoney(price), unitsIn(quantity, contract.multiplier))
}
