import {
  ACTIONS,
  type Action,
  FOREIGN_PRODUCTS,
  ORDER_PRODUCTS,
  type OrderProduct,
  PRODUCTS,
} from '../../core/orders/vocabulary.js'
import { MONTHS } from '../market/contract.js'
import { type Exchange, isTraded, TRADED_EXCHANGES } from '../market/exchange.js'
import type { Contract, Quantity, Terms } from './line.js'

/*
 * The words of an order line, such as `b 10 sbin 965`. The parser reads these rows, and help, documentation and tests are made
 * of them.
 */

/** What is written, what it means, and a whole line with it. */
export interface GrammarRow {
  form: string
  meaning: string
  example: string
}

/** A first word: what the line does. */
export type ActRow = GrammarRow & { words: readonly string[] } & (
    | { act: 'order'; action: Action }
    | { act: 'close' | 'cancel' | 'modify' }
  )
export type Act = ActRow['act']

/** What the words after the symbol say. */
export interface Given {
  quantity?: Quantity
  expiry?: string
  contract?: Contract
  terms?: Terms
  product?: OrderProduct
  exchange?: Exchange
}

/** A part of a line after its first word. */
export interface PartRow extends GrammarRow {
  part: keyof Given
  /** The acts whose lines have it. */
  of: readonly Act[]
  /** True for what is this part only before the symbol. */
  isFirst?: true
  /** Takes the part from the beginning of words in small letters; undefined if they begin with something else. */
  take(words: readonly string[]): Taken | undefined
}

export interface Taken {
  /** The number of words. */
  count: number
  given: Given
}

const [BUY, SELL] = ACTIONS

export const ACT_ROWS: readonly ActRow[] = [
  {
    form: 'b, buy',
    words: ['b', 'buy'],
    act: 'order',
    action: BUY,
    meaning: 'buys: quantity, symbol, the rest in any order',
    example: 'b 10 sbin 965',
  },
  {
    form: 's, sell',
    words: ['s', 'sell'],
    act: 'order',
    action: SELL,
    meaning: 'sells, in the same way',
    example: 's 10 sbin mkt',
  },
  {
    form: 'x',
    words: ['x'],
    act: 'close',
    meaning: 'closes a position at the market; x all: every one',
    example: 'x sbin',
  },
  {
    form: 'c',
    words: ['c'],
    act: 'cancel',
    meaning: 'cancels a waiting order; c all: every one',
    example: 'c 250408000989443',
  },
  {
    form: 'm',
    words: ['m'],
    act: 'modify',
    meaning: 'gives a waiting order another price',
    example: 'm 250408000989443 966',
  },
]

/** The row of the symbol, which is no word of its own: it stands after the act and the quantity. */
const SYMBOL_ROW: GrammarRow = {
  form: 'sbin, nse:sbin',
  meaning: 'symbol; without an exchange that of the NSE',
  example: 'b 10 nse:sbin',
}

/** At most 15 digits, which a number keeps as they are, and no sign, no exponent and no thousands. */
const NUMBER = /^\d{1,9}(?:\.\d{1,6})?$/
const WHOLE = /^\d{1,9}$/
const LOTS = /^(?:l|lots?)$/
const JOINED_LOTS = /^(\d{1,9})(?:l|lots?)$/
const EXPIRY = new RegExp(`^(\\d{1,2})(${MONTHS})(\\d{2})?$`, 'i')
const STRIKE = /^(\d{1,9}(?:\.\d{1,6})?)(ce|pe)$/
const KIND = /^(?:ce|pe)$/

const taken = (count: number, given: Given): Taken => ({ count, given })

/** Returns a price in rupees; undefined for zero, which elsewhere means that there is none. */
const priceIn = (word = ''): number | undefined =>
  NUMBER.test(word) && Number(word) > 0 ? Number(word) : undefined

function takeLots([first = '', second = '']: readonly string[]): Taken | undefined {
  const [, joined] = JOINED_LOTS.exec(first) ?? []
  if (joined !== undefined) return taken(1, { quantity: { lots: Number(joined) } })
  return WHOLE.test(first) && LOTS.test(second) ? taken(2, { quantity: { lots: Number(first) } }) : undefined
}

function takeExpiry([word = '']: readonly string[]): Taken | undefined {
  const [, day = '', month = '', year = ''] = EXPIRY.exec(word) ?? []
  if (day === '') return undefined
  return taken(1, { expiry: `${day.padStart(2, '0')}${month.toUpperCase()}${year}` })
}

function takeStrike([first = '', second = '']: readonly string[]): Taken | undefined {
  const whole = STRIKE.exec(first)
  const [, strike, kind] = whole ?? (KIND.test(second) ? STRIKE.exec(first + second) : undefined) ?? []
  if (!(Number(strike) > 0)) return undefined
  return taken(whole ? 1 : 2, { contract: { strike: Number(strike), kind: kind === 'ce' ? 'CE' : 'PE' } })
}

function takeStop([first, second, third]: readonly string[]): Taken | undefined {
  const [trigger, price] = [priceIn(second), priceIn(third)]
  if (first !== 'sl' || trigger === undefined) return undefined
  return price === undefined ? taken(2, { terms: { trigger } }) : taken(3, { terms: { trigger, price } })
}

function takePrice([word]: readonly string[]): Taken | undefined {
  const price = priceIn(word)
  return price === undefined ? undefined : taken(1, { terms: { price } })
}

const takeProduct =
  (of: readonly OrderProduct[]) =>
  ([word = '']: readonly string[]): Taken | undefined => {
    const product = ORDER_PRODUCTS.find((one) => one === word.toUpperCase())
    return product !== undefined && of.includes(product) ? taken(1, { product }) : undefined
  }

function takeExchange([word = '']: readonly string[]): Taken | undefined {
  const exchange = word.toUpperCase()
  return isTraded(exchange) ? taken(1, { exchange }) : undefined
}

const listed = (words: readonly string[]) => words.join(', ').toLowerCase()

const ORDER: readonly Act[] = ['order']
const INSTRUMENT: readonly Act[] = ['order', 'close']
const PRICED: readonly Act[] = ['order', 'modify']

export const PART_ROWS: readonly PartRow[] = [
  {
    part: 'quantity',
    form: '2l, 2 lots',
    of: ORDER,
    meaning: 'lots of a contract, before or after the symbol',
    example: 's 2l nifty fut',
    take: takeLots,
  },
  {
    part: 'quantity',
    form: '10',
    of: ORDER,
    isFirst: true,
    meaning: 'units, before the symbol',
    example: 'b 10 sbin',
    take: ([word = '']) => (NUMBER.test(word) ? taken(1, { quantity: { units: Number(word) } }) : undefined),
  },
  {
    part: 'contract',
    form: 'fut',
    of: INSTRUMENT,
    meaning: 'the future of the underlying',
    example: 'b 1l nifty fut',
    take: ([word]) => (word === 'fut' ? taken(1, { contract: 'FUT' }) : undefined),
  },
  {
    part: 'contract',
    form: '26300ce, 26300pe',
    of: INSTRUMENT,
    meaning: 'the call or the put of a strike',
    example: 's nifty 26300ce 2l mkt',
    take: takeStrike,
  },
  {
    part: 'expiry',
    form: '05dec, 05dec26',
    of: INSTRUMENT,
    meaning: 'expiry of a contract; without it the nearest',
    example: 'b 1l nifty 05dec 26300ce',
    take: takeExpiry,
  },
  {
    part: 'terms',
    form: '965',
    of: PRICED,
    meaning: 'limit price: LIMIT',
    example: 'b 10 sbin 965',
    take: takePrice,
  },
  {
    part: 'terms',
    form: 'mkt',
    of: ORDER,
    meaning: 'at the market, as without a price: MARKET',
    example: 'b 10 sbin mkt',
    take: ([word]) => (word === 'mkt' ? taken(1, { terms: {} }) : undefined),
  },
  {
    part: 'terms',
    form: 'sl 950, sl 950 965',
    of: PRICED,
    meaning: 'trigger: SL-M; trigger and limit price: SL',
    example: 'b 10 sbin sl 950 965',
    take: takeStop,
  },
  {
    part: 'product',
    form: listed(PRODUCTS),
    of: INSTRUMENT,
    meaning: 'product; without it MIS, for x the only open one',
    example: 'b 10 sbin cnc',
    take: takeProduct(PRODUCTS),
  },
  {
    part: 'product',
    form: listed(FOREIGN_PRODUCTS),
    of: ['close'],
    meaning: 'product of a position that x closes',
    example: 'x sbin mtf',
    take: takeProduct(FOREIGN_PRODUCTS),
  },
  {
    part: 'exchange',
    form: `${listed(TRADED_EXCHANGES.slice(0, 3))}, …`,
    of: INSTRUMENT,
    meaning: 'exchange, after the symbol',
    example: 'b 10 sbin bse',
    take: takeExchange,
  },
]

/** Words that are a part of the line only beside a number. Alone they are no symbol either: it would be taken for them. */
export const BESIDE_A_NUMBER: ReadonlySet<string> = new Set(['sl', 'l', 'lot', 'lots', 'ce', 'pe'])

/** Every row, in the order in which help and documentation show them. */
export const GRAMMAR: readonly GrammarRow[] = [...ACT_ROWS, SYMBOL_ROW, ...PART_ROWS]
