import { z } from 'zod'
import {
  futureSymbol,
  hasContractUnits,
  isExchange,
  lotInUnits,
  optionSymbol,
  storedExpiry,
} from '../../instruments/index.js'
import type { Exchange, Instrument } from '../../instruments/schema.js'
import type { BrokerInstruments } from '../broker.js'
import { indexSymbol } from '../kit/master/index-names.js'
import { rowsOfJsonFile } from '../kit/master/json-rows.js'
import { masterBatches } from '../kit/master/master-batches.js'
import { masterFile } from '../kit/master/master-file.js'
import { DEFAULT_ENDPOINTS } from './manifest.js'

const PATH = '/OpenAPI_File/files/OpenAPIScripMaster.json'
const CALL = `GET ${PATH}`
/** The file has about forty megabytes. */
const DOWNLOAD_TIMEOUT_MS = 180_000

/** Prices of the file are in paise; those of currencies in the smallest part that their feed has. */
const PAISE = 100
const CURRENCY_PARTS = 10_000_000
/** Indices have no tick; they are never traded. */
const INDEX_TICK = 0.05

const INDEX_TYPE = 'AMXIDX'
const INDEX_EXCHANGES: ReadonlyMap<string, Exchange> = new Map([
  ['NSE', 'NSE_INDEX'],
  ['BSE', 'BSE_INDEX'],
  ['MCX', 'MCX_INDEX'],
])
/** Exchanges of the file that are not imported. */
const LEFT_OUT: ReadonlySet<string> = new Set(['NCDEX', 'NCO'])
/**
 * The main series of shares, which symbols do not name. Every other stays in its symbol, whether the share is listed in the main
 * one or not: it moves between them, and both can trade on one day at different prices.
 */
const MAIN_SERIES = /-EQ$/

const scrip = z.object({
  token: z.string(),
  symbol: z.string(),
  name: z.string(),
  expiry: z.string(),
  strike: z.coerce.number(),
  lotsize: z.coerce.number(),
  instrumenttype: z.string(),
  exch_seg: z.string(),
  tick_size: z.coerce.number(),
})
type Scrip = z.output<typeof scrip>

/** The master: one JSON list of all exchanges, which needs no session. */
export const instruments: BrokerInstruments = {
  async *download(_session, context) {
    const endpoint = context.endpoints.master ?? DEFAULT_ENDPOINTS.master
    const { bytes } = await masterFile(context, { endpoint, path: PATH, timeoutMs: DOWNLOAD_TIMEOUT_MS })
    yield* masterBatches(context.log, { call: CALL, parts: rowsOfJsonFile(CALL, bytes), read: readScrip })
  },
}

/** Reads one row of the file: the instrument, undefined if it is left out on purpose, or why it cannot be used. */
export function readScrip(raw: unknown): Instrument | string | undefined {
  const { data: row } = scrip.safeParse(raw)
  if (!row) return 'a row lacks a column'
  if (LEFT_OUT.has(row.exch_seg)) return undefined
  const isIndex = row.instrumenttype === INDEX_TYPE
  const exchange = isIndex ? INDEX_EXCHANGES.get(row.exch_seg) : row.exch_seg
  if (exchange === undefined || !isExchange(exchange)) return `the exchange "${row.exch_seg}" is unknown`
  const terms = isIndex ? indexTerms(exchange, row) : termsOf(row)
  if (typeof terms === 'string') return terms
  return {
    ...terms,
    brokerSymbol: row.symbol,
    exchange,
    brokerExchange: row.exch_seg,
    token: row.token,
    lotSize: isIndex ? 1 : lotOf(exchange, terms.name, row.lotsize),
    tickSize: isIndex ? INDEX_TICK : row.tick_size / partsOf(row),
  }
}

type Terms = Pick<Instrument, 'symbol' | 'name' | 'expiry' | 'strike' | 'instrumentType'>

function indexTerms(exchange: Exchange, { name, symbol }: Scrip): Terms {
  const code = indexSymbol(exchange, name || symbol)
  return { symbol: code, name: symbol, expiry: '', strike: 0, instrumentType: 'INDEX' }
}

function termsOf(row: Scrip): Terms | string {
  const { instrumenttype, name, symbol } = row
  if (instrumenttype === '') {
    const plain = symbol.replace(MAIN_SERIES, '')
    return { symbol: plain, name, expiry: '', strike: 0, instrumentType: 'EQ' }
  }
  const expiry = storedExpiry(row.expiry)
  if (expiry === undefined) return `the expiry "${row.expiry}" of ${symbol} is not a date`
  if (instrumenttype.startsWith('FUT'))
    return { symbol: futureSymbol(name, expiry), name, expiry, strike: 0, instrumentType: 'FUT' }
  const right = symbol.endsWith('CE') ? 'CE' : symbol.endsWith('PE') ? 'PE' : undefined
  if (!instrumenttype.startsWith('OPT') || right === undefined)
    return `the instrument type "${instrumenttype}" of ${symbol} is unknown`
  const strike = row.strike / partsOf(row)
  if (!(strike > 0)) return `the strike of ${symbol} is not above zero`
  return { symbol: optionSymbol(name, expiry, strike, right), name, expiry, strike, instrumentType: right }
}

function partsOf({ exch_seg: exchange }: Scrip): number {
  return exchange === 'CDS' ? CURRENCY_PARTS : PAISE
}

/** Returns the lot size in units. What the file counts for commodities and currencies is not documented. */
function lotOf(exchange: Exchange, name: string, listed: number): number {
  return hasContractUnits(exchange) ? (lotInUnits({ exchange, name }) ?? 1) : listed
}
