import { z } from 'zod'
import type {
  BrokerContext,
  BrokerFunds,
  BrokerHolding,
  BrokerMarket,
  BrokerPortfolio,
  BrokerPosition,
  CallRank,
} from '../broker.js'
import type { ContractSizes } from '../kit/books/contract-sizes.js'
import { type CountedPosition, withSalesAtClose } from '../kit/books/day-pnl.js'
import { PreviousCloses } from '../kit/books/previous-closes.js'
import { rupees } from '../kit/books/rupees.js'
import type { KiteApi } from './api.js'
import { unitsOf } from './master/lots.js'
import { contractOf, refOf } from './symbols.js'
import {
  holdingRow,
  type KiteHolding,
  type KiteMargin,
  type KitePosition,
  margins,
  positionBook,
} from './wire.js'

interface Sources {
  market: Pick<BrokerMarket, 'quotes'>
  sizes: ContractSizes
}

/** Positions, holdings and funds over Kite's REST API. */
export class KitePortfolio implements BrokerPortfolio {
  readonly #api: KiteApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  readonly #closes: PreviousCloses

  constructor(api: KiteApi, context: BrokerContext, { market, sizes }: Sources) {
    this.#api = api
    this.#context = context
    this.#closes = new PreviousCloses(market, context.clock)
    this.#sizes = sizes
  }

  async positions(rank: CallRank = 'read'): Promise<BrokerPosition[]> {
    return withSalesAtClose(await this.#counted(rank), this.#closes, rank)
  }

  async #counted(rank: CallRank): Promise<CountedPosition[]> {
    const book = await this.#api.get('/portfolio/positions', positionBook, { rank })
    for (const row of book.net) this.#sizes.note(contractOf(this.#context, row), row.multiplier)
    this.#sizes.isRead = true
    return book.net.map((row) => toPosition(this.#context, this.#sizes, row))
  }

  async holdings(rank: CallRank = 'read'): Promise<BrokerHolding[]> {
    const rows = await this.#api.get('/portfolio/holdings', z.array(holdingRow), { rank })
    return rows.flatMap((row) => toHoldings(this.#context, row))
  }

  async funds(): Promise<BrokerFunds> {
    const [segments, positions] = await Promise.all([
      this.#api.get('/user/margins', margins),
      this.#counted('read'),
    ])
    return toFunds(
      [segments.equity, segments.commodity].filter((segment) => segment !== undefined),
      positions,
    )
  }
}

/**
 * Kite reports the whole profit of a closed position as unrealised; here a closed position has only realised
 * profit. A row without the profit of the day has only that of today if nothing was carried into the day.
 */
function toPosition(context: BrokerContext, sizes: ContractSizes, row: KitePosition): CountedPosition {
  const flat = row.quantity === 0
  const contract = contractOf(context, row)
  const unsettled = sizes.problemOf(contract)
  return {
    ...refOf(context, row),
    product: row.product,
    quantity: unsettled === undefined ? unitsOf(contract, row.quantity) : row.quantity,
    ...(unsettled !== undefined && { unsettled }),
    averagePrice: row.average_price,
    ltp: row.last_price,
    pnl: row.pnl,
    realized: flat ? row.pnl : row.realised,
    unrealized: flat ? 0 : row.unrealised,
    dayPnl: row.m2m ?? (row.overnight_quantity === 0 ? row.pnl : undefined),
    prevClose: row.close_price,
  }
}

/**
 * Returns the delivered shares of a row, and the shares bought with margin funding in it as a holding of its own: they
 * have their own cost, and only an MTF order sells them. Shares bought yesterday (T+1) are owned and can be sold, so
 * they are included.
 */
function toHoldings(context: BrokerContext, row: KiteHolding): BrokerHolding[] {
  const { mtf } = row
  const held = { ...refOf(context, row), ltp: row.last_price }
  const quantity = row.quantity + row.t1_quantity
  const funded: BrokerHolding = {
    ...held,
    product: 'MTF',
    quantity: mtf.quantity,
    openingQuantity: mtf.quantity,
    averagePrice: mtf.average_price,
    pnl: mtf.quantity * (row.last_price - mtf.average_price),
  }
  const owned: BrokerHolding = {
    ...held,
    product: 'CNC',
    quantity,
    openingQuantity: openingOf(row),
    averagePrice: row.average_price,
    pnl: row.pnl,
  }
  if (mtf.quantity === 0) return [owned]
  return owned.openingQuantity === 0 ? [funded] : [owned, funded]
}

/**
 * Returns the shares at the beginning of the day. Kite does not document whether its figure contains those that are not
 * delivered yet, so they count once more if what was sold today proves that it does not.
 */
function openingOf(row: KiteHolding): number {
  const left = row.quantity + row.t1_quantity
  const proven = Math.min(left + row.used_quantity, row.opening_quantity + row.t1_quantity)
  return Math.max(row.opening_quantity, left, proven)
}

/** Adds both segments. Cash is `net` without pledged collateral and before debits. */
function toFunds(segments: readonly KiteMargin[], positions: readonly BrokerPosition[]): BrokerFunds {
  const net = segments.map((segment) => segment.net)
  const collateral = segments.map((segment) => segment.available.collateral)
  const debits = segments.map((segment) => segment.utilised.debits)
  return {
    availableCash: rupees(...net, ...debits, ...collateral.map((amount) => -amount)),
    collateral: rupees(...collateral),
    unrealized: rupees(...positions.map((position) => position.unrealized)),
    realized: rupees(...positions.map((position) => position.realized)),
    utilized: rupees(...debits),
  }
}
