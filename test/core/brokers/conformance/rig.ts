import type {
  BrokerClient,
  BrokerContext,
  BrokerPlugin,
  BrokerSession,
} from '../../../../src/core/brokers/broker.js'
import type { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { SymbolRef } from '../../../../src/core/market/schema.js'
import type { OrderRequest, Product } from '../../../../src/core/orders/schema.js'

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
  /** A contract of each exchange whose quantities the broker may count in its own way. */
  counted: readonly Counted[]
  /** Returns the quantity of a placed order as the broker's own ledger has it. */
  brokerQuantity(tag: string): Promise<number | undefined>
  /** A range of IST dates with at least one trading day for which the broker has one-minute bars. */
  history: { from: string; to: string }
  /** Texts that must not appear in any error message. */
  secrets: readonly string[]
  /** How an answer that follows the work can say nothing, at this broker: without its id, cut off, lost. */
  spoilt: readonly string[]
  /** How a call is lost at this broker: before the work, and after it. */
  lost: { before: string; after: string }
  /** Spoils the next call of a kind. */
  spoil(call: 'place' | 'placeGtt' | 'modifyGtt' | 'cancelGtt', spoilt: string): void
  /**
   * Makes the broker refuse the order of the GTT that fires next, with these words. Absent if none of its GTTs can end so.
   */
  refuseFired?(words: string): void
  /** The largest order of the derivative that the exchange takes, in units. */
  largest: number
  /** Sets the broker's clock so many milliseconds ahead of ours. Absent if it has none of its own. */
  skew?(ms: number): Promise<void>
  /** Makes a position in a product that only the broker itself opens. Absent if there is none. */
  holdForeign?(): Promise<Pick<OrderRequest, 'symbol' | 'exchange' | 'product' | 'quantity'>>
  /** Makes the broker repeat a text in its refusal of the next order. Absent if no answer comes from outside. */
  refuseWith?(words: string): void
  /** Texts of the session that the client knows, so that it can keep them out of what the broker repeats. */
  known?: readonly string[]
  /** Returns all log lines so far. */
  logged?(): string
  /** Ends the session at the broker. Absent if sessions do not end there. */
  endSession?(): void
  /** Returns how often the plugin has said that a socket refused the session. */
  refusals?(): number
  /** Refuses orders from this address. Absent if the broker has no addresses. */
  refuseAddress?(): void
  /** The price feed at the broker. Absent if the feed is no connection. */
  feed?: RigFeed
  /** Connects another client under the broker's limits, whose calls the broker counts. Absent if it counts none. */
  metered?(): Promise<Metered>
  /** Makes the market of all these instruments move by about a tick, so that a feed sends something. */
  stir(): Promise<void>
  /** Lets the cash instrument fall to a price. Absent if its market moves by itself. */
  fallTo?(price: number): Promise<void>
  /**
   * Ends the session with its positions open and moves the price of the derivative in the next one. Returns
   * the price of the derivative at which the day's profit begins.
   */
  nextDay(): Promise<number>
  /** Lets some time pass, on the virtual clock or the real one. */
  wait(): Promise<void>
  close(): Promise<void>
}

/** A contract, its lot in units, and what the broker counts for one lot. */
export interface Counted extends SymbolRef {
  lot: number
  count: number
  product: Product
}

/** The price feed at the broker. */
export interface RigFeed {
  /**
   * Sends one message about the cash and the other instrument: both whole, or the second one cut off.
   * @returns the prices of both in it
   */
  sendBoth(kind: 'whole' | 'cut'): { cash: number; other: number }
  /** The address of every dial so far. */
  dials(): readonly string[]
  /** Cuts all connections. */
  cut(): void
}

/** A client under the broker's limits. */
export interface Metered {
  client: BrokerClient
  budgets: CallBudgets
  /** Resolves once all calls are settled, while the clock goes on. */
  settled<T>(calls: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]>
  /** The calls above a limit, as the broker counted them. */
  violations(): readonly unknown[]
}
