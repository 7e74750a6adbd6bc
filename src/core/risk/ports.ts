import type { Logger } from '../logging/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { Money } from '../money/index.js'
import type { Clock } from '../time/index.js'
import type { TradingMode } from '../trading/index.js'

/** What the gate asks of the rest of the service. */
export interface RiskPorts {
  clock: Clock
  log: Logger
  /** The last price seen, without asking anybody. */
  lastPrice(ref: SymbolRef): number | undefined
  /** Milliseconds since a followed symbol was last heard of; undefined when nobody follows it. */
  priceAgeMs?(ref: SymbolRef): number | undefined
  /** The last price, asking the broker when none was seen. */
  quote(ref: SymbolRef): Promise<number | undefined>
  /** The day's P&L of an account; undefined when it cannot be known now. */
  dayPnl(userId: string, mode: TradingMode): Promise<Money | undefined>
  /**
   * Orders of this session that the gate let through before the service started, and that reached the broker (or may
   * have) or the sandbox's book: what the gate itself has counted since.
   */
  ordersToday(userId: string, mode: TradingMode): Promise<number>
}
