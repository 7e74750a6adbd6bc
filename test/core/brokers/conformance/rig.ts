import type {
  BrokerClient,
  BrokerContext,
  BrokerPlugin,
  BrokerSession,
} from '../../../../src/core/brokers/broker.js'
import type { SymbolRef } from '../../../../src/core/market/schema.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'

/** The plugin under test and its environment. */
export interface ConformanceRig {
  plugin: BrokerPlugin
  client: BrokerClient
  session: BrokerSession
  context: BrokerContext
  /**
   * Symbols that trade now, in the service's spelling. A quantity of `lot` is accepted and fills at market.
   */
  instruments: {
    cash: SymbolRef & { lot: number }
    other: SymbolRef
    index: SymbolRef
    derivative: SymbolRef & { lot: number }
  }
  /** A range of IST dates with at least one trading day for which the broker has one-minute bars. */
  history: { from: string; to: string }
  /** Texts that must not appear in any error message. */
  secrets: readonly string[]
  /** How an answer that follows the work can say nothing, at this broker: without its id, cut off, lost. */
  spoilt: readonly string[]
  /** Spoils the answer to the next call of a kind; the work is done. */
  spoil(call: 'place' | 'placeGtt', spoilt: string): void
  /** Makes a position in a product that only the broker itself opens. Absent if there is none. */
  holdForeign?(): Promise<Pick<OrderRequest, 'symbol' | 'exchange' | 'product' | 'quantity'>>
  /** Makes the market move by about a tick, so that a feed sends something. */
  stir(): Promise<void>
  /**
   * Ends the session with its positions open and moves the price of the derivative in the next one. Returns
   * the price of the derivative at which the day's profit begins.
   */
  nextDay(): Promise<number>
  /** Lets some time pass, on the virtual clock or the real one. */
  wait(): Promise<void>
  close(): Promise<void>
}
