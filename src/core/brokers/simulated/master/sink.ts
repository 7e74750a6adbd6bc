import { datedPrefix, futureSymbol, strikeText } from '../../../instruments/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import { strikesAround } from './price-rules.js'

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

/** Collects the rows of the simulated master and numbers them. The number is the broker's token. */
export class MasterSink {
  #rows: Instrument[] = []
  #count = 0

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
    this.#push(series, futureSymbol(series.name, expiry), expiry, 0, 'FUT', tickSize)
  }

  options(chain: OptionChain): void {
    const { expiry, tickSize } = chain
    const prefix = datedPrefix(chain.name, expiry)
    for (const strike of strikesAround(chain.around, chain.strikeStep, chain.perSide)) {
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
    this.#rows.push({
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
    })
  }
}
