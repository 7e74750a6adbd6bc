import type { Action, OrderProduct, Product } from '../../core/orders/vocabulary.js'
import type { Exchange } from '../market/exchange.js'

/** How much: units, or lots of a contract. */
export type Quantity = { units: number } | { lots: number }

/** A contract on an underlying: its future, or an option. */
export type Contract = 'FUT' | { strike: number; kind: 'CE' | 'PE' }

/** An instrument as somebody wrote it; the list of the daemon says which one it is. */
export interface Written {
  /** In capitals: a whole symbol, or the underlying of the contract. */
  symbol: string
  exchange?: Exchange
  /** `05DEC` or `05DEC26`. */
  expiry?: string
  contract?: Contract
}

/** The prices of an order, in rupees: none is MARKET, a price LIMIT, a trigger SL-M, both SL. */
export interface Terms {
  price?: number
  trigger?: number
}

export interface OrderLine extends Written, Terms {
  act: 'order'
  action: Action
  quantity: Quantity
  product?: Product
}

export interface CloseLine extends Written {
  act: 'close'
  product?: OrderProduct
}

export interface ModifyLine extends Terms {
  act: 'modify'
  id: string
}

/** What a line asks for. */
export type Line =
  | OrderLine
  | CloseLine
  | ModifyLine
  | { act: 'cancel'; id: string }
  | { act: 'close-all' }
  | { act: 'cancel-all' }

/** Why a line is not understood, as a sentence that names the part and the choices. */
export interface Refused {
  refusal: string
  /** Whether the line is wrong, nothing is listed under its words, or several things are. */
  code: 'usage' | 'not_found' | 'ambiguous'
}

export const refused = (refusal: string, code: Refused['code'] = 'usage'): Refused => ({ refusal, code })

/** Returns the text of a line: parsed again, it is the same line. */
export function lineText(line: Line): string {
  return wordsOf(line).filter(Boolean).join(' ')
}

function wordsOf(line: Line): readonly (string | undefined)[] {
  switch (line.act) {
    case 'order':
      return [
        line.action === 'BUY' ? 'b' : 's',
        'lots' in line.quantity ? `${line.quantity.lots}l` : String(line.quantity.units),
        ...writtenWords(line),
        ...termWords(line),
        line.product?.toLowerCase(),
      ]
    case 'close':
      return ['x', ...writtenWords(line), line.product?.toLowerCase()]
    case 'modify':
      return ['m', line.id, ...termWords(line)]
    case 'cancel':
      return ['c', line.id]
    case 'close-all':
      return ['x', 'all']
    case 'cancel-all':
      return ['c', 'all']
  }
}

function writtenWords({ contract, exchange, expiry, symbol }: Written): readonly (string | undefined)[] {
  const name = exchange === undefined ? symbol : `${exchange}:${symbol}`
  return [name.toLowerCase(), expiry?.toLowerCase(), contract && contractText(contract).toLowerCase()]
}

/** Returns a contract as symbols spell it: `FUT`, `26300CE`. */
export function contractText(contract: Contract): string {
  return contract === 'FUT' ? contract : `${contract.strike}${contract.kind}`
}

function termWords({ price, trigger }: Terms): readonly string[] {
  const prices = [trigger, price].filter((one) => one !== undefined).map(String)
  return trigger === undefined ? prices : ['sl', ...prices]
}
