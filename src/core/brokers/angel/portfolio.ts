import type {
  BrokerContext,
  BrokerFunds,
  BrokerHolding,
  BrokerMarket,
  BrokerPortfolio,
  BrokerPosition,
  CallRank,
} from '../broker.js'
import { type DayTurnover, withDayPnl } from '../kit/books/day-pnl.js'
import { rupees } from '../kit/books/rupees.js'
import { type AngelApi, SECURE } from './api.js'
import { productOf } from './orders/rows.js'
import { placeOf, UNITS } from './units.js'
import { funds, type HoldingRow, holdings, listOf, type PositionRow, positionRow } from './wire.js'

/** Positions, holdings and funds over SmartAPI. */
export class AngelPortfolio implements BrokerPortfolio {
  constructor(
    private readonly api: AngelApi,
    private readonly context: BrokerContext,
    private readonly market: Pick<BrokerMarket, 'quotes'>,
  ) {}

  async positions(rank: CallRank = 'read'): Promise<BrokerPosition[]> {
    const path = `${SECURE}/order/v1/getPosition`
    const rows = await this.api.get(path, listOf(positionRow), { callClass: 'positions', rank })
    return withDayPnl(
      rows.map((row) => toPosition(this.context, row)),
      this.market,
      rank,
    )
  }

  async holdings(rank: CallRank = 'read'): Promise<BrokerHolding[]> {
    const path = `${SECURE}/portfolio/v1/getAllHolding`
    const rows = await this.api.get(path, holdings, { callClass: 'holdings', rank })
    return rows.map((row) => toHolding(this.context, row))
  }

  async funds(): Promise<BrokerFunds> {
    const read = await this.api.get(`${SECURE}/user/v1/getRMS`, funds, { callClass: 'funds' })
    return {
      availableCash: rupees(read.availablecash),
      collateral: rupees(read.collateral),
      unrealized: rupees(read.m2munrealized),
      realized: rupees(read.m2mrealized),
      utilized: rupees(read.utiliseddebits),
    }
  }
}

/** Angel sends no profit of the day: what was traded today and the quantity carried into it give it. */
function toPosition(context: BrokerContext, row: PositionRow): DayTurnover {
  const { contract, ref } = placeOf(context, row)
  const isFlat = row.netqty === 0
  const problem = UNITS.problemOf(contract)
  return {
    ...ref,
    product: productOf(row.producttype),
    quantity: UNITS.unitsOf(contract, row.netqty),
    ...(problem !== undefined && { unsettled: problem }),
    averagePrice: row.avgnetprice,
    ltp: row.ltp,
    pnl: row.pnl,
    realized: isFlat ? row.pnl : row.realised,
    unrealized: isFlat ? 0 : row.unrealised,
    carried: UNITS.unitsOf(contract, row.cfbuyqty - row.cfsellqty),
    bought: row.buyamount,
    sold: row.sellamount,
  }
}

/** Angel does not say whether a sale of today reduces the quantity, so it is also that of the beginning of the day. */
function toHolding(context: BrokerContext, row: HoldingRow): BrokerHolding {
  return {
    ...placeOf(context, row).ref,
    product: productOf(row.product || 'DELIVERY'),
    quantity: row.quantity,
    openingQuantity: row.quantity,
    averagePrice: row.averageprice,
    ltp: row.ltp,
    pnl: row.profitandloss,
  }
}
