import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { fromMoney, type Money, timesContract, toMoney, toRupees } from '../../money/index.js'
import { openProfit, type StrategyLeg } from './pnl.js'

/** A row of the position book: what the account made today in a contract, in rupees. */
export interface AccountRow extends SymbolRef {
  product: string
  /** 0 without a price. */
  ltp: number
  /** Of the open and of the closed units together. */
  pnl: number
  /** The part of it that the open units have. */
  unrealized: number
}

/** A leg, and the strategy that its orders name. */
export interface OwnedLeg {
  strategy: string
  leg: StrategyLeg
}

/** The profit of a strategy today, in rupees rounded to paise. */
export interface StrategyShare {
  /** Null for the rest: what no order of this service explains. */
  strategy: string | null
  realized: number
  unrealized: number
  total: number
}

interface Profit {
  realized: Money
  unrealized: Money
}

/**
 * Splits the profit of the position book by strategy, the largest first, and the rest last. The shares have the sum of the book. A
 * contract that the book does not have, such as delivered shares, counts for nobody.
 * @param legs in the session of the book
 */
export function sharesOf(
  legs: readonly OwnedLeg[],
  rows: readonly AccountRow[],
  contractValue: (ref: SymbolRef) => number,
): StrategyShare[] {
  if (rows.length === 0) return []
  const book = new Map(rows.map((row) => [contractOf(row), row]))
  const shares = new Map<string, Profit>()
  for (const { leg, strategy } of legs) {
    const row = book.get(contractOf(leg))
    if (!row) continue
    const before = shares.get(strategy) ?? NOTHING
    shares.set(strategy, plus(before, profitOf(leg, row, contractValue(leg))))
  }
  const named = [...shares].map(([strategy, profit]) => ({ strategy, ...inPaise(profit) }))
  const rest = named.reduce((left, share) => minus(left, share), inPaise(accountOf(rows)))
  return [
    ...named.map(shown).toSorted((one, other) => Math.abs(other.total) - Math.abs(one.total)),
    shown({ strategy: null, ...rest }),
  ]
}

const NOTHING: Profit = { realized: 0n, unrealized: 0n }

const contractOf = (row: SymbolRef & { product: string }) => `${symbolKey(row)} ${row.product}`

function profitOf(leg: StrategyLeg, { ltp }: AccountRow, contractValue: number): Profit {
  const isValued = leg.quantity !== 0 && ltp > 0
  return {
    realized: timesContract(leg.todayRealized, contractValue),
    unrealized: isValued ? openProfit(leg, toMoney(ltp), contractValue) : 0n,
  }
}

function accountOf(rows: readonly AccountRow[]): Profit {
  return rows.reduce((sum, { pnl, unrealized }) => {
    const open = toMoney(unrealized)
    return plus(sum, { realized: toMoney(pnl) - open, unrealized: open })
  }, NOTHING)
}

const plus = (one: Profit, other: Profit): Profit => ({
  realized: one.realized + other.realized,
  unrealized: one.unrealized + other.unrealized,
})

const minus = (one: Profit, other: Profit): Profit => ({
  realized: one.realized - other.realized,
  unrealized: one.unrealized - other.unrealized,
})

/** Rounds to paise before anything is added up: the shown amounts have the shown sum. */
const inPaise = ({ realized, unrealized }: Profit): Profit => ({
  realized: toMoney(toRupees(realized)),
  unrealized: toMoney(toRupees(unrealized)),
})

const shown = ({
  realized,
  strategy,
  unrealized,
}: Profit & Pick<StrategyShare, 'strategy'>): StrategyShare => ({
  strategy,
  realized: fromMoney(realized),
  unrealized: fromMoney(unrealized),
  total: fromMoney(realized + unrealized),
})
