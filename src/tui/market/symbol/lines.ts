import { changeOf } from '../../../views/market/change.js'
import { cellText, type Kind } from '../../../views/table/cells.js'
import { ageText } from '../../../views/text/age.js'
import type { Quote } from '../../live/prices/quote.js'
import type { Tone } from '../../terminal/theme.js'
import type { Facts } from './symbol-feed.js'

const STYLE = { human: true, utc: false, now: 0 }
const shown = (value: unknown, kind: Kind) => cellText(value, kind, STYLE)

/** Returns a value as the lists show it; an empty text for none. */
export function figure(value: number | undefined, kind: Kind): string {
  return value === undefined ? '' : shown(value, kind)
}

/** Returns the last price with its change and its age: `812.50  +4.50 (+0.56%)  2s old`. */
export function priceLine(quote: Quote, now: number): string {
  const { change, change_percent: percent } = changeOf(quote.ltp, quote.close)
  const moved = change === undefined ? '' : `${shown(change, 'signed')} (${shown(percent, 'signed')}%)`
  return joined([shown(quote.ltp, 'price'), moved, `${ageText(now - quote.at)} old`])
}

/** Returns the colour of the last price. */
export function toneOfQuote({ ltp, close }: Quote): Tone | undefined {
  const { change = 0 } = changeOf(ltp, close)
  return change === 0 ? undefined : change > 0 ? 'good' : 'danger'
}

/** Returns the prices of the day. */
export function dayLine({ open, high, low, close, volume, oi }: Quote): string {
  const prices = Object.entries({ open, high, low, prev: close }).map(named('price'))
  return joined([...prices, ...Object.entries({ volume, OI: oi }).map(named('quantity'))])
}

/** Returns the facts that decide how an order is written. */
export function factsLine(facts: Facts): string {
  const { instrumenttype, lotsize, tick_size, freeze_qty, expiry, strike } = facts
  const sizes = Object.entries({ lot: lotsize, freeze: freeze_qty }).map(named('quantity'))
  return joined([
    ...[instrumenttype, ...sizes, named('price')(['tick', tick_size])],
    expiry === '' ? '' : `expiry ${expiry}`,
    named('price')(['strike', strike > 0 ? strike : undefined]),
  ])
}

const named =
  (kind: Kind) =>
  ([name, value]: readonly [string, number | undefined]): string =>
    value === undefined || value === 0 ? '' : `${name} ${shown(value, kind)}`

const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join('  ')
