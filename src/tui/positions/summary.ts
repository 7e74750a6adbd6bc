import type { FundRecord } from '../../client/answers/records.js'
import { cellText } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import type { HoldingRow, PnlDay, PositionRow } from './feeds.js'
import { sumOf } from './live-rows.js'

const amount = (value: number, kind: 'signed' | 'money') =>
  cellText(value, kind, { human: true, utc: false, now: 0 })

/** Returns the totals of the positions, and of the day. */
export function positionSummary(rows: readonly PositionRow[], day: PnlDay | undefined): string {
  const open = rows.filter(({ quantity }) => quantity !== 0).length
  return [
    countText(open, 'open position'),
    `P&L ${amount(
      sumOf(rows, ({ pnl }) => pnl),
      'signed',
    )}`,
    ...(day === undefined
      ? []
      : [`day ${amount(day.current_mtm, 'signed')}`, `max drawdown ${amount(day.max_drawdown, 'signed')}`]),
  ].join(', ')
}

/** Returns the totals of the holdings. */
export function holdingSummary(rows: readonly HoldingRow[]): string {
  const value = sumOf(rows, ({ current_value }) => current_value)
  const pnl = sumOf(rows, (row) => row.pnl)
  return `${countText(rows.length, 'holding')}, value ${amount(value, 'money')}, P&L ${amount(pnl, 'signed')}`
}

export function fundSummary(funds: FundRecord | undefined): string {
  return funds === undefined ? 'funds' : `available ${amount(funds.availablecash, 'money')}`
}

/** Returns the highest and the lowest of the day with their times. */
export function daySummary(day: PnlDay | undefined): string {
  if (day === undefined || day.pnl_series.length === 0) return 'profit and loss of the day'
  const { current_mtm, max_mtm, max_mtm_time, min_mtm, min_mtm_time, max_drawdown } = day
  return [
    `P&L ${amount(current_mtm, 'signed')}`,
    `highest ${amount(max_mtm, 'signed')} at ${max_mtm_time ?? '-'}`,
    `lowest ${amount(min_mtm, 'signed')} at ${min_mtm_time ?? '-'}`,
    `max drawdown ${amount(max_drawdown, 'signed')}`,
  ].join(', ')
}
