import { CHAIN_COLUMNS, type Strike, strikeRow } from '../../../views/market/option-chain.js'
import type { Column } from '../../../views/table/column.js'
import { isOld, type Quote } from '../../live/prices/quote.js'
import { type Legs, markText, type Side, since } from './legs.js'

const FRACTIONS: ReadonlySet<string> = new Set(['ce_iv', 'pe_iv', 'ce_delta', 'pe_delta'])
const VOLUMES: ReadonlySet<string> = new Set(['ce_volume', 'pe_volume'])

/** The columns of the command line, without the volumes: the Greeks need their room. */
export const COLUMNS: readonly Column[] = CHAIN_COLUMNS.filter(({ key }) => !VOLUMES.has(key)).map(
  (column) => {
    if (column.key === 'strike') return { ...column, kind: 'quantity' }
    return FRACTIONS.has(column.key) ? { ...column, kind: 'decimals' } : column
  },
)

/** The columns while options are marked: each side has its marks beside the strike. */
export const MARKED_COLUMNS: readonly Column[] = COLUMNS.flatMap((column): readonly Column[] => {
  if (column.key !== 'strike') return [column]
  return [{ key: 'ce_mark', title: 'LEG' }, column, { key: 'pe_mark', title: 'LEG' }]
})

export interface ChainRow extends ReturnType<typeof strikeRow> {
  id: number
  ce_mark: string
  pe_mark: string
  /** True if a price of it may be old. */
  isOld: boolean
}

/** The live prices of a chain. They count until the chain is read again. */
export interface LivePrices {
  quotes: ReadonlyMap<string, Quote>
  /** The time at which the chain was read, and the time now, in milliseconds. */
  readAt: number
  now: number
}

/** Returns the strikes as rows, with the live prices of those that have newer ones than were read, and the marks. */
export function chainRows(
  strikes: readonly Strike[],
  venue: string,
  { quotes, readAt, now }: LivePrices,
  legs: Legs,
): readonly ChainRow[] {
  const marks = new Map(legs.map((leg) => [leg.symbol, markText(leg)]))
  const markOf = (leg: Strike[Side]) => (leg === null ? '' : (marks.get(`${venue}:${leg.symbol}`) ?? ''))
  return strikes.map((strike) => {
    const sides = { ce_mark: markOf(strike.ce), pe_mark: markOf(strike.pe) }
    const row = { id: strike.strike, ...strikeRow(strike), ...sides }
    const liveOf = (leg: Strike[Side]) => leg && since(readAt, quotes.get(`${venue}:${leg.symbol}`))
    const [call, put] = [liveOf(strike.ce), liveOf(strike.pe)]
    // There is no price on the side of a missing contract.
    const isRowOld = [call, put].some((side) => side !== null && isOld(side ?? { at: readAt }, now))
    return { ...row, isOld: isRowOld, ...(call && pricesOf('ce', call)), ...(put && pricesOf('pe', put)) }
  })
}

/** Returns the live cells of a side. A member that the tick does not carry stays as it was read. */
function pricesOf(side: Side, { ltp, oi }: Quote): object {
  return { [`${side}_ltp`]: ltp, ...(oi !== undefined && { [`${side}_oi`]: oi }) }
}

/** Returns the symbols of the shown strikes, for live prices. */
export function symbolsOf(strikes: readonly Strike[], venue: string): readonly string[] {
  return strikes.flatMap(({ ce, pe }) =>
    [ce, pe].flatMap((leg) => (leg === null ? [] : `${venue}:${leg.symbol}`)),
  )
}

/** Returns the side under the cursor in full: `call NIFTY…CE ITM1 125.4/125.45  Δ 0.52 Γ 0.001 Θ -9.1 ν 8.2`. */
export function legText(strike: Strike, side: Side, live: Quote | undefined): string {
  const leg = strike[side]
  const name = side === 'ce' ? 'call' : 'put'
  if (leg === null) return `There is no ${name} at ${strike.strike}.`
  const prices = `${live?.bid ?? leg.bid}/${live?.ask ?? leg.ask}`
  const greeks = GREEKS.flatMap(([sign, member, digits]) => {
    const value = leg[member]
    return value === undefined ? [] : `${sign} ${value.toFixed(digits)}`
  })
  return `${name} ${leg.symbol} ${leg.label} ${prices}  ${greeks.join(' ')}`.trimEnd()
}

const GREEKS = [
  ['Δ', 'delta', 2],
  ['Γ', 'gamma', 4],
  ['Θ', 'theta', 2],
  ['ν', 'vega', 2],
] as const

/** Returns the expiries around the chosen one that fit a width: `‹ 01DEC26 [08DEC26] 15DEC26 ›`. */
export function expiryStrip(expiries: readonly string[], chosen: string, width: number): string {
  const words = expiries.map((one) => (one === chosen ? `[${one}]` : ` ${one} `))
  let [from, to] = [Math.max(0, expiries.indexOf(chosen)), Math.max(0, expiries.indexOf(chosen)) + 1]
  const room = width - ENDS
  const fits = () => words.slice(from, to).join('').length <= room
  while (from > 0 || to < words.length) {
    const before = [from, to] as const
    if (to < words.length) to += 1
    if (!fits()) to -= 1
    if (from > 0) from -= 1
    if (!fits()) from += 1
    if (from === before[0] && to === before[1]) break
  }
  const [left, right] = [from > 0 ? '‹' : ' ', to < words.length ? '›' : ' ']
  return `${left}${words.slice(from, to).join('')}${right}`.trimEnd()
}

/** The signs that there are more expiries at both ends. */
const ENDS = 2
