import type { AnswerOf } from '../../../client/index.js'
import type { Quote } from './quote.js'

/** Without news for so long a price counts as old. */
const OLD_MS = 30_000

type DayPrices = Omit<AnswerOf<'quotes'>['data'], 'bid_qty' | 'ask_qty'>

/** Returns a quote as the daemon answers it, in the form of a live one. The answer says zero for none. */
export function quoteOf(answer: DayPrices, at: number): Quote {
  const { ltp, open, high, low, prev_close: close, volume, oi, bid, ask } = answer
  const members = Object.entries({ open, high, low, close, volume, oi, bid, ask })
  return { ltp, at, ...Object.fromEntries(members.filter(([, value]) => value !== 0)) }
}

/** Returns the newest prices of two sources. */
export function newest(read: Quote | undefined, live: Quote | undefined): Quote | undefined {
  if (read === undefined || live === undefined) return live ?? read
  return live.at >= read.at ? { ...read, ...live } : { ...live, ...read }
}

/** Returns whether a price may be old. */
export const isOld = ({ at }: Quote, now: number): boolean => now - at > OLD_MS
