import { z } from 'zod'
import {
  type BrokerContext,
  BrokerError,
  type BrokerFunds,
  type BrokerHolding,
  type BrokerMarket,
  type BrokerPortfolio,
  type BrokerPosition,
  type CallRank,
} from '../broker.js'
import type { ContractSizes } from '../kit/books/contract-sizes.js'
import { type DayTurnover, withDayPnl } from '../kit/books/day-pnl.js'
import { rupees } from '../kit/books/rupees.js'
import { quotesIfAny } from '../kit/market/quotes-if-any.js'
import type { DhanApi } from './api.js'
import { NO_HOLDINGS } from './errors.js'
import { placeOf, UNITS } from './places.js'
import { type DhanHolding, type DhanPosition, funds, holdingRow, positionRow } from './wire.js'
import { productOf } from './words.js'

/**
 * Positions, holdings and funds over Dhan's REST API. Its rows have neither last prices nor previous closes: quotes do, which need
 * a data plan of their own.
 */
export class DhanPortfolio implements BrokerPortfolio {
  readonly #api: DhanApi
  readonly #context: BrokerContext
  readonly #market: Pick<BrokerMarket, 'quotes'>

  readonly #sizes: ContractSizes

  constructor(
    api: DhanApi,
    context: BrokerContext,
    { market, sizes }: { market: Pick<BrokerMarket, 'quotes'>; sizes: ContractSizes },
  ) {
    this.#api = api
    this.#context = context
    this.#market = market
    this.#sizes = sizes
  }

  async positions(rank: CallRank = 'read'): Promise<BrokerPosition[]> {
    const rows = await this.#positionRows(rank)
    return withDayPnl(
      rows.map((row) => toPosition(this.#context, this.#sizes, row)),
      this.#market,
      rank,
    )
  }

  async holdings(rank: CallRank = 'read'): Promise<BrokerHolding[]> {
    const rows = await this.#api.get('/holdings', z.array(holdingRow), rank).catch((error: unknown) => {
      if (error instanceof BrokerError && error.brokerCode === NO_HOLDINGS) return []
      throw error
    })
    const held = rows.map((row) => toHolding(this.#context, row))
    // An exit needs the quantities, and quotes have a limit of their own.
    const unpriced = rank === 'exit' ? [] : held.filter(({ ltp }) => ltp === 0)
    const quotes = unpriced.length === 0 ? [] : await quotesIfAny(this.#market, unpriced)
    return held.map((holding) => {
      const quote = quotes[unpriced.indexOf(holding)]
      const ltp = holding.ltp || (quote && 'ltp' in quote ? quote.ltp : 0)
      return { ...holding, ltp, pnl: ltp > 0 ? holding.quantity * (ltp - holding.averagePrice) : 0 }
    })
  }

  async funds(): Promise<BrokerFunds> {
    const [read, positions] = await Promise.all([
      this.#api.get('/fundlimit', funds),
      this.#positionRows('read'),
    ])
    return {
      availableCash: rupees(read.availabelBalance, -read.collateralAmount),
      collateral: rupees(read.collateralAmount),
      unrealized: rupees(...positions.map((row) => row.unrealizedProfit)),
      realized: rupees(...positions.map((row) => row.realizedProfit)),
      utilized: rupees(read.utilizedAmount),
    }
  }

  #positionRows(rank: CallRank): Promise<DhanPosition[]> {
    return this.#api.get('/positions', z.array(positionRow), rank)
  }
}

/** A multiplier says that a counted unit is no unit of the price, where Dhan is known to count those. */
function toPosition(context: BrokerContext, sizes: ContractSizes, row: DhanPosition): DayTurnover {
  const { contract, ref } = placeOf(context, row)
  const { netQty: count, realizedProfit: realized, unrealizedProfit: unrealized } = row
  const opened = count > 0 ? row.buyAvg : row.sellAvg
  const averagePrice = count === 0 ? 0 : row.costPrice || opened
  sizes.note(contract, row.multiplier)
  const unsettled = sizes.problemOf(contract)
  return {
    ...ref,
    product: productOf(row.productType),
    quantity: UNITS.unitsOf(contract, count),
    ...(unsettled !== undefined && { unsettled }),
    averagePrice,
    // What the profit implies, as long as no quote tells the price.
    ltp: count === 0 ? 0 : averagePrice + unrealized / count,
    pnl: realized + unrealized,
    realized,
    unrealized: count === 0 ? 0 : unrealized,
    carried: UNITS.unitsOf(contract, row.carryForwardBuyQty - row.carryForwardSellQty),
    bought: row.dayBuyValue,
    sold: row.daySellValue,
  }
}

/** Dhan's total has the shares of T+1, which are owned and can be sold. */
function toHolding(context: BrokerContext, row: DhanHolding): BrokerHolding {
  const exchangeSegment = row.exchange === 'BSE' ? 'BSE_EQ' : 'NSE_EQ'
  return {
    ...placeOf(context, { ...row, exchangeSegment }).ref,
    product: 'CNC',
    quantity: row.totalQty,
    openingQuantity: Math.max(row.totalQty, row.dpQty + row.t1Qty),
    averagePrice: row.avgCostPrice,
    ltp: row.lastTradedPrice,
    pnl: 0,
  }
}
