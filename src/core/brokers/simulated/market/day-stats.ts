import type { Contract } from './contract.js'
import type { MarketSession, MarketSessions } from './market-sessions.js'
import { LAST_SECOND } from './minute-path.js'
import type { Pricer } from './pricer.js'

/** The figures of a contract's session up to a second. */
export interface DayStats {
  open: number
  high: number
  low: number
  prevClose: number
  volume: number
  /** Traded value in rupees (per unit of multiplier), for the day's average price. */
  turnover: number
  /** Quantity traded in this second. */
  lastQuantity: number
}

interface Progress {
  session: MarketSession
  /** The last second included. */
  second: number
  /** The first minute that is not included in `before`. */
  minute: number
  /** Figures of the completed minutes. */
  before: { volume: number; turnover: number }
  stats: DayStats
}

/**
 * The number of cached contracts. Above it, the least recently started one is dropped and computed again on
 * demand.
 */
const MAX_KEPT = 4096

/**
 * Computes a session's figures incrementally, minute by minute, so that a quote never recomputes the whole
 * day. High, low and volume match the bars of history and every tick.
 */
export class DayCounter {
  readonly #pricer: Pricer
  readonly #sessions: MarketSessions
  readonly #progress = new Map<string, Progress>()

  constructor(pricer: Pricer, sessions: MarketSessions) {
    this.#pricer = pricer
    this.#sessions = sessions
  }

  /** Returns the figures at a second in which the contract traded at the price `ltp`. */
  at(contract: Contract, second: number, ltp: number): DayStats {
    const session = this.#sessions.latest(contract.exchange, second)
    let progress = this.#progress.get(contract.key)
    if (!progress || progress.session.day !== session.day || progress.second > second) {
      progress = this.#begin(contract, session)
      this.#keep(contract.key, progress)
    }
    if (progress.second < second) this.#count(contract, progress, second, ltp)
    return progress.stats
  }

  #begin(contract: Contract, session: MarketSession): Progress {
    const last = this.#sessions.previous(contract.exchange, session).close - 1
    const open = this.#pricer.price(contract, session.open)
    const stats: DayStats = {
      open,
      high: open,
      low: open,
      prevClose: this.#pricer.price(contract, last),
      volume: 0,
      turnover: 0,
      lastQuantity: 0,
    }
    return {
      session,
      second: session.open - 1,
      minute: session.open / 60,
      before: { volume: 0, turnover: 0 },
      stats,
    }
  }

  #count(contract: Contract, progress: Progress, second: number, ltp: number): void {
    const minute = Math.floor(second / 60)
    for (; progress.minute < minute; progress.minute++) this.#countMinute(contract, progress)
    const { stats, before } = progress
    const start = minute * 60
    for (let at = Math.max(progress.second + 1, start); at < second; at++) {
      widen(stats, this.#pricer.price(contract, at))
    }
    widen(stats, ltp)
    const within = this.#pricer.volumeWithin(contract, minute, second - start)
    const earlier = second === start ? 0 : this.#pricer.volumeWithin(contract, minute, second - start - 1)
    stats.lastQuantity = within - earlier
    stats.volume = before.volume + within
    stats.turnover = before.turnover + within * ltp
    progress.second = second
  }

  /** Adds the minute that has ended. */
  #countMinute(contract: Contract, progress: Progress): void {
    const range = this.#pricer.range(contract, progress.minute)
    if (!range) return
    widen(progress.stats, range.high)
    widen(progress.stats, range.low)
    const volume = this.#pricer.volumeWithin(contract, progress.minute, LAST_SECOND)
    progress.before.volume += volume
    progress.before.turnover += (volume * (range.high + range.low)) / 2
  }

  #keep(key: string, progress: Progress): void {
    this.#progress.delete(key)
    this.#progress.set(key, progress)
    if (this.#progress.size <= MAX_KEPT) return
    const oldest = this.#progress.keys().next().value
    if (oldest !== undefined) this.#progress.delete(oldest)
  }
}

function widen(stats: DayStats, price: number): void {
  if (price > stats.high) stats.high = price
  if (price < stats.low) stats.low = price
}
