import { z } from 'zod'
import {
  dateToExpiry,
  futureSymbol,
  hasContractUnits,
  lotInUnits,
  optionSymbol,
} from '../../../instruments/index.js'
import type { Exchange, Instrument } from '../../../instruments/schema.js'
import { istDate } from '../../../time/index.js'
import { indexSymbol } from '../../kit/master/index-names.js'
import { UNITS } from '../contracts.js'
import { amount, text } from '../wire.js'

const masterRow = z.object({
  instrument_key: z.string(),
  trading_symbol: z.string(),
  segment: z.string(),
  instrument_type: text,
  name: text,
  /** Epoch milliseconds. */
  expiry: z.number().nullish(),
  strike_price: amount,
  lot_size: amount,
  tick_size: amount,
  underlying_symbol: text,
})
type MasterRow = z.output<typeof masterRow>

/** Our exchange by Upstox's segment. Others are left out: orders, books and quotes do not know them. */
const EXCHANGE_BY_SEGMENT: ReadonlyMap<string, Exchange> = new Map([
  ['NSE_EQ', 'NSE'],
  ['BSE_EQ', 'BSE'],
  ['NSE_FO', 'NFO'],
  ['BSE_FO', 'BFO'],
  ['NCD_FO', 'CDS'],
  ['BCD_FO', 'BCD'],
  ['MCX_FO', 'MCX'],
  ['NSE_INDEX', 'NSE_INDEX'],
  ['BSE_INDEX', 'BSE_INDEX'],
  ['GLOBAL_INDEX', 'GLOBAL_INDEX'],
  ['GLOBAL_INDICATOR', 'GLOBAL_INDEX'],
])
const CASH_SEGMENTS: ReadonlySet<string> = new Set(['NSE_EQ', 'BSE_EQ'])
const MAIN_SERIES = 'EQ'
/** An index is never traded, so the file may have no tick for it. */
const INDEX_TICK = 0.05

/** The service's codes of the indices of other countries. */
const GLOBAL_NAMES: ReadonlyMap<string, string> = new Map([
  ['^DJI', 'DOWJONES'],
  ['^GSPC', 'US500'],
  ['^HSI', 'HANGSENG'],
  ['^FTSE', 'UK100'],
  ['^GDAXI', 'GERMANY40'],
  ['^FCHI', 'FRANCE40'],
  ['^N225', 'JAPAN225'],
  ['IXIX', 'US100'],
  ['DOW FUTURES', 'US30'],
  ['GIFT NIFTY', 'GIFTNIFTY'],
  ['BZUSD', 'BRENTOIL'],
  ['CLUSD', 'WTIOIL'],
])

/**
 * Returns the tick of a row that tells in which unit the file has its ticks: one of a share. Undefined for any other row.
 */
export function witnessOf(row: unknown): number | undefined {
  const { data } = masterRow.safeParse(row)
  const isShare = data?.segment === 'NSE_EQ' && data.instrument_type === 'EQ' && data.tick_size > 0
  return isShare ? data.tick_size : undefined
}

/**
 * Converts a row of Upstox's list.
 * @param tickScale rupees of a tick size of 1
 * @returns the instrument, undefined for a segment that is left out, or why the row cannot be used
 */
export function instrumentIn(row: unknown, tickScale: number): Instrument | string | undefined {
  const { data } = masterRow.safeParse(row)
  if (!data) return 'a row has no key, symbol or segment'
  const exchange = EXCHANGE_BY_SEGMENT.get(data.segment)
  if (exchange === undefined) return undefined
  const terms = termsOf(data, exchange)
  if (typeof terms === 'string') return terms
  const lotSize = lotOf(data, exchange, terms)
  if (typeof lotSize === 'string') return lotSize
  return {
    ...terms,
    brokerSymbol: data.trading_symbol,
    exchange,
    brokerExchange: data.segment,
    token: data.instrument_key,
    lotSize,
    tickSize: terms.instrumentType === 'INDEX' ? INDEX_TICK : inRupees(data.tick_size, tickScale),
  }
}

/** Keeps the decimals of a currency and no others. */
function inRupees(tick: number, scale: number): number {
  return Math.round(tick * scale * 1e7) / 1e7
}

/** The fields that depend on the kind of instrument. */
type Terms = Pick<Instrument, 'symbol' | 'name' | 'expiry' | 'strike' | 'instrumentType'>

function termsOf(row: MasterRow, exchange: Exchange): Terms | string {
  const { instrument_type: type, name, segment, trading_symbol } = row
  const undated = { name: name || trading_symbol, expiry: '', strike: 0 }
  if (exchange.endsWith('_INDEX')) {
    const symbol = GLOBAL_NAMES.get(trading_symbol.toUpperCase()) ?? indexSymbol(exchange, trading_symbol)
    return { ...undated, symbol, instrumentType: 'INDEX' }
  }
  if (CASH_SEGMENTS.has(segment)) return { ...undated, symbol: shareSymbol(row), instrumentType: 'EQ' }
  return type === 'FUT' || type === 'CE' || type === 'PE'
    ? contractTerms(row, type)
    : `the instrument type "${type}" is unknown`
}

/**
 * Returns the symbol of a share. On the NSE its type is its series, and each series but the main one is a symbol of its own: two
 * of them can trade on one day at different prices.
 */
function shareSymbol({ instrument_type: series, segment, trading_symbol }: MasterRow): string {
  const symbol = trading_symbol.toUpperCase()
  const isMain = segment !== 'NSE_EQ' || series === '' || series === MAIN_SERIES
  return isMain || symbol.endsWith(`-${series}`) ? symbol : `${symbol}-${series}`
}

function contractTerms(row: MasterRow, type: 'FUT' | 'CE' | 'PE'): Terms | string {
  const { expiry: ms, strike_price: strike, trading_symbol, underlying_symbol } = row
  const name = underlying_symbol.toUpperCase()
  const expiry = ms ? dateToExpiry(istDate(ms)) : undefined
  if (name === '') return `the underlying of "${trading_symbol}" is unknown`
  if (expiry === undefined) return `the expiry of "${trading_symbol}" is not a date`
  if (type === 'FUT')
    return { symbol: futureSymbol(name, expiry), name, expiry, strike: 0, instrumentType: type }
  if (!(strike > 0)) return `the strike of "${trading_symbol}" is not above zero`
  return { symbol: optionSymbol(name, expiry, strike, type), name, expiry, strike, instrumentType: type }
}

/**
 * Returns the lot size in units; the reason if the row is unusable. Where Upstox counts units of a currency, its lot must be ours:
 * another figure would mean that its units are others.
 */
function lotOf(row: MasterRow, exchange: Exchange, { instrumentType, name }: Terms): number | string {
  if (instrumentType === 'INDEX') return 1
  if (CASH_SEGMENTS.has(row.segment)) return row.lot_size || 1
  if (!hasContractUnits(exchange))
    return row.lot_size > 0 ? row.lot_size : `the lot size of "${row.trading_symbol}" is not above zero`
  const lot = lotInUnits({ exchange, name })
  if (lot === undefined || UNITS.isCountedInLots({ exchange, name }) || row.lot_size === lot) return lot ?? 1
  return `the lot size ${row.lot_size} of ${name} is not ${lot}`
}
