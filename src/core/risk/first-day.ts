import {
  ceilTo,
  divRound,
  floorTo,
  formatMoney,
  fromMoney,
  type Money,
  percentOf,
  toMoney,
} from '../money/index.js'
import type { RiskRuleName } from './schema.js'

/** What the limits of a first day of live orders are proposed from. Amounts in rupees. */
export interface FirstDayFacts {
  availableCash: number
  /** The quote of the share that the person wants to trade. */
  quote: { symbol: string; ltp: number; high: number; low: number }
}

/** A limit that a person may accept, and where it comes from, as the end of "proposed from". */
export interface ProposedRule {
  rule: (typeof FIRST_DAY_RULES)[number]
  value: number
  reason: string
}

/** The rules that a first day of live orders needs: what one order, one day and one wrong price may cost. */
export const FIRST_DAY_RULES = [
  'max_order_value',
  'max_day_loss',
  'price_band_percent',
] as const satisfies readonly RiskRuleName[]

const ORDER_PART = 10n
const LOSS_PART = 100n
/** One share must fit, also after its price has risen by a tenth. */
const ROOM_PERCENT = 110n
const HUNDRED = 100n
const RUPEE = toMoney(1)
const SMALLEST_LOSS = toMoney(100)
const BAND_PERCENT = { least: 2, most: 10 } as const

/**
 * Proposes the limits of a first day: one order takes a tenth of the funds, or one share where that is more; the day loses a
 * hundredth of the funds, and at least ₹ 100; a price is as far from the market as the share has moved today, 2 to 10 percent.
 */
export function proposeFirstDay({ availableCash, quote }: FirstDayFacts): readonly ProposedRule[] {
  const cash = toMoney(availableCash)
  const tenth = roundedDown(divRound(cash, ORDER_PART))
  const share = ceilTo(divRound(toMoney(quote.ltp) * ROOM_PERCENT, HUNDRED), RUPEE)
  const loss = roundedDown(divRound(cash, LOSS_PART))
  const moved = toMoney(percentOf(toMoney(quote.high) - toMoney(quote.low), toMoney(quote.ltp)))
  const { least, most } = BAND_PERCENT
  return [
    {
      rule: 'max_order_value',
      value: fromMoney(tenth >= share ? tenth : share),
      reason:
        tenth >= share
          ? 'a tenth of the funds'
          : `one share of ${quote.symbol} at ${quote.ltp}, with a tenth to spare`,
    },
    {
      rule: 'max_day_loss',
      value: fromMoney(loss >= SMALLEST_LOSS ? loss : SMALLEST_LOSS),
      reason: loss >= SMALLEST_LOSS ? 'a hundredth of the funds' : 'the smallest useful loss of a day',
    },
    {
      rule: 'price_band_percent',
      value: Math.min(Math.max(fromMoney(ceilTo(moved, RUPEE)), least), most),
      reason: `the range of ${quote.symbol} today, ${formatMoney(moved, 1)} %, but at least ${least} % and at most ${most} %`,
    },
  ]
}

/** To what amounts from so many rupees on are rounded, the largest first. */
const STEPS = [
  [100_000_000, 10_000_000],
  [10_000_000, 1_000_000],
  [1_000_000, 100_000],
  [100_000, 10_000],
  [10_000, 1000],
  [1000, 100],
  [100, 10],
  [0, 1],
] as const

/** Returns an amount rounded down to two digits: 12,345 is 12,000. */
function roundedDown(amount: Money): Money {
  const [, step] = STEPS.find(([from]) => amount >= toMoney(from)) ?? [0, 1]
  return floorTo(amount, toMoney(step))
}
