import type { PendingOrderView } from '../../approvals/index.js'
import { ServiceError } from '../../errors/index.js'
import type { Quote } from '../../market/schema.js'
import { rupeesText, toMoney } from '../../money/index.js'
import type { PlannedApprovalLeg } from '../../orders/index.js'
import { isOpenPosition } from '../../orders/schema.js'
import type { TradingMode } from '../../trading/index.js'
import { isObject } from '../../validation/index.js'
import type { AccountBody, ChatPlan } from './ports.js'

const MAX_ROWS = 20

type Row = Readonly<Record<string, unknown>>

/** Returns a list under a title; long lists end with the number of rows that are left out. */
export function listText(title: string, lines: readonly string[], empty: string): string {
  if (lines.length === 0) return empty
  const left = lines.length - MAX_ROWS
  const more = left > 0 ? [`... and ${left} more`] : []
  return [title, '', ...lines.slice(0, MAX_ROWS), ...more].join('\n')
}

export function ordersText(body: AccountBody): string {
  const lines = rowsIn(body, 'orders').map(
    (row) =>
      `${shown(row.action)} ${shown(row.quantity)} ${shown(row.symbol)} ${shown(row.product)} ` +
      `${shown(row.pricetype)} ${shown(row.price)}: ${shown(row.order_status)} (${shown(row.orderid)})`,
  )
  return listText('Orders', lines, 'No orders today.')
}

export function tradesText(body: AccountBody): string {
  const lines = rowsIn(body).map(
    (row) =>
      `${shown(row.action)} ${shown(row.quantity)} ${shown(row.symbol)} at ${shown(row.average_price)} ` +
      `(${shown(row.orderid)})`,
  )
  return listText('Trades', lines, 'No trades today.')
}

export function positionsText(body: AccountBody): string {
  const lines = rowsIn(body).map(
    (row) =>
      `${shown(row.symbol)} ${shown(row.product)}: ${shown(row.quantity)} at ${shown(row.average_price)}, ` +
      `P&L ${shown(row.pnl)}`,
  )
  return listText('Positions', lines, 'No positions.')
}

/**
 * Returns the question that asks for the close of all open positions, and names them.
 * @throws ServiceError `not_found` if there is none
 */
export function closeQuestion(body: AccountBody, mode: TradingMode): string {
  const open = rowsIn(body).filter(({ product, quantity }) =>
    isOpenPosition({ product: shown(product), quantity: Number(quantity) }),
  )
  if (open.length === 0) throw new ServiceError('not_found', 'There is no open position.')
  const lines = open.map((row) => `${shown(row.symbol)} ${shown(row.product)}: ${shown(row.quantity)}`)
  return listText(`Close all open positions at market, in ${mode} mode?`, lines, '')
}

export function holdingsText(body: AccountBody): string {
  const lines = rowsIn(body, 'holdings').map(
    (row) =>
      `${shown(row.symbol)}: ${shown(row.quantity)} at ${shown(row.average_price)}, ` +
      `P&L ${shown(row.pnl)} (${shown(row.pnlpercent)} %)`,
  )
  return listText('Holdings', lines, 'No holdings.')
}

const FUNDS: Readonly<Record<string, string>> = {
  availablecash: 'Available cash',
  collateral: 'Collateral',
  m2mrealized: 'Realized P&L',
  m2munrealized: 'Unrealized P&L',
  utiliseddebits: 'Used margin',
}

export function fundsText({ data }: AccountBody): string {
  const funds = isObject(data) ? data : {}
  const lines = Object.entries(FUNDS).map(([key, label]) => `${label}: ${shown(funds[key])}`)
  return listText('Funds', lines, 'No funds.')
}

/** Returns the profit of each position and their sum. */
export function pnlText(body: AccountBody): string {
  const rows = rowsIn(body)
  const lines = rows.map((row) => `${shown(row.symbol)} ${shown(row.product)}: ${rupees(row.pnl)}`)
  const total = pnlTotal(body)
  return listText(`P&L of the positions: ${rupees(total)}`, lines, 'No positions, so no P&L.')
}

/** Returns the sum of the profits of the positions, in rupees. */
export function pnlTotal(body: AccountBody): number {
  const paise = rowsIn(body).reduce((sum, { pnl }) => {
    const rupees = Number(pnl)
    return sum + (Number.isFinite(rupees) ? Math.round(rupees * 100) : 0)
  }, 0)
  return paise / 100
}

export function quoteText(symbol: string, exchange: string, quote: Quote): string {
  return [
    `${symbol} ${exchange}: ${quote.ltp}`,
    '',
    `Bid ${quote.bid}, ask ${quote.ask}`,
    `Open ${quote.open}, high ${quote.high}, low ${quote.low}`,
    `Previous close ${quote.prevClose}, volume ${quote.volume}`,
  ].join('\n')
}

/** Returns a queued order in one line. */
export function pendingLine(order: PendingOrderView): string {
  const { action, exchange, id, price, price_type, product_type, quantity, strategy, symbol } = order
  const parts = [action, quantity, symbol, exchange, product_type, price_type, price]
  return `#${id} ${order.api_type}: ${parts.map(shown).join(' ')} (${shown(strategy)})`
}

/** Returns what an approval would send now: each order in a line, what they are worth, and what forbids one. */
export function planText({ isOneOf, legs, modeChange, note, value }: ChatPlan): string {
  const worth = value === undefined ? 'value not known' : `value ${rupees(value)}`
  const moved = modeChange === undefined ? '' : `Attention: ${modeChange}.\n`
  const title = `${moved}Sends now${isOneOf ? ' one of' : ''} ${legs.length} ${legs.length === 1 ? 'order' : 'orders'}, ${worth}`
  return listText(title, legs.map(legLine), `Sends nothing now: ${shown(note)}`)
}

function legLine(leg: PlannedApprovalLeg): string {
  const { action, checks, exchange, price, pricetype, problem, product, quantity, symbol, triggerPrice } = leg
  const prices = [price, triggerPrice].filter((one) => one > 0)
  const failed = checks.filter(({ ok }) => !ok).map(({ message, rule }) => message ?? rule)
  const problems = problem === undefined ? failed : [problem, ...failed]
  const line = [action, quantity, symbol, exchange, product, pricetype, ...prices].map(shown).join(' ')
  return problems.length === 0 ? line : `${line}: ${problems.map(shown).join('; ')}`
}

/** Returns the rows of a book: `data`, or a list inside of it. */
export function rowsIn({ data }: AccountBody, list?: string): Row[] {
  const rows = list !== undefined && isObject(data) ? data[list] : data
  return Array.isArray(rows) ? rows.filter(isObject) : []
}

function rupees(value: unknown): string {
  const amount = Number(value)
  return Number.isFinite(amount) ? rupeesText(toMoney(amount)) : shown(value)
}

function shown(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-'
  return String(value)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 100)
}
