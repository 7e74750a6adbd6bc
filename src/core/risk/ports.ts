import type { Logger } from '../logging/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type { Clock } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'

/** The gate's ports to the rest of the service. */
export interface RiskPorts {
  clock: Clock
  log: Logger
  /** Returns the last price seen, without a request. */
  lastPrice(ref: SymbolRef): number | undefined
  /** Returns the value of one contract; undefined for symbols whose quantity is in units of the price. */
  contractValue?(ref: SymbolRef): number | undefined
  /** Returns the milliseconds since a followed symbol last ticked; undefined when nothing follows it. */
  priceAgeMs?(ref: SymbolRef): number | undefined
  /** Returns the last price; asks the broker when none has been seen. */
  quote(ref: SymbolRef): Promise<number | undefined>
  /** Returns the day's P&L of an account; undefined when it is unknown now. */
  dayPnl(userId: string, mode: TradingMode): Promise<Money | undefined>
  /**
   * Returns the orders of this session that the gate admitted before the service started, and that reached
   * the broker (or may have) or the sandbox's book. The gate itself counts the later ones.
   */
  ordersToday(userId: string, mode: TradingMode): Promise<number>
}
