import { cellText } from '../../views/table/cells.js'
import type { PnlDay, PositionRow } from './feeds.js'
import { sumOf } from './live-rows.js'

/** Returns an amount in rupees, of a profit with its sign. */
export const amount = (value: number, kind: 'signed' | 'money'): string =>
  cellText(value, kind, { human: true, utc: false, now: 0 })

/** A figure of the profit and loss, in rupees. */
interface PnlFigure {
  name: string
  value: number
}

/**
 * Returns the profit of the positions, and that of the day with its drawdown, as far as they are read. Every line that
 * names them takes them from here: the day counts from yesterday's close, and a position from its average price, so the
 * two differ.
 */
export function pnlFigures(
  rows: readonly PositionRow[] | undefined,
  day: PnlDay | undefined,
): readonly PnlFigure[] {
  return [
    ...(rows === undefined ? [] : [{ name: 'P&L', value: sumOf(rows, ({ pnl }) => pnl) }]),
    ...(day === undefined
      ? []
      : [
          { name: 'day', value: day.current_mtm },
          { name: 'max drawdown', value: day.max_drawdown },
        ]),
  ]
}

/** Returns the same as a text: `P&L +35.00, day +41.00, max drawdown -6.00`. */
export function pnlText(rows: readonly PositionRow[], day: PnlDay | undefined): string {
  return pnlFigures(rows, day)
    .map(({ name, value }) => `${name} ${amount(value, 'signed')}`)
    .join(', ')
}
