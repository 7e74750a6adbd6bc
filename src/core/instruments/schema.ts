import type { Exchange } from './vocabulary.js'

export {
  CASH_EXCHANGES,
  DERIVATIVE_EXCHANGES,
  EXCHANGES,
  type Exchange,
  INDEX_EXCHANGES,
} from './vocabulary.js'

export type InstrumentType = 'EQ' | 'INDEX' | 'FUT' | 'CE' | 'PE' | 'PERPFUT' | 'SPOT' | (string & {})

/** One row of the instrument master, in the service's spelling and in the broker's. */
export interface Instrument {
  /** Service symbol: `SBIN`, `NIFTY28MAR24FUT`, `NIFTY28MAR2420800CE`. */
  symbol: string
  brokerSymbol: string
  /** Underlying root for derivatives; company or index name otherwise. */
  name: string
  exchange: Exchange
  brokerExchange: string
  /** The broker's token: opaque, unique within `brokerExchange`. */
  token: string
  /** `DD-MON-YY` in upper case; empty for instruments that do not expire. */
  expiry: string
  /** Options only; 0 otherwise. */
  strike: number
  /** Order quantities are multiples of this. 1 for cash. */
  lotSize: number
  instrumentType: InstrumentType
  tickSize: number
  /** Multiplier of crypto contracts; undefined elsewhere. */
  contractValue?: number
}

/** Look-ups in the loaded master. All are in memory, and constant-time unless they return lists. */
export interface InstrumentDirectory {
  /** An object that stands for the loaded rows: another master has another one. */
  readonly master: object
  readonly count: number
  find(symbol: string, exchange: string): Instrument | undefined
  byToken(brokerExchange: string, token: string): Instrument | undefined
  byBrokerSymbol(brokerExchange: string, brokerSymbol: string): Instrument | undefined
  /**
   * Returns the largest order the exchange accepts for this contract (`qty_freeze`); undefined if no limit is
   * known.
   */
  freezeQuantity(instrument: Instrument): number | undefined
}

/** The full interface of the loaded master: look-ups, and lists for option chains, search and statistics. */
export interface InstrumentCatalog extends InstrumentDirectory {
  /** Returns the row's id in the instrument table: its position in the master, starting at 1. */
  idOf(symbol: string, exchange: string): number | undefined
  /**
   * Yields every instrument of an exchange in the master's order. Rows are unpacked one by one while
   * iterating.
   */
  forExchange(exchange: string): Iterable<Instrument>
  /** Returns the underlyings that have contracts on a derivatives exchange, sorted. */
  underlyings(exchange: string): string[]
  /**
   * Returns the expiries (`DD-MON-YY`) of an underlying's contracts in chronological order, past ones
   * included.
   */
  expiries(exchange: string, underlying: string, kind?: 'futures' | 'options'): string[]
  /** Returns the contracts on an underlying, of one expiry or of all, in the master's order. */
  contracts(underlying: string, exchange: string, expiry?: string): Instrument[]
  countByExchange(): Record<string, number>
}

/** A row of an instrument dump that could not be used, and the reason. */
export interface DumpProblem {
  line: number
  reason: string
}

/**
 * Parses a dump in a broker's own file format and reports the rows it skips.
 * @throws ServiceError `validation` when the text is not such a dump or has no usable row
 */
export type DumpParser = (
  text: string,
  report: (problem: DumpProblem) => void,
) => Iterable<Instrument | undefined>
