import { valueAt } from '../../client/answers/records.js'
import type { PositionRow } from '../positions/feeds.js'
import { sumOf } from '../positions/live-rows.js'

/** An open position at the last price. */
export interface Held {
  id: string
  symbol: string
  side: 'long' | 'short'
  /** In rupees; negative for a short position. */
  value: number
}

/** What the open positions are worth at the last prices, in rupees. */
export interface Exposure {
  /** The largest first. */
  held: readonly Held[]
  long: number
  /** Zero or negative. */
  short: number
  /** The number of positions without a price, or whose contract has no settled size. */
  unknown: number
}

type Row = Pick<PositionRow, 'id' | 'symbol' | 'quantity' | 'ltp' | 'contract_value' | 'warning'>

export function exposureOf(rows: readonly Row[]): Exposure {
  const open = rows.filter(({ quantity }) => quantity !== 0)
  const held = open.filter(isKnown).map(heldOf)
  return {
    held: held.toSorted((one, other) => Math.abs(other.value) - Math.abs(one.value)),
    long: sumOf(held, ({ value }) => Math.max(0, value)),
    short: sumOf(held, ({ value }) => Math.min(0, value)),
    unknown: open.length - held.length,
  }
}

const isKnown = ({ ltp, warning }: Row): boolean => ltp > 0 && warning === undefined

function heldOf(row: Row): Held {
  const { id, ltp, quantity, symbol } = row
  return {
    id,
    symbol,
    side: quantity > 0 ? 'long' : 'short',
    value: Math.sign(quantity) * valueAt(row, ltp),
  }
}
