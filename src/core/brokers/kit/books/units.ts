import { lotInUnits, unsettledContract } from '../../../instruments/index.js'
import type { Instrument } from '../../../instruments/schema.js'
import type { Depth } from '../../../market/schema.js'
import { isMultipleOf } from '../../../money/index.js'
import { notSent } from '../http/outcomes.js'

/** What decides the units of a quantity: an instrument, or the exchange and underlying of a row. */
export interface Contract {
  exchange: string
  name: string
}

/**
 * The pair of conversions for every quantity that crosses the wire. Quantities are units of the price inside the service;
 * brokers count lots on some exchanges, and their masters do not say how large those are.
 */
export class Units {
  /**
   * @param inLots the exchanges on which the broker counts lots; on the others it counts units, as the service does
   * @param unknown those on which the broker does not document what it counts: nothing is traded there
   */
  constructor(
    private readonly inLots: ReadonlySet<string>,
    private readonly unknown: ReadonlySet<string> = new Set(),
  ) {}

  /** Returns why a contract must not be traded; undefined if it may be. Its rows have the broker's own count. */
  problemOf(contract: Contract): string | undefined {
    const { exchange, name } = contract
    if (!this.unknown.has(exchange)) return unsettledContract(contract)
    return `The broker does not document whether it counts lots or units on ${exchange}, so ${name} is shown as the broker counts it and cannot be traded`
  }

  /** Returns whether the broker counts lots of a contract. */
  isCountedInLots({ exchange }: Contract): boolean {
    return this.inLots.has(exchange)
  }

  /**
   * Returns the broker's count for a quantity in units.
   * @throws BrokerError, never sent: `unsupported` for a contract whose units are not settled, `validation` for a
   * quantity that is not a whole number of lots
   */
  brokerCount(instrument: Instrument, units: number, field = 'Quantity'): number {
    const isSettled = !this.isCountedInLots(instrument) && !this.unknown.has(instrument.exchange)
    if (isSettled) return units
    const problem = this.problemOf(instrument)
    if (problem !== undefined) throw notSent('unsupported', `${problem}.`)
    const lot = lotInUnits(instrument) ?? 1
    if (instrument.lotSize !== lot) {
      const stored = `The instrument list has a lot size of ${instrument.lotSize} for ${instrument.symbol}, not ${lot}.`
      throw notSent('validation', `${stored} Load the list again with: svc broker sync`)
    }
    if (!isMultipleOf(units, lot)) {
      throw notSent('validation', `${field} must be in multiples of lot size ${lot}`)
    }
    return Math.round(units / lot)
  }

  /**
   * Returns the units of a quantity that the broker sent. A contract whose units are not settled keeps the broker's count:
   * it cannot be traded, and its row stays visible.
   */
  unitsOf(contract: Contract, count: number): number {
    return this.isCountedInLots(contract) ? count * (lotInUnits(contract) ?? 1) : count
  }

  /** Returns an order book that the broker sent with its quantities in units. */
  depthInUnits(contract: Contract, depth: Depth): Depth {
    if (this.unitsOf(contract, 1) === 1) return depth
    const side = (levels: Depth['buy']) =>
      levels.map((level) => ({ ...level, quantity: this.unitsOf(contract, level.quantity) }))
    return { buy: side(depth.buy), sell: side(depth.sell) }
  }
}
