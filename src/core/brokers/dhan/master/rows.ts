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

const INDEX_SEGMENT = 'IDX_I'
/**
 * The segment by the exchange and its letter: an id is unique within a segment only. Others are left out: the commodities of
 * the NSE (`NSE M`) have ids that its other contracts have too, and their segment in orders is not documented.
 */
const SEGMENT: Readonly<Record<string, string>> = {
  'NSE E': 'NSE_EQ',
  'NSE D': 'NSE_FNO',
  'NSE C': 'NSE_CURRENCY',
  'NSE I': INDEX_SEGMENT,
  'BSE E': 'BSE_EQ',
  'BSE D': 'BSE_FNO',
  'BSE C': 'BSE_CURRENCY',
  'BSE I': INDEX_SEGMENT,
  'MCX M': 'MCX_COMM',
}
/** The letters of segments that have each kind. */
const LETTERS: Readonly<Record<Kind, string>> = { EQUITY: 'E', INDEX: 'I', FUTURE: 'DCM', OPTION: 'DCM' }
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
  const place = kind && placeOf(cell, kind)
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

function placeOf(cell: Cell, kind: Kind): { exchange: Exchange; segment: string } | undefined {
  const [venue, letter] = [cell('exchange'), cell('segment')]
  const segment = SEGMENT[`${venue} ${letter}`]
  if (segment === undefined || !LETTERS[kind].includes(letter)) return undefined
  const exchange = kind === 'INDEX' ? INDEX_EXCHANGE[venue] : EXCHANGE_OF_SEGMENT[segment]
  return exchange && { exchange, segment }
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
