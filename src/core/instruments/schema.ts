/** VALID_EXCHANGES of the specification, in the order the messages list them. */
export const EXCHANGES = [
  'NSE',
  'NFO',
  'CDS',
  'BSE',
  'BFO',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'NSE_INDEX',
  'BSE_INDEX',
  'MCX_INDEX',
  'GLOBAL_INDEX',
  'CRYPTO',
] as const
export type Exchange = (typeof EXCHANGES)[number]

/** Exchanges on which only contracts with an expiry (or perpetuals) trade. */
export const DERIVATIVE_EXCHANGES: ReadonlySet<string> = new Set<Exchange>([
  'NFO',
  'BFO',
  'CDS',
  'BCD',
  'MCX',
  'NCDEX',
  'NCO',
  'CRYPTO',
])

/** Exchange codes that carry index values: quoted, never traded. */
export const INDEX_EXCHANGES: ReadonlySet<string> = new Set<Exchange>([
  'NSE_INDEX',
  'BSE_INDEX',
  'MCX_INDEX',
  'GLOBAL_INDEX',
])

export type InstrumentType = 'EQ' | 'INDEX' | 'FUT' | 'CE' | 'PE' | 'PERPFUT' | 'SPOT' | (string & {})

/** One row of the instrument master, in the service's own spelling beside the broker's. */
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
  /** `DD-MON-YY` upper case; empty where nothing expires. */
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

/** Fast look-ups over the loaded master. All are in memory and constant-time unless they return lists. */
export interface InstrumentDirectory {
  readonly count: number
  find(symbol: string, exchange: string): Instrument | undefined
  byToken(brokerExchange: string, token: string): Instrument | undefined
  byBrokerSymbol(brokerExchange: string, brokerSymbol: string): Instrument | undefined
  /** The exchange's largest order for this contract (`qty_freeze`); undefined means no limit is known. */
  freezeQuantity(instrument: Instrument): number | undefined
}

