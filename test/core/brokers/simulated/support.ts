import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import { type SimulatedPlugin, simulatedPlugin } from '../../../../src/core/brokers/simulated/index.js'
import {
  MarketSessions,
  NO_HOLIDAYS,
  type SessionMode,
} from '../../../../src/core/brokers/simulated/market/market-sessions.js'
import type { Underlying } from '../../../../src/core/brokers/simulated/market/references.js'
import { SimulatedMarket } from '../../../../src/core/brokers/simulated/market/simulated-market.js'
import type { SimulatedOptions } from '../../../../src/core/brokers/simulated/options.js'
import type { Instrument, InstrumentDirectory } from '../../../../src/core/instruments/schema.js'
import { silentLogger } from '../../../../src/core/logging/index.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { VirtualClock } from '../../../../src/core/time/index.js'

/** A Friday, 11:00 IST. */
export const FRIDAY_11 = Date.parse('2026-11-20T11:00:00+05:30')

function instrument(values: Partial<Instrument> & Pick<Instrument, 'symbol' | 'exchange'>): Instrument {
  return {
    brokerSymbol: values.symbol,
    name: values.symbol,
    brokerExchange: values.exchange,
    token: values.symbol,
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
    ...values,
  }
}

const NIFTY = { exchange: 'NFO', name: 'NIFTY', expiry: '24-NOV-26', lotSize: 65 } as const

export const INSTRUMENTS: readonly Instrument[] = [
  instrument({ symbol: 'SBIN', exchange: 'NSE', name: 'STATE BANK OF INDIA' }),
  instrument({ symbol: 'SBIN', exchange: 'BSE', name: 'STATE BANK OF INDIA' }),
  instrument({ symbol: 'INFY', exchange: 'NSE', name: 'INFOSYS', tickSize: 0.1 }),
  instrument({ symbol: 'NIFTY', exchange: 'NSE_INDEX', name: 'NIFTY 50', instrumentType: 'INDEX' }),
  instrument({ symbol: 'NIFTY24NOV26FUT', ...NIFTY, instrumentType: 'FUT', tickSize: 0.1 }),
  instrument({ symbol: 'NIFTY24NOV2623000CE', ...NIFTY, instrumentType: 'CE', strike: 23000 }),
  instrument({ symbol: 'NIFTY24NOV2626000CE', ...NIFTY, instrumentType: 'CE', strike: 26000 }),
  instrument({ symbol: 'NIFTY24NOV2626000PE', ...NIFTY, instrumentType: 'PE', strike: 26000 }),
  instrument({ symbol: 'NIFTY24NOV2628000CE', ...NIFTY, instrumentType: 'CE', strike: 28000 }),
  instrument({
    symbol: 'USDINR27NOV26FUT',
    exchange: 'CDS',
    name: 'USDINR',
    expiry: '27-NOV-26',
    lotSize: 1000,
    tickSize: 0.0025,
    instrumentType: 'FUT',
  }),
  instrument({
    symbol: 'BTCUSDFUT',
    exchange: 'CRYPTO',
    name: 'BTC',
    lotSize: 1,
    tickSize: 0.5,
    contractValue: 0.001,
    instrumentType: 'PERPFUT',
  }),
]

const UNDERLYINGS: Record<string, Omit<Underlying, 'key'>> = {
  'NSE:SBIN': { basePrice: 800, volatility: 0.24 },
  'NSE:INFY': { basePrice: 1500, volatility: 0.26 },
  'NSE_INDEX:NIFTY': { basePrice: 26000, volatility: 0.14 },
  'CDS:USDINR': { basePrice: 88.5, volatility: 0.05 },
  'CRYPTO:BTC': { basePrice: 92000, volatility: 0.5 },
}

export function underlyingOf({
  exchange,
  expiry,
  symbol,
  name,
  instrumentType,
}: Instrument): Underlying | undefined {
  const spot = expiry === '' && instrumentType !== 'PERPFUT'
  const home = exchange === 'NFO' ? 'NSE_INDEX' : exchange === 'BSE' ? 'NSE' : exchange
  const key = `${home}:${spot ? symbol : name}`
  const known = UNDERLYINGS[key]
  return known && { key, ...known }
}

export function directoryOf(instruments: readonly Instrument[]): InstrumentDirectory {
  const byKey = new Map(instruments.map((row) => [`${row.exchange}:${row.symbol}`, row]))
  return {
    master: byKey,
    count: instruments.length,
    find: (symbol, exchange) => byKey.get(`${exchange}:${symbol}`),
    byToken: () => undefined,
    byBrokerSymbol: () => undefined,
    freezeQuantity: (row) => (row.name === 'NIFTY' ? 1755 : undefined),
  }
}

const DIRECTORY = directoryOf(INSTRUMENTS)

export function testMarket(seed = 'test', mode: SessionMode = 'always'): SimulatedMarket {
  return new SimulatedMarket({
    seed,
    underlyingOf,
    sessions: new MarketSessions(mode),
    instruments: () => DIRECTORY,
  })
}

/** The contract of a symbol that exists. */
export function contractIn(market: SimulatedMarket, exchange: string, symbol: string) {
  const contract = market.contract({ symbol, exchange })
  if (!contract) throw new Error(`no ${symbol} on ${exchange}`)
  return contract
}

export function tempDir(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-simulated-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

export const SESSION: BrokerSession = { accessToken: 'simulated', issuedAt: 0 }

export function contextOf(clock: VirtualClock, stateDir: string): BrokerContext {
  return {
    clock,
    endpoints: {},
    instruments: directoryOf(INSTRUMENTS),
    log: silentLogger,
    budgets: new CallBudgets({}, clock),
    stateDir,
  }
}

/** All options of the simulated broker, with a small master and no holdings. */
export function hostOptions(options: Partial<SimulatedOptions> = {}): SimulatedOptions {
  return {
    seed: 'test',
    sessions: 'always',
    alwaysOpen: true,
    calendar: NO_HOLIDAYS,
    startingCash: 10_000_000,
    holdings: [],
    replays: [],
    scripts: [],
    faults: [],
    underlyingOf,
    master: () => [[...INSTRUMENTS]],
    ...options,
  }
}

export function testPlugin(options: Partial<SimulatedOptions> = {}): SimulatedPlugin {
  return simulatedPlugin(hostOptions(options))
}

/** A connected client with a clock at a Friday morning; closed at the end of the test. */
export function connect(options: Partial<SimulatedOptions> = {}, at = FRIDAY_11, stateDir = tempDir()) {
  const clock = new VirtualClock(at)
  const plugin = testPlugin(options)
  const client = plugin.connect(SESSION, contextOf(clock, stateDir))
  onTestFinished(() => client.close())
  return { clock, plugin, client, stateDir }
}

export function order(values: Partial<OrderRequest> = {}): OrderRequest {
  return {
    strategy: 'test',
    symbol: 'SBIN',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
    ...values,
  }
}
