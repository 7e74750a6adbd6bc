import { tradeOf } from '../../cli/commands/approval/row.js'
import type { QuestionText } from '../components/Question.js'
import { type Account, modeName } from '../live/account.js'
import { countAndValue } from './queue.js'
import type { QueueRow } from './row-state.js'

/** Asks before orders are approved: mode, broker, count, value, and the orders. */
export function approveQuestion(rows: readonly QueueRow[], account: Account | undefined): QuestionText {
  return { title: `Approve ${countAndValue(rows)} ${placeOf(account)}`, lines: rows.map(orderText) }
}

function placeOf(account: Account | undefined): string {
  if (account === undefined) return '… (asking the daemon for mode and broker)'
  return `in ${modeName(account)} mode at ${account.broker}?`
}

/** Returns an order in one line: `7 BUY 10 SBIN NSE LIMIT 812.50 MIS`. */
function orderText(row: QueueRow): string {
  const { id, action, quantity, symbol, exchange, price_type: type, product_type: product } = row
  const price = Number(row.price) > 0 ? row.price : ''
  const trade = tradeOf(row) ?? ''
  const parts = [id, action, quantity, symbol, exchange, type, price, product, trade, row.strategy]
  return parts.filter((part) => part !== '').join(' ')
}

/** Asks before a decided order is deleted from the queue. */
export function removeQuestion({ id, symbol, status }: QueueRow): QuestionText {
  return {
    title: `Delete the ${status} approval ${id} (${symbol}) from the queue?`,
    lines: ['The order itself stays in the journal.'],
  }
}
