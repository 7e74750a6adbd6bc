import type { AnswerOf, Body } from '../../../client/index.js'
import { EXCHANGES } from '../../../views/market/exchange.js'

export type Instrument = AnswerOf<'symbol'>['data']
export type Exchange = Body<'symbol'>['exchange']

/** The instrument of the symbol that is typed. */
export type Looked =
  | { kind: 'none' }
  | { kind: 'looking' }
  | { kind: 'found'; instrument: Instrument }
  | { kind: 'refused'; problem: string }

export interface TypedSymbol {
  exchange: Exchange
  symbol: string
}

/** Indices have prices, and no orders. */
const TRADED = EXCHANGES.filter((exchange) => !exchange.endsWith('_INDEX'))

const isExchange = (text: string): text is Exchange => TRADED.includes(text)

/** Parses `NSE:SBIN`, in any case; undefined for anything else. */
export function typedSymbol(text: string): TypedSymbol | undefined {
  const [, exchange = '', symbol = ''] = /^\s*([^:\s]+):([^:\s]+)\s*$/.exec(text.toUpperCase()) ?? []
  return isExchange(exchange) ? { exchange, symbol } : undefined
}

/** Returns why a symbol cannot be ordered as it is typed; undefined for a known one. */
export function symbolProblem(text: string, looked: Looked): string | undefined {
  if (typedSymbol(text) === undefined) {
    const [exchange = ''] = text.toUpperCase().split(':')
    const isWrong = text.includes(':') && !isExchange(exchange)
    return isWrong ? `${exchange} takes no orders: ${TRADED.slice(0, 6).join(', ')} …` : 'such as NSE:SBIN'
  }
  if (looked.kind === 'refused') return looked.problem
  return looked.kind === 'found' ? undefined : 'looking it up …'
}
