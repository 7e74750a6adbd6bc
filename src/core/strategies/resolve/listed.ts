import type { Almanac } from '../../calendar/index.js'
import type { InstrumentCatalog } from '../../instruments/index.js'
import type { SymbolRef } from '../../market/index.js'

export type IntradayEnd = (exchange: string, date: string) => number | undefined

/** The rules of the account and the exchanges for open positions. A replay has none of them. */
export interface TradingRules {
  /**
   * Returns when the account itself closes positions of product MIS on a date. Undefined for a market that never closes.
   */
  intradayEnd?: IntradayEnd
  /** Returns when an exchange closes on a date. Undefined without a session, and for a market that never closes. */
  close?: IntradayEnd
  /** Returns the largest order for a contract in units (its freeze quantity); undefined if no limit is known. */
  largestOrder?: (contract: SymbolRef) => number | undefined
}

/** The listed contracts and the hours in which they trade. */
export interface ListedContracts extends TradingRules {
  catalog: InstrumentCatalog
  almanac: Pick<Almanac, 'sessionOf'>
  /** Contracts that somebody chose for legs of a batch strategy, by the id of the leg. They replace expiry and strike. */
  chosen?: ReadonlyMap<number, SymbolRef>
}
