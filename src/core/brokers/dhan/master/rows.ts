import {
  dateToExpiry,
  futureSymbol,
  hasContractUnits,
  lotInUnits,
  optionSymbol,
} from '../../../instruments/index.js'
import type { Exchange, Instrument } from '../../../instruments/schema.js'
import { indexSymbol } from '../../kit/master/index-names.js'
import { EXCHANGE_OF_SEGMENT } from '../words.js'
import type { Cell } from './columns.js'

type Kind = 'EQUITY' | 'INDEX' | 'FUTURE' | 'OPTION'

/** The kinds of Dhan's instruments. Others (bonds of a day, mutual funds) are left out. */
const KIND: Readonly<Record<string, Kind>> = {
  EQUITY: 'EQUITY',
  INDEX: 'INDEX',
  FUTIDX: 'FUTURE',
  FUTSTK: 'FUTURE',
  FUTCOM: 'FUTURE',
  FUTCUR: 'FUTURE',
  OPTIDX: 'OPTION',
  OPTSTK: 'OPTION',
  OPTFUT: 'OPTION',
  OPTCUR: 'OPTION',
}
const CURRENCY = /CUR$/

/** The segment of each kind at each exchange. */
const SEGMENT: Readonly<Record<string, { cash?: string; contracts: string; currency?: string }>> = {
  NSE: { cash: 'NSE_EQ', contracts: 'NSE_FNO', currency: 'NSE_CURRENCY' },
  BSE: { cash: 'BSE_EQ', contracts: 'BSE_FNO', currency: 'BSE_CURRENCY' },
  MCX: { contracts: 'MCX_COMM' },
}
const INDEX_SEGMENT = 'IDX_I'
const INDEX_EXCHANGE: Readonly<Record<string, Exchange>> = { NSE: 'NSE_INDEX', BSE: 'BSE_INDEX' }
/** Indices are not traded, and some have no tick. */
const INDEX_TICK = 0.05

/** The series of shares whose symbol has no ending at the NSE. */
const PLAIN_SERIES: ReadonlySet<string> = new Set(['', 'EQ', 'NA', 'XX'])
const RIGHTS = ['CE', 'PE'] as const
const UNDERLYING = /^[A-Z0-9&_-]+$/
/** The master has ticks in paise. */
const PAISE = 100

/** The fields that depend on the kind of instrument. */
type Terms = Pick<Instrument, 'symbol' | 'name' | 'expiry' | 'strike' | 'instrumentType'>

/** Returns the instrument of a record; why it cannot be used; undefined if it is left out on purpose. */
export function instrumentOf(cell: Cell): Instrument | string | undefined {
  const word = cell('instrument')
  const kind = Object.hasOwn(KIND, word) ? KIND[word] : undefined
  const place = kind && placeOf(cell('exchange'), kind, word)
  if (!kind || !place) return undefined
  const terms = TERMS[kind](cell, place.exchange)
  if (typeof terms === 'string') return terms
  const { exchange, segment } = place
  const tick = Number((decimalOf(cell('tick')) / PAISE).toFixed(6))
  return {
    ...terms,
    brokerSymbol: cell('code') || terms.symbol,
    exchange,
    brokerExchange: segment,
    token: cell('token'),
    lotSize: kind === 'INDEX' ? 1 : lotOf(exchange, terms.name, decimalOf(cell('lot'))),
    tickSize: kind === 'INDEX' ? tick || INDEX_TICK : tick,
  }
}

function placeOf(
  venue: string,
  kind: Kind,
  word: string,
): { exchange: Exchange; segment: string } | undefined {
  if (kind === 'INDEX') {
    const exchange = INDEX_EXCHANGE[venue]
    return exchange && { exchange, segment: INDEX_SEGMENT }
  }
  const segments = SEGMENT[venue]
  const segment =
    kind === 'EQUITY' ? segments?.cash : CURRENCY.test(word) ? segments?.currency : segments?.contracts
  const exchange = segment && EXCHANGE_OF_SEGMENT[segment]
  return segment && exchange ? { exchange, segment } : undefined
}

const TERMS: Readonly<Record<Kind, (cell: Cell, exchange: Exchange) => Terms | string>> = {
  EQUITY(cell, exchange) {
    const code = (cell('underlying') || cell('code')).toUpperCase()
    const series = cell('series').toUpperCase()
    const isPlain = exchange !== 'NSE' || PLAIN_SERIES.has(series)
    const symbol = isPlain ? code : `${code}-${series}`
    return { symbol, name: cell('shown') || code, expiry: '', strike: 0, instrumentType: 'EQ' }
  },
  INDEX(cell, exchange) {
    const name = cell('underlying') || cell('code')
    return { symbol: indexSymbol(exchange, name), name, expiry: '', strike: 0, instrumentType: 'INDEX' }
  },
  FUTURE: (cell) =>
    dated(cell, (name, expiry) => ({
      symbol: futureSymbol(name, expiry),
      name,
      expiry,
      strike: 0,
      instrumentType: 'FUT',
    })),
  OPTION: (cell) =>
    dated(cell, (name, expiry) => {
      const right = RIGHTS.find((each) => each === cell('right'))
      const strike = decimalOf(cell('strike'))
      if (!right) return `the option type "${cell('right')}" is unknown`
      if (!(strike > 0)) return `the strike "${cell('strike')}" is not above zero`
      return {
        symbol: optionSymbol(name, expiry, strike, right),
        name,
        expiry,
        strike,
        instrumentType: right,
      }
    }),
}

function dated(cell: Cell, terms: (name: string, expiry: string) => Terms | string): Terms | string {
  const name = (cell('underlying') || cell('shown').split(' ', 1)[0] || '').toUpperCase()
  if (!UNDERLYING.test(name)) return `the underlying of "${cell('code')}" is unknown`
  const expiry = dateToExpiry(cell('expiry').slice(0, 10))
  return expiry === undefined ? `the expiry "${cell('expiry')}" is not a date` : terms(name, expiry)
}

/** Returns the lot size in units: where brokers count in different ways, that of our table. */
function lotOf(exchange: Exchange, name: string, listed: number): number {
  return hasContractUnits(exchange) ? (lotInUnits({ exchange, name }) ?? 1) : listed
}

/** Parses a plain decimal; NaN for anything else, such as the negative strikes of futures. */
function decimalOf(text: string): number {
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
}
