import { DERIVATIVE_EXCHANGES, type Instrument, type InstrumentCatalog } from './schema.js'
import { compareExpiries } from './symbols/expiry.js'
import { encodeInstruments } from './table/encoder.js'
import { InstrumentTable } from './table/instrument-table.js'

/** The current freeze quantities, by exchange and underlying. */
interface FreezeLookUp {
  of(exchange: string, underlying: string): number | undefined
}

const NO_FREEZE: FreezeLookUp = { of: () => undefined }

const TYPES_OF_KIND: Readonly<Record<'futures' | 'options', ReadonlySet<string>>> = {
  futures: new Set(['FUT', 'PERPFUT']),
  options: new Set(['CE', 'PE']),
}

/**
 * The number of unpacked instruments in the cache. Orders and quotes look up the same few instruments
 * repeatedly.
 */
const MAX_UNPACKED = 4096

/** The loaded master. It is immutable: a new master gets a new directory. */
export class InMemoryDirectory implements InstrumentCatalog {
  readonly #table: InstrumentTable
  readonly #freeze: FreezeLookUp
  /** Row numbers by `EXCHANGE:UNDERLYING`, built on first use because only derivatives need it. */
  #series: ReadonlyMap<string, readonly number[]> | undefined
  /** Cache of instruments found by symbol, by row number. */
  readonly #unpacked = new Map<number, Instrument>()

  constructor(table: InstrumentTable, freeze: FreezeLookUp = NO_FREEZE) {
    this.#table = table
    this.#freeze = freeze
  }

  /** Returns a directory of these rows. Texts must be ASCII and each (symbol, exchange) pair unique. */
  static of(rows: readonly Instrument[], freeze?: FreezeLookUp): InMemoryDirectory {
    const table = InstrumentTable.decode(encodeInstruments(rows))
    if (!table) throw new Error('the instrument master cannot be decoded after encoding')
    return new InMemoryDirectory(table, freeze)
  }

  get master(): object {
    return this.#table
  }

  get count(): number {
    return this.#table.count
  }

  find(symbol: string, exchange: string): Instrument | undefined {
    const row = this.#table.find('symbol', symbol, exchange)
    return this.#unpacked.get(row) ?? this.#unpack(row)
  }

  byToken(brokerExchange: string, token: string): Instrument | undefined {
    return this.#instrument(this.#table.find('token', token, brokerExchange))
  }

  byBrokerSymbol(brokerExchange: string, brokerSymbol: string): Instrument | undefined {
    return this.#instrument(this.#table.find('brokerSymbol', brokerSymbol, brokerExchange))
  }

  idOf(symbol: string, exchange: string): number | undefined {
    const row = this.#table.find('symbol', symbol, exchange)
    return row < 0 ? undefined : row + 1
  }

  freezeQuantity(instrument: Instrument): number | undefined {
    if (!DERIVATIVE_EXCHANGES.has(instrument.exchange)) return undefined
    return this.#freeze.of(instrument.exchange, instrument.name)
  }

  *forExchange(exchange: string): Generator<Instrument> {
    const code = this.#table.codeOf('exchange', exchange)
    for (let row = 0; row < this.#table.count; row++) {
      if (this.#table.code('exchange', row) === code) yield this.#table.instrument(row)
    }
  }

  underlyings(exchange: string): string[] {
    const prefix = `${exchange}:`
    return [...this.#bySeries().keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .sort()
  }

  expiries(exchange: string, underlying: string, kind?: 'futures' | 'options'): string[] {
    const expiries = new Set<string>()
    for (const row of this.#rows(exchange, underlying)) {
      if (kind && !TYPES_OF_KIND[kind].has(this.#table.name('instrumentType', row))) continue
      expiries.add(this.#table.name('expiry', row))
    }
    expiries.delete('')
    return [...expiries].sort(compareExpiries)
  }

  contracts(underlying: string, exchange: string, expiry?: string): Instrument[] {
    const code = expiry === undefined ? undefined : this.#table.codeOf('expiry', expiry)
    return this.#rows(exchange, underlying)
      .filter((row) => code === undefined || this.#table.code('expiry', row) === code)
      .map((row) => this.#table.instrument(row))
  }

  countByExchange(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (let row = 0; row < this.#table.count; row++) {
      const exchange = this.#table.name('exchange', row)
      counts[exchange] = (counts[exchange] ?? 0) + 1
    }
    return counts
  }

  #unpack(row: number): Instrument | undefined {
    const instrument = this.#instrument(row)
    if (!instrument) return undefined
    if (this.#unpacked.size >= MAX_UNPACKED) this.#unpacked.clear()
    this.#unpacked.set(row, Object.freeze(instrument))
    return instrument
  }

  #instrument(row: number): Instrument | undefined {
    return row < 0 ? undefined : this.#table.instrument(row)
  }

  #rows(exchange: string, underlying: string): readonly number[] {
    return this.#bySeries().get(`${exchange}:${underlying}`) ?? []
  }

  #bySeries(): ReadonlyMap<string, readonly number[]> {
    this.#series ??= seriesOf(this.#table)
    return this.#series
  }
}

function seriesOf(table: InstrumentTable): Map<string, number[]> {
  const series = new Map<string, number[]>()
  for (let row = 0; row < table.count; row++) {
    const exchange = table.name('exchange', row)
    if (!DERIVATIVE_EXCHANGES.has(exchange)) continue
    const key = `${exchange}:${table.name('name', row)}`
    const rows = series.get(key)
    if (rows) rows.push(row)
    else series.set(key, [row])
  }
  return series
}

/**
 * The directory the rest of the service keeps a reference to. `replace` swaps in a new master in one step, so
 * each look-up sees either the old master or the new one.
 */
export class CurrentDirectory implements InstrumentCatalog {
  #current: InstrumentCatalog

  constructor(current: InstrumentCatalog) {
    this.#current = current
  }

  replace(next: InstrumentCatalog): void {
    this.#current = next
  }

  get master(): object {
    return this.#current.master
  }

  get count(): number {
    return this.#current.count
  }

  find(symbol: string, exchange: string): Instrument | undefined {
    return this.#current.find(symbol, exchange)
  }

  byToken(brokerExchange: string, token: string): Instrument | undefined {
    return this.#current.byToken(brokerExchange, token)
  }

  byBrokerSymbol(brokerExchange: string, brokerSymbol: string): Instrument | undefined {
    return this.#current.byBrokerSymbol(brokerExchange, brokerSymbol)
  }

  idOf(symbol: string, exchange: string): number | undefined {
    return this.#current.idOf(symbol, exchange)
  }

  freezeQuantity(instrument: Instrument): number | undefined {
    return this.#current.freezeQuantity(instrument)
  }

  forExchange(exchange: string): Iterable<Instrument> {
    return this.#current.forExchange(exchange)
  }

  underlyings(exchange: string): string[] {
    return this.#current.underlyings(exchange)
  }

  expiries(exchange: string, underlying: string, kind?: 'futures' | 'options'): string[] {
    return this.#current.expiries(exchange, underlying, kind)
  }

  contracts(underlying: string, exchange: string, expiry?: string): Instrument[] {
    return this.#current.contracts(underlying, exchange, expiry)
  }

  countByExchange(): Record<string, number> {
    return this.#current.countByExchange()
  }
}
