import { Almanac, SEED_TIMINGS } from '../../../src/core/calendar/index.js'
import { ServiceError } from '../../../src/core/errors/index.js'
import { InMemoryDirectory, type Instrument } from '../../../src/core/instruments/index.js'
import { futureSymbol, optionSymbol } from '../../../src/core/instruments/symbols/symbol-grammar.js'
import { ListedMarket, type Quote, type SymbolRef } from '../../../src/core/market/index.js'
import type { OptionSources } from '../../../src/core/options/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'

/** 2026-08-10, 15:36:42 IST: the instant of the published check values. */
export const NOW = 1786356402 * 1000
export const EXPIRY = '25-AUG-26'

let token = 0
function row(values: Partial<Instrument> & Pick<Instrument, 'symbol' | 'exchange'>): Instrument {
  return {
    brokerSymbol: values.symbol,
    name: values.symbol,
    brokerExchange: values.exchange,
    token: String(++token),
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
    ...values,
  }
}

export function contract(
  exchange: Instrument['exchange'],
  name: string,
  expiry: string,
  strike?: number,
  type: 'CE' | 'PE' | 'FUT' = 'FUT',
): Instrument {
  const symbol =
    strike === undefined || type === 'FUT'
      ? futureSymbol(name, expiry)
      : optionSymbol(name, expiry, strike, type)
  const lotSize = name === 'NIFTY' ? 65 : 100
  return row({ symbol, exchange, name, expiry, strike: strike ?? 0, instrumentType: type, lotSize })
}

const pair = (
  exchange: Instrument['exchange'],
  name: string,
  expiry: string,
  strike: number,
): Instrument[] => [
  contract(exchange, name, expiry, strike, 'CE'),
  contract(exchange, name, expiry, strike, 'PE'),
]

export const ROWS: Instrument[] = [
  row({ symbol: 'NIFTY', exchange: 'NSE_INDEX', instrumentType: 'INDEX' }),
  row({ symbol: 'SENSEX', exchange: 'BSE_INDEX', instrumentType: 'INDEX' }),
  row({ symbol: 'SBIN', exchange: 'NSE' }),
  row({ symbol: 'M&M', exchange: 'NSE' }),
  ...[24450, 24500, 24550, 24600, 24650].flatMap((strike) => pair('NFO', 'NIFTY', EXPIRY, strike)),
  contract('NFO', 'NIFTY', EXPIRY, 24700, 'CE'),
  contract('NFO', 'NIFTY', EXPIRY),
  ...pair('NFO', 'NIFTY', '04-AUG-26', 24550),
  ...[800, 810].flatMap((strike) => pair('NFO', 'SBIN', EXPIRY, strike)),
  ...[3000, 3050.5].flatMap((strike) => pair('NFO', 'M&M', EXPIRY, strike)),
  ...pair('BFO', 'SENSEX', '27-AUG-26', 80000),
  contract('MCX', 'CRUDEOIL', '20-JUL-26'),
  contract('MCX', 'CRUDEOIL', '19-AUG-26'),
  contract('MCX', 'CRUDEOIL', '21-SEP-26'),
  contract('MCX', 'CRUDEOILM', '19-AUG-26'),
  ...pair('MCX', 'CRUDEOIL', '17-AUG-26', 6000),
  ...pair('MCX', 'CRUDEOIL', '17-DEC-26', 6000),
  ...pair('MCX', 'GOLD', '17-AUG-26', 90000),
  row({ symbol: 'BTCUSDFUT', exchange: 'CRYPTO', name: 'BTC', instrumentType: 'PERPFUT' }),
  ...pair('CRYPTO', 'BTC', '28-AUG-26', 100000),
]

/** The last price of each quoted symbol. */
export const LTP: Readonly<Record<string, number>> = {
  'NSE_INDEX:NIFTY': 24560.15,
  'BSE_INDEX:SENSEX': 80010,
  'NSE:SBIN': 805,
  'NSE:M&M': 3040,
  'NFO:NIFTY25AUG2624450CE': 373.3,
  'NFO:NIFTY25AUG2624450PE': 243.1,
  'NFO:NIFTY25AUG2624500CE': 343.1,
  'NFO:NIFTY25AUG2624500PE': 263,
  'NFO:NIFTY25AUG2624550CE': 313.5,
  'NFO:NIFTY25AUG2624550PE': 283.5,
  'NFO:NIFTY25AUG2624600PE': 305.3,
  'NFO:NIFTY25AUG2624650CE': 259.1,
  'NFO:NIFTY25AUG2624650PE': 329.1,
  'NFO:NIFTY25AUG2624700CE': 235.4,
  'NFO:NIFTY04AUG2624550CE': 10,
  'NFO:SBIN25AUG26800CE': 20,
  'MCX:CRUDEOIL19AUG26FUT': 5990,
  'MCX:CRUDEOIL17AUG266000CE': 150,
  'MCX:CRUDEOIL17DEC266000CE': 450,
  'CRYPTO:BTCUSDFUT': 100_500,
  'CRYPTO:BTC28AUG26100000CE': 3000,
}

export interface Rig {
  sources: OptionSources
  /** The requested batches. */
  asked: string[][]
  clock: VirtualClock
}

/** Usual hours on every weekday. */
const USUAL_HOURS = new Almanac([], SEED_TIMINGS)

/** Options over a small master. Prices are those of `LTP` unless overridden. */
export function openRig(
  options: {
    ltp?: Readonly<Record<string, number>>
    now?: number
    down?: string
    calendar?: OptionSources['calendar']
  } = {},
): Rig {
  const clock = new VirtualClock(options.now ?? NOW)
  const catalog = InMemoryDirectory.of(ROWS, {
    of: (exchange, name) => (exchange === 'NFO' && name === 'NIFTY' ? 1800 : undefined),
  })
  const prices = { ...LTP, ...options.ltp }
  const asked: string[][] = []
  const answer = (ref: SymbolRef): Quote | { error: string } => {
    const ltp = prices[`${ref.exchange}:${ref.symbol}`]
    return ltp === undefined ? { error: `No quote for ${ref.symbol}` } : quoteOf(ref, ltp, clock.now())
  }
  const quotes = async (refs: readonly SymbolRef[]) => {
    if (options.down) throw new ServiceError('unavailable', options.down)
    asked.push(refs.map(({ symbol }) => symbol))
    return refs.map(answer)
  }
  const source = {
    quotes,
    async quote(ref: SymbolRef): Promise<Quote> {
      const [quote] = await quotes([ref])
      if (quote && !('error' in quote)) return quote
      throw new ServiceError('not_found', quote?.error ?? 'nothing')
    },
    depth: () => Promise.reject(new ServiceError('unsupported', 'No depth here')),
  }
  return {
    sources: {
      catalog,
      calendar: options.calendar ?? USUAL_HOURS,
      market: new ListedMarket(source, catalog),
      clock,
    },
    asked,
    clock,
  }
}

function quoteOf(ref: SymbolRef, ltp: number, timestamp: number): Quote {
  return {
    symbol: ref.symbol,
    exchange: ref.exchange,
    ltp,
    bid: ltp - 0.5,
    ask: ltp + 0.5,
    bidSize: 1500,
    askSize: 2250,
    open: ltp,
    high: ltp + 5,
    low: ltp - 5,
    prevClose: ltp - 1,
    volume: 1000,
    oi: 4000,
    timestamp,
  }
}
