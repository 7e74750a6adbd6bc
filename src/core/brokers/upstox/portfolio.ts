import { z } from 'zod'
import {
  type BrokerContext,
  BrokerError,
  type BrokerErrorKind,
  type BrokerFunds,
  type BrokerHolding,
  type BrokerMarket,
  type BrokerPortfolio,
  type BrokerPosition,
  type CallRank,
} from '../broker.js'
import type { ContractSizes } from '../kit/books/contract-sizes.js'
import { type CountedPosition, withSalesAtClose } from '../kit/books/day-pnl.js'
import { PreviousCloses } from '../kit/books/previous-closes.js'
import { rupees } from '../kit/books/rupees.js'
import type { Contract } from '../kit/books/units.js'
import type { UpstoxApi } from './api.js'
import { contractOf, refOf, UNITS } from './contracts.js'
import { productOf } from './mappings.js'
import { countIn } from './position-count.js'
import { funds, holdingRow, positionRow, type UpstoxHolding, type UpstoxPosition } from './wire.js'

/** What Upstox may answer to an account without margin funding. */
const NO_FUNDING: ReadonlySet<BrokerErrorKind> = new Set([
  'not_found',
  'permission',
  'rejected',
  'validation',
])

/** Upstox asks for the version of its answer where there are several. */
const FUNDS_VERSION = { 'Api-Version': '3.0' } as const

interface Sources {
  market: Pick<BrokerMarket, 'quotes'>
  sizes: ContractSizes
}

/** Positions, holdings and funds over Upstox's REST API. */
export class UpstoxPortfolio implements BrokerPortfolio {
  readonly #api: UpstoxApi
  readonly #context: BrokerContext
  readonly #sizes: ContractSizes
  readonly #closes: PreviousCloses

  constructor(api: UpstoxApi, context: BrokerContext, { market, sizes }: Sources) {
    this.#api = api
    this.#context = context
    this.#closes = new PreviousCloses(market, context.clock)
    this.#sizes = sizes
  }

  /** Returns the positions of the day and carried ones, with those in margin funding, which Upstox lists apart. */
  async positions(rank: CallRank = 'read'): Promise<BrokerPosition[]> {
    return withSalesAtClose(await this.#counted(rank), this.#closes, rank)
  }

  async #counted(rank: CallRank): Promise<CountedPosition[]> {
    const [own, funded] = await Promise.all([
      this.#api.get('/v2/portfolio/short-term-positions', z.array(positionRow), { rank }),
      this.#funded(rank),
    ])
    const listed = new Set(own.map(keyOf))
    const rows = [...own, ...funded.filter((row) => !listed.has(keyOf(row)))]
    for (const row of rows) this.#sizes.note(contractOf(this.#context, row), row.multiplier)
    this.#sizes.isRead = true
    return rows.map((row) => toPosition(this.#context, this.#sizes, row))
  }

  async holdings(rank: CallRank = 'read'): Promise<BrokerHolding[]> {
    const rows = await this.#api.get('/v2/portfolio/long-term-holdings', z.array(holdingRow), { rank })
    return rows.map((row) => toHolding(this.#context, row))
  }

  /** Upstox closes its funds from 00:00 to 05:30 IST, and says so. */
  async funds(): Promise<BrokerFunds> {
    const [read, positions] = await Promise.all([
      this.#api.get('/v3/user/get-funds-and-margin', funds, { headers: FUNDS_VERSION }),
      this.#counted('read'),
    ])
    const { cash_available_to_trade: cash, pledge_available_to_trade: pledge } = read.available_to_trade
    return {
      availableCash: rupees(cash.total),
      collateral: rupees(pledge.margin_from_pledge),
      unrealized: rupees(...positions.map(({ unrealized }) => unrealized)),
      realized: rupees(...positions.map(({ realized }) => realized)),
      utilized: rupees(cash.margin_used, pledge.margin_used),
    }
  }

  async #funded(rank: CallRank): Promise<UpstoxPosition[]> {
    try {
      return await this.#api.get('/v3/portfolio/mtf-positions', z.array(positionRow), { rank })
    } catch (error) {
      if (!(error instanceof BrokerError) || !NO_FUNDING.has(error.kind)) throw error
      this.#context.log.info('upstox.no_margin_funding', { reason: error.message })
      return []
    }
  }
}

const keyOf = ({ instrument_token, product }: UpstoxPosition) => `${instrument_token}:${product}`

/** Upstox's `realised` and `unrealised` are of the day, and `pnl` counts from the cost. */
function toPosition(context: BrokerContext, sizes: ContractSizes, row: UpstoxPosition): CountedPosition {
  const { quantity, unsettled } = quantityOf(contractOf(context, row), sizes, row)
  // Without a last price the position would seem to have lost its whole value.
  const isPriced = unsettled === undefined && row.last_price > 0
  const open = isPriced ? quantity * (row.last_price - row.average_price) : row.pnl
  const unrealized = quantity === 0 ? 0 : open
  return {
    ...refOf(context, row),
    product: productOf(row.product, row.exchange),
    quantity,
    ...(unsettled !== undefined && { unsettled }),
    averagePrice: row.average_price,
    ltp: row.last_price,
    pnl: row.pnl,
    realized: row.pnl - unrealized,
    unrealized,
    dayPnl: row.realised + row.unrealised,
    // The row does not say of which day its close is.
    prevClose: 0,
  }
}

/** Returns the units of a position; those that are not proven as Upstox counts them, and why. */
function quantityOf(
  contract: Contract,
  sizes: ContractSizes,
  row: UpstoxPosition,
): { quantity: number; unsettled?: string } {
  const { quantity } = row
  const problem = sizes.problemOf(contract)
  if (problem !== undefined) return { quantity, unsettled: problem }
  const counted = countIn(row, UNITS.unitsOf(contract, 1))
  if (counted !== undefined)
    return { quantity: counted === 'lots' ? UNITS.unitsOf(contract, quantity) : quantity }
  const { exchange, name } = contract
  const unsettled = `Upstox's amounts do not show whether this position of ${name} on ${exchange} counts lots or units: it is shown as Upstox counts it and cannot be traded`
  return { quantity, unsettled }
}

/** Upstox counts all shares of a holding, and keeps those sold today apart until they are delivered. */
function toHolding(context: BrokerContext, row: UpstoxHolding): BrokerHolding {
  return {
    ...refOf(context, row),
    product: productOf(row.product || 'D', row.exchange),
    quantity: row.quantity,
    openingQuantity: row.quantity,
    averagePrice: row.average_price,
    ltp: row.last_price,
    pnl: row.pnl,
  }
}
