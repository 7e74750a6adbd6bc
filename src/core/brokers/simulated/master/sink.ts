import { datedPrefix, futureSymbol, strikeText } from '../../../instruments/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import { strikeCount, strikesAround } from './price-rules.js'
import type { MasterSelection } from './selection.js'

/** The fields that all contracts on one underlying share. */
interface ContractSeries {
  exchange: Instrument['exchange']
  name: string
  lotSize: number
  contractValue?: number
}

interface OptionChain extends ContractSeries {
  /** `DD-MON-YY`. */
  expiry: string
  tickSize: number
  /** The price at the centre of the strikes. */
  around: number
  strikeStep: number
  /** Number of strikes on each side of the money. */
  perSide: number
}

/**
 * Collects the rows of the simulated master and numbers them. The number is the broker's token. With a selection
 * it collects only those rows; each has the number that it has in the whole master.
 */
export class MasterSink {
  readonly #selection: MasterSelection | undefined
  #rows: Instrument[] = []
  #count = 0

  constructor(selection?: MasterSelection) {
    this.#selection = selection
  }

  /** Number of collected rows. */
  get waiting(): number {
    return this.#rows.length
  }

  take(): Instrument[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  /**
   * The fields are passed one by one, because a hundred thousand object spreads would take about a second.
   */
  add(row: Omit<Instrument, 'brokerSymbol' | 'brokerExchange' | 'token'>): void {
    this.#push(row, row.symbol, row.expiry, row.strike, row.instrumentType, row.tickSize)
  }

  future(series: ContractSeries, expiry: string, tickSize: number): void {
    if (this.#selection?.mayHaveOn(series.name) === false) this.#count++
    else this.#push(series, futureSymbol(series.name, expiry), expiry, 0, 'FUT', tickSize)
  }

  options(chain: OptionChain): void {
    const { around, expiry, perSide, strikeStep, tickSize } = chain
    if (this.#selection?.mayHaveOn(chain.name) === false) {
      this.#count += strikeCount(around, strikeStep, perSide) * 2
      return
    }
    const prefix = datedPrefix(chain.name, expiry)
    for (const strike of strikesAround(around, strikeStep, perSide)) {
      const stem = prefix + strikeText(strike)
      this.#push(chain, `${stem}CE`, expiry, strike, 'CE', tickSize)
      this.#push(chain, `${stem}PE`, expiry, strike, 'PE', tickSize)
    }
  }

  #push(
    series: ContractSeries,
    symbol: string,
    expiry: string,
    strike: number,
    instrumentType: string,
    tickSize: number,
  ): void {
    this.#count++
    const row: Instrument = {
      symbol,
      brokerSymbol: symbol,
      name: series.name,
      exchange: series.exchange,
      brokerExchange: series.exchange,
      token: String(this.#count),
      expiry,
      strike,
      lotSize: series.lotSize,
      instrumentType,
      tickSize,
      contractValue: series.contractValue,
    }
    if (this.#selection?.has(row) !== false) this.#rows.push(row)
  }
}
