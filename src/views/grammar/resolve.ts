import type { AnswerOf, Body, EndpointName } from '../../client/endpoints.js'
import { impliedType } from '../../core/orders/terms/price-type.js'
import { type Action, PRODUCTS, type PriceType, type Product } from '../../core/orders/vocabulary.js'
import { MONTHS } from '../market/contract.js'
import { type Exchange, isTraded } from '../market/exchange.js'
import { optionExchange, underlyingExchange } from '../market/underlying.js'
import { hasLots, type Lot, lotProblem } from '../orders/lot.js'
import { symbolKey } from '../text/symbol.js'
import {
  type CloseLine,
  contractText,
  type OrderLine,
  type Quantity,
  type Refused,
  refused,
  type Written,
} from './line.js'

/** The daemon, as its caller asks it with a credential of its own. */
export interface Asks {
  call<N extends EndpointName>(name: N, body: Body<N>): Promise<AnswerOf<N>>
}

/** An instrument that takes orders. */
export interface Listed extends Lot {
  symbol: string
  exchange: Exchange
}

/** An order in the fields of the API; prices that its type does not have are 0. */
export interface PlainOrder {
  symbol: string
  exchange: Exchange
  action: Action
  quantity: number
  product: Product
  pricetype: PriceType
  price: number
  trigger_price: number
}

/** The order that a line means, and its instrument. */
export interface MeantOrder {
  order: PlainOrder
  listed: Listed
}

const [DEFAULT_PRODUCT] = PRODUCTS

/** Returns the order that a line means, by the instruments of the daemon. The daemon checks the order itself. */
export async function orderMeant(line: OrderLine, asks: Asks): Promise<MeantOrder | Refused> {
  const listed = await listedAs(line, asks)
  if ('refusal' in listed) return listed
  const units = unitsOf(line.quantity, listed)
  if (typeof units !== 'number') return units
  const { action, price = 0, product = DEFAULT_PRODUCT, trigger = 0 } = line
  const { exchange, symbol } = listed
  const pricetype = impliedType({ price, trigger })
  return {
    order: { symbol, exchange, action, quantity: units, product, pricetype, price, trigger_price: trigger },
    listed,
  }
}

/** Returns a quantity in units: lots only of what trades in lots, and units only in whole lots of it. */
function unitsOf(quantity: Quantity, listed: Listed): number | Refused {
  const key = symbolKey(listed)
  if ('lots' in quantity) {
    return hasLots(listed)
      ? quantity.lots * listed.lotsize
      : refused(`${key} does not trade in lots. Write the quantity in units.`)
  }
  const problem = lotProblem(quantity.units, listed)
  if (problem === undefined) return quantity.units
  return refused(`${quantity.units} of ${key} is not ${problem}. In lots the quantity is, for example, 2l.`)
}

/** A position of the account. */
interface OpenPosition {
  symbol: string
  exchange: string
  product: string
  quantity: number
}

/** The position that a line closes; without a product, none of the symbol is open. */
export type MeantClose = Pick<OpenPosition, 'symbol' | 'exchange'> & { product?: string }

/**
 * Returns the position that a line closes.
 * @param open the positions that can be closed
 */
export async function closeMeant(
  line: CloseLine,
  open: readonly OpenPosition[],
  asks: Asks,
): Promise<MeantClose | Refused> {
  const { contract, exchange, product, symbol } = line
  const isMeant = (row: OpenPosition) =>
    row.symbol === symbol && (exchange === undefined || row.exchange === exchange)
  const named = contract === undefined ? open.filter(isMeant) : open.filter(isContractOf(line))
  // What is open decides: a share that is held on one exchange need not be the one of the NSE, nor a future the nearest.
  const ref = named.length > 0 ? undefined : await listedAs(line, asks)
  if (ref !== undefined && 'refusal' in ref) return ref
  const rows = ref === undefined ? named : open.filter((row) => symbolKey(row) === symbolKey(ref))
  const [first, ...others] = product === undefined ? rows : rows.filter((row) => row.product === product)
  if (first !== undefined && others.length === 0) return first
  if (others.length > 0) {
    const choices = rows.map((row) => `${symbolKey(row)} ${row.product} (${row.quantity})`).join(', ')
    return refused(`Several positions are open: ${choices}. Name the product or the exchange.`, 'ambiguous')
  }
  if (rows.length > 0) {
    const products = rows.map((row) => row.product).join(', ')
    return refused(`${symbol} is not open in ${product ?? ''}, but in ${products}.`, 'not_found')
  }
  return { symbol: ref?.symbol ?? symbol, exchange: ref?.exchange ?? '' }
}

/** Returns whether a position is in the contract that is written, of the expiry that is written, or of any. */
function isContractOf({ contract, exchange, expiry, symbol }: CloseLine): (row: OpenPosition) => boolean {
  if (contract === undefined) return () => false
  const place = optionExchange(exchange ?? underlyingExchange(symbol))
  return (row) => {
    if (row.exchange !== place || !row.symbol.startsWith(symbol)) return false
    const rest = row.symbol.slice(symbol.length)
    const date = rest.slice(0, EXPIRY_LENGTH)
    return (
      EXPIRY.test(date) &&
      rest.slice(EXPIRY_LENGTH) === contractText(contract) &&
      date.startsWith(expiry ?? '')
    )
  }
}

const EXPIRY_LENGTH = '05DEC26'.length
const EXPIRY = new RegExp(`^\\d{2}(?:${MONTHS})\\d{2}$`)

/** Returns the instrument that is written. */
function listedAs(written: Written, asks: Asks): Promise<Listed | Refused> {
  const { contract, ...rest } = written
  return contract === undefined ? listedSymbol(rest, asks) : listedContract({ ...rest, contract }, asks)
}

async function listedSymbol({ exchange, symbol }: Written, asks: Asks): Promise<Listed | Refused> {
  const found = await exactly(symbol, exchange, asks)
  const traded = found.filter(isListed)
  const [first, ...others] = traded
  const ofNse = traded.find((row) => row.exchange === 'NSE')
  if (ofNse !== undefined) return ofNse
  if (first === undefined) return refused(unlistedText(symbol, exchange, found.length > 0), 'not_found')
  if (others.length === 0) return first
  const keys = traded.map((row) => symbolKey(row)).join(', ')
  return refused(`${symbol} is listed several times: ${keys}. Write one of them.`, 'ambiguous')
}

function unlistedText(symbol: string, exchange: string | undefined, isIndex: boolean): string {
  if (isIndex) return `${symbol} is an index. Add fut, or a strike such as 26300ce.`
  const where = exchange === undefined ? '' : ` on ${exchange}`
  return `No instrument is ${symbol}${where}. Look for it: svc search ${symbol}`
}

/** Returns the contract of the nearest expiry, or of the one that is written. */
async function listedContract(
  { contract, exchange, expiry, symbol }: Written & Required<Pick<Written, 'contract'>>,
  asks: Asks,
): Promise<Listed | Refused> {
  const place = optionExchange(exchange ?? underlyingExchange(symbol))
  const instrumenttype = contract === 'FUT' ? 'futures' : 'options'
  const { data } = await asks.call('expiry', { symbol, exchange: place, instrumenttype })
  const compact = data.map((one) => one.replaceAll('-', ''))
  const [nearest] = compact
  if (nearest === undefined) {
    const more = exchange === undefined ? ` Name another exchange, as in mcx:${symbol.toLowerCase()}.` : ''
    return refused(`${symbol} has no ${instrumenttype} on ${place}.${more}`, 'not_found')
  }
  const [chosen, ...others] =
    expiry === undefined ? [nearest] : compact.filter((one) => one.startsWith(expiry))
  if (others.length > 0) {
    const choices = [chosen, ...others].join(', ').toLowerCase()
    return refused(`${symbol} has several expiries ${expiry ?? ''}: ${choices}. Write the year.`, 'ambiguous')
  }
  if (chosen === undefined) {
    const next = compact.slice(0, MOST_NAMED).join(', ').toLowerCase()
    return refused(
      `${symbol} has no ${instrumenttype} of ${expiry ?? ''}. The next ones: ${next}.`,
      'not_found',
    )
  }
  const name = `${symbol}${chosen}${contractText(contract)}`
  const row = (await exactly(name, place, asks)).find(isListed)
  if (row !== undefined) return row
  const ways = contract === 'FUT' ? `svc search ${symbol}` : `svc chain ${symbol} --expiry ${chosen}`
  return refused(`${name} is not listed on ${place}. See: ${ways}`, 'not_found')
}

/** The most expiries that a refusal names. */
const MOST_NAMED = 4

/** Returns the instruments of exactly this symbol, of which the daemon finds similar ones, too. */
async function exactly(symbol: string, exchange: Exchange | undefined, asks: Asks) {
  const { data } = await asks.call('search', { query: symbol, ...(exchange && { exchange }) })
  return data.filter((row) => row.symbol === symbol && (exchange === undefined || row.exchange === exchange))
}

/** Returns whether an instrument takes orders: an index does not. */
function isListed<Row extends { exchange: string }>(row: Row): row is Row & { exchange: Exchange } {
  return isTraded(row.exchange)
}
