import { PRODUCTS } from '../../core/orders/vocabulary.js'
import { type Exchange, isTraded, TRADED_EXCHANGES } from '../market/exchange.js'
import { type Line, type ModifyLine, type OrderLine, type Refused, refused, type Written } from './line.js'
import {
  ACT_ROWS,
  type Act,
  type ActRow,
  BESIDE_A_NUMBER,
  type Given,
  PART_ROWS,
  type PartRow,
  type Taken,
} from './table.js'

/** Returns whether a text begins with a word of the grammar. */
export function isOrderLine(text: string): boolean {
  return actNamed(wordsIn(text)[0] ?? '') !== undefined
}

/**
 * Returns what a line such as `b 10 sbin 965` asks for. Nothing is guessed: a word that is missing, has two meanings or no
 * place is refused.
 */
export function parseOrderLine(text: string): Line | Refused {
  const [first = '', ...words] = wordsIn(text)
  const row = actNamed(first)
  if (row === undefined) {
    const choices = ACT_ROWS.map(({ form }) => form).join(', ')
    return refused(`A line begins with ${choices}. Example: ${ACT_ROWS[0]?.example}`)
  }
  switch (row.act) {
    case 'order':
      return readOrder(row, words)
    case 'close':
      return readClose(row, words)
    case 'cancel':
      return readCancel(row, words)
    case 'modify':
      return readModify(row, words)
  }
}

const wordsIn = (text: string): string[] => text.trim().split(/\s+/)

const small = (words: readonly string[]) => words.map((word) => word.toLowerCase())

function actNamed(word: string): ActRow | undefined {
  return ACT_ROWS.find(({ words }) => words.includes(word.toLowerCase()))
}

type OrderRow = Extract<ActRow, { act: 'order' }>

function readOrder(row: OrderRow, words: readonly string[]): OrderLine | Refused {
  const before = partAt(words, QUANTITIES)
  const hasLots = words.some((_, at) => partAt(words.slice(at), LOTS) !== undefined)
  if (before === undefined && !hasLots) {
    return refused(
      `The quantity is missing. It stands before the symbol, as in "${row.example}"; in lots also after it, as in 2l.`,
    )
  }
  const read = readInstrument(row, words.slice(before?.taken.count ?? 0), before?.taken.given ?? {})
  if ('refusal' in read) return read
  const { quantity, terms } = read.given
  if (quantity === undefined) return refused('The quantity is missing.')
  const product = PRODUCTS.find((one) => one === read.given.product)
  return {
    act: 'order',
    action: row.action,
    quantity,
    ...read.written,
    ...terms,
    ...(product !== undefined && { product }),
  }
}

function readClose(row: ActRow, words: readonly string[]): Line | Refused {
  if (isAll(words)) return { act: 'close-all' }
  const read = readInstrument(row, words, {})
  if ('refusal' in read) return read
  const { product } = read.given
  return { act: 'close', ...read.written, ...(product !== undefined && { product }) }
}

function readCancel(row: ActRow, words: readonly string[]): Line | Refused {
  if (isAll(words)) return { act: 'cancel-all' }
  const [first, second] = words
  if (second !== undefined) return refused(`"${second}" has no place in this line: ${row.form} takes one id.`)
  const id = idIn(row, first)
  return typeof id === 'string' ? { act: 'cancel', id } : id
}

function readModify(row: ActRow, [first, ...rest]: readonly string[]): ModifyLine | Refused {
  const id = idIn(row, first)
  if (typeof id !== 'string') return id
  const given = readParts(rest, 'modify', {})
  if ('refusal' in given) return given
  if (given.terms === undefined) return refused(`The new price is missing, as in "${row.example}".`)
  return { act: 'modify', id, ...given.terms }
}

const isAll = (words: readonly string[]) => words.length === 1 && words[0]?.toLowerCase() === 'all'

const ID = /^[\w./:-]+$/

/** Returns the id of an order, whose letters stay as they are. */
function idIn({ example }: ActRow, word: string | undefined): string | Refused {
  if (word === undefined) return refused(`The id of the order is missing, as in "${example}".`)
  return ID.test(word) ? word : refused(`"${word}" is no id of an order.`)
}

interface Read {
  written: Written
  given: Given
}

/** Reads the symbol, and the parts after it. */
function readInstrument(row: ActRow, words: readonly string[], start: Given): Read | Refused {
  const [word = '', ...rest] = words
  if (word === '' || partAt(words, NOT_A_SYMBOL) !== undefined) {
    const where = word === '' ? '' : ` before "${word}"`
    return refused(`The symbol is missing${where}, as in "${row.example}".`)
  }
  const named = symbolIn(word)
  if ('refusal' in named) return named
  const { symbol } = named
  const given = readParts(rest, row.act, { ...start, ...(named.exchange && { exchange: named.exchange }) })
  if ('refusal' in given) return given
  const { contract, exchange, expiry } = given
  if (expiry !== undefined && contract === undefined) {
    return refused(`${expiry} is an expiry: add fut, or a strike such as 26300ce.`)
  }
  const written = {
    symbol,
    ...(exchange && { exchange }),
    ...(expiry !== undefined && { expiry }),
    ...(contract && { contract }),
  }
  return { written, given }
}

const SYMBOL = /^(?:([^:]*):)?([a-z0-9][a-z0-9&_.-]*)$/i

function symbolIn(word: string): { symbol: string; exchange?: Exchange } | Refused {
  const [, exchange, symbol = ''] = SYMBOL.exec(word.toUpperCase()) ?? []
  if (!/[A-Z]/.test(symbol)) return refused(`"${word}" is no symbol. Write it as sbin or nse:sbin.`)
  if (exchange === undefined && BESIDE_A_NUMBER.has(word.toLowerCase())) {
    return refused(`"${word}" is a word of the line. As a symbol it needs its exchange, as in nse:${word}.`)
  }
  if (exchange === undefined) return { symbol }
  if (isTraded(exchange)) return { symbol, exchange }
  return refused(`"${exchange}" is no exchange that takes orders: ${TRADED_EXCHANGES.join(', ')}.`)
}

/** Reads the parts of a line, in any order, each at most once. */
function readParts(words: readonly string[], act: Act, start: Given): Given | Refused {
  let given = start
  let left = words
  while (left.length > 0) {
    const found = partAt(left, (row) => row.isFirst !== true && row.of.includes(act))
    if (found === undefined) return misplaced(left, act)
    const { row, taken } = found
    if (given[row.part] !== undefined) return refused(`"${left[0]}" is a second ${NAMES[row.part]}.`)
    given = { ...given, ...taken.given }
    left = left.slice(taken.count)
  }
  return given
}

/** The parts in the words of a refusal. */
const NAMES: Readonly<Record<keyof Given, string>> = {
  quantity: 'quantity',
  expiry: 'expiry',
  contract: 'contract',
  terms: 'price',
  product: 'product',
  exchange: 'exchange',
}

type Choice = (row: PartRow) => boolean
const QUANTITIES: Choice = ({ part }) => part === 'quantity'
const LOTS: Choice = ({ isFirst, part }) => part === 'quantity' && isFirst !== true
/** The name of an exchange may be a symbol, too: those of the BSE and of the MCX are listed. */
const NOT_A_SYMBOL: Choice = ({ part }) => part !== 'exchange'

/** Returns the part that words begin with, and its row. */
function partAt(words: readonly string[], choice: Choice): { row: PartRow; taken: Taken } | undefined {
  const typed = small(words)
  for (const row of PART_ROWS) {
    const taken = choice(row) ? row.take(typed) : undefined
    if (taken !== undefined) return { row, taken }
  }
  return undefined
}

/** Refuses words that begin with no part of the act, with the parts that may stand there. */
function misplaced(words: readonly string[], act: Act): Refused {
  const [word = ''] = words
  const elsewhere = partAt(words, ({ isFirst }) => isFirst !== true)
  if (elsewhere !== undefined) {
    return refused(`"${word}" has no place in this line. It means: ${elsewhere.row.meaning}.`)
  }
  const rows = PART_ROWS.filter(({ isFirst, of }) => isFirst !== true && of.includes(act))
  return refused(`"${word}" is not understood. Here may stand: ${rows.map(({ form }) => form).join('; ')}.`)
}
