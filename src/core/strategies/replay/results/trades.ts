import { costAt, type Money, toRupees } from '../../../money/index.js'
import { istIso } from '../../../time/index.js'
import type { StrategyOrderKind } from '../../config/vocabulary.js'
import type { Fill } from '../paper.js'

/** One position from its entry to its exit, as reports show it. Times are ISO 8601 in Indian time, money is rupees. */
export interface Trade {
  run: number
  leg_id: number
  symbol: string
  exchange: string
  side: 'long' | 'short'
  quantity: number
  entry_time: string
  entry_price: number
  /** Null while the position is open at the end of the bars. */
  exit_time: string | null
  exit_price: number | null
  exit_kind: StrategyOrderKind | null
  /** The profit; that of an open position is valued at the last price. */
  pnl: number
}

interface Entered {
  run: number
  entry: Fill
  enteredAt: number
  exit: Fill | null
  exitedAt: number
}

/** Collects the fills of all runs as trades. A replay fills orders in full, so a trade has two fills. */
export class TradeList {
  readonly #trades = new Map<string, Entered>()

  /** The positions that were opened. */
  get count(): number {
    return this.#trades.size
  }

  note(run: number, fill: Fill, at: number): void {
    const { kind, positionRef } = fill.order
    if (kind === 'entry') {
      this.#trades.set(positionRef, { run, entry: fill, enteredAt: at, exit: null, exitedAt: 0 })
      return
    }
    const trade = this.#trades.get(positionRef)
    if (trade) Object.assign(trade, { exit: fill, exitedAt: at })
  }

  /** Returns the trades, the first entry first. Open ones are valued at the last prices. */
  list(priceOf: (key: string) => number | undefined): Trade[] {
    return [...this.#trades.values()].map((one) => tradeOf(one, priceOf))
  }
}

function tradeOf(
  { enteredAt, entry, exit, exitedAt, run }: Entered,
  priceOf: (key: string) => number | undefined,
): Trade {
  const { action, exchange, legId, quantity, symbol } = entry.order
  const isLong = action === 'BUY'
  const out = exit?.price ?? priceOf(`${exchange}:${symbol}`) ?? entry.price
  return {
    run,
    leg_id: legId,
    symbol,
    exchange,
    side: isLong ? 'long' : 'short',
    quantity,
    entry_time: timeText(enteredAt),
    entry_price: entry.price,
    exit_time: exit ? timeText(exitedAt) : null,
    exit_price: exit?.price ?? null,
    exit_kind: exit?.order.kind ?? null,
    pnl: toRupees(gainOf(isLong, entry.price, out, quantity)),
  }
}

function gainOf(isLong: boolean, entry: number, exit: number, quantity: number): Money {
  const gain = costAt(exit, quantity) - costAt(entry, quantity)
  return isLong ? gain : -gain
}

/** A time of a report: Indian time to the second. */
export const timeText = (at: number): string => istIso(Math.floor(at / 1000) * 1000).replace('.000', '')
