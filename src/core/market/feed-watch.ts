import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock, Timer } from '../time/index.js'
import type { TickHub } from './hub.js'
import type { SymbolRef } from './schema.js'

export interface FeedWatchOptions {
  clock: Clock
  hub: TickHub
  log: Pick<Logger, 'info' | 'warn'>
  /** Returns whether there is a broker session. Without one there is nothing to reconnect. */
  connected: () => boolean
  /** Returns whether prices of an exchange can move now. Outside its trading hours, silence is normal. */
  trades: (exchange: string) => boolean
  /**
   * Returns milliseconds since the last data on the feed's connection, including heartbeats. Undefined if the
   * feed has no heartbeat; then only ticks prove that it is alive.
   */
  connectionSilentMs: () => number | undefined
  /** Returns whether the broker refused the session. Reconnecting is then useless until the next sign-in. */
  refused: () => boolean
  /** Reconnects the broker's price feed and subscribes it to all symbols with listeners. */
  reopen: () => Promise<void>
}

/**
 * The state of the whole price feed. `idle`: no symbol has a listener. `closed`: no subscribed symbol trades
 * now. `age_ms` is the time since the last tick of any subscribed symbol. A feed with heartbeats is live even
 * without a tick.
 */
export interface FeedState {
  state: 'disconnected' | 'idle' | 'closed' | 'live' | 'lost'
  age_ms: number | null
  /** Attempts to restore the feed since it was lost. */
  attempts: number
  /** The number of times the feed was lost since the start. */
  losses: number
}

const CHECK_MS = 1000
/** The feed is lost if its connection is silent for this long while symbols are subscribed. */
const FEED_SILENCE_MS = 4000
/**
 * A lost feed is restored after it has ticked for this long. A single snapshot does not count, because a
 * broker answers a new subscription with one even while its market is closed.
 */
const RESTORED_AFTER_MS = 10_000
/** A single symbol may be silent for longer, because not every contract trades every second. */
export const SYMBOL_SILENCE_MS = 30_000
/** Delays before the second, third, … attempt; the last one repeats. */
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
const SYMBOL_RETRY_DELAYS_MS = [30_000, 60_000, 300_000] as const
/**
 * The number of requests for all symbols that may fail before a connection with heartbeats only is reopened. It is
 * reopened once per trading session: the same socket carries the order updates, and a connection that is as silent
 * afterwards has symbols without trades.
 */
const REQUESTS_BEFORE_REOPENING = 2
/** If a check is this late, the process or machine was suspended, so no tick could arrive. */
const SUSPENDED_MS = 3 * CHECK_MS

/**
 * Detects a silent price feed and restores it: it first subscribes the symbols again, then reconnects, with
 * growing delays. On a live connection it subscribes silent symbols again; a symbol without trades does not
 * make the feed lost. All durations use the monotonic clock.
 */
export class FeedWatch {
  readonly #options: FeedWatchOptions
  #timer: Timer | undefined
  #lost = false
  /**
   * Silence counts from here, because before that no subscribed symbol traded or the process was suspended.
   */
  #expectedFrom = Number.NEGATIVE_INFINITY
  #checkedAt: number | undefined
  #liveSince: number | undefined
  #losses = 0
  #attempts = 0
  #nextAttemptAt = 0
  #symbolAttempts = 0
  #nextSymbolAttemptAt = 0
  /** Whether a connection with heartbeats was reopened because no symbol ticked. Once per session is enough. */
  #reopenedForSilence = false
  #reopening = false

  constructor(options: FeedWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer ??= this.#options.clock.setInterval(() => this.#check(), CHECK_MS)
  }

  stop(): void {
    this.#options.clock.clear(this.#timer)
    this.#timer = undefined
    this.#checkedAt = undefined
  }

  state(): FeedState {
    const age = this.#options.hub.silentMs()
    const counts = { age_ms: age ?? null, attempts: this.#attempts, losses: this.#losses }
    if (!this.#options.connected()) return { state: 'disconnected', ...counts }
    if (age === undefined) return { state: 'idle', ...counts }
    if (!this.#trades()) return { state: 'closed', ...counts }
    return { state: this.#lost || this.#silence(age) > FEED_SILENCE_MS ? 'lost' : 'live', ...counts }
  }

  #check(): void {
    const { clock, connected, hub, refused } = this.#options
    const now = clock.monotonic()
    const age = hub.silentMs()
    const closed = age !== undefined && !this.#trades()
    if (closed || this.#wasSuspended()) this.#expectedFrom = now
    this.#checkedAt = now
    if (closed || !connected()) this.#reopenedForSilence = false
    if (age === undefined || closed || !connected()) {
      this.#reset()
    } else if (this.#silence(age) > FEED_SILENCE_MS) {
      this.#noteLoss(this.#silence(age))
      if (now >= this.#nextAttemptAt && !refused()) this.#restore()
    } else if (this.#lost) {
      this.#noteRestored()
    } else {
      this.#resubscribeSilentSymbols()
    }
  }

  #trades(): boolean {
    const { hub, trades } = this.#options
    const exchanges = new Set(hub.symbols().map(({ exchange }) => exchange))
    return [...exchanges].some(trades)
  }

  #wasSuspended(): boolean {
    if (this.#checkedAt === undefined) return false
    return this.#options.clock.monotonic() - this.#checkedAt > SUSPENDED_MS
  }

  /** Returns how long ticks were expected but did not arrive. The night before the opening does not count. */
  #silence(age: number): number {
    if (this.#wasSuspended()) return 0
    const { clock, connectionSilentMs } = this.#options
    return Math.round(Math.min(connectionSilentMs() ?? age, clock.monotonic() - this.#expectedFrom))
  }

  #noteLoss(silentMs: number): void {
    this.#liveSince = undefined
    if (this.#lost) return
    this.#lost = true
    this.#losses += 1
    const symbols = this.#options.hub.symbols().length
    this.#options.log.warn('feed.lost', { silent_ms: silentMs, symbols })
  }

  #noteRestored(): void {
    const { clock, log } = this.#options
    this.#liveSince ??= clock.monotonic()
    if (clock.monotonic() - this.#liveSince < RESTORED_AFTER_MS) return
    log.info('feed.restored', { attempts: this.#attempts })
    this.#reset()
  }

  #reset(): void {
    this.#lost = false
    this.#liveSince = undefined
    this.#attempts = 0
    this.#nextAttemptAt = 0
  }

  #restore(): void {
    const { clock, hub } = this.#options
    if (this.#reopening) return
    this.#nextAttemptAt = clock.monotonic() + delayOf(RETRY_DELAYS_MS, this.#attempts)
    this.#attempts += 1
    if (this.#attempts === 1) hub.resubscribe(hub.symbols())
    else this.#reopen()
  }

  #reopen(): void {
    const { log, reopen } = this.#options
    if (this.#reopening) return
    this.#reopening = true
    reopen()
      .catch((error: unknown) =>
        log.warn('feed.reopen_failed', { attempt: this.#attempts, error: messageOf(error) }),
      )
      .finally(() => {
        this.#reopening = false
      })
  }

  #resubscribeSilentSymbols(): void {
    const { clock, hub, trades } = this.#options
    const isTraded = ({ exchange }: SymbolRef) => trades(exchange)
    const silent = hub.stale(SYMBOL_SILENCE_MS).filter(isTraded)
    if (silent.length === 0) {
      this.#symbolAttempts = 0
      this.#nextSymbolAttemptAt = 0
    } else if (clock.monotonic() >= this.#nextSymbolAttemptAt) {
      this.#nextSymbolAttemptAt = clock.monotonic() + delayOf(SYMBOL_RETRY_DELAYS_MS, this.#symbolAttempts)
      const allSilent = silent.length === hub.symbols().filter(isTraded).length
      const isDue = this.#symbolAttempts >= REQUESTS_BEFORE_REOPENING && !this.#reopenedForSilence
      this.#symbolAttempts += 1
      if (allSilent && isDue) {
        this.#reopenedForSilence = true
        this.#reopen()
      } else {
        hub.resubscribe(silent)
      }
    }
  }
}

const delayOf = (delays: readonly number[], attempt: number): number =>
  delays[Math.min(attempt, delays.length - 1)] ?? 0
