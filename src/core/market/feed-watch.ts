import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock, Timer } from '../time/index.js'
import type { TickHub } from './hub.js'
import type { SymbolRef } from './schema.js'

export interface FeedWatchOptions {
  clock: Clock
  hub: TickHub
  log: Pick<Logger, 'info' | 'warn'>
  /** Whether there is a broker session at all; without one there is nothing to bring back. */
  connected: () => boolean
  /** Whether prices of an exchange can move now: outside its hours, silence is what is expected. */
  trades: (exchange: string) => boolean
  /**
   * Milliseconds since anything came over the feed's connection, heartbeats included; undefined where the feed has no
   * heartbeat, so that only its ticks prove it.
   */
  connectionSilentMs: () => number | undefined
  /** Opens the broker's price feed anew and asks it for everything that is listened to. */
  reopen: () => Promise<void>
}

/**
 * The price feed as a whole. `idle`: nobody listens to anything. `closed`: nothing that is listened to trades now.
 * `age_ms` is the time since any listened symbol was heard of; a feed with heartbeats is live without a tick.
 */
export interface FeedState {
  state: 'disconnected' | 'idle' | 'closed' | 'live' | 'lost'
  age_ms: number | null
  /** Attempts to bring a lost feed back, since it was lost. */
  attempts: number
  /** Feeds lost since the start. */
  losses: number
}

const CHECK_MS = 1000
/** The connection silent for this long, with symbols asked for, counts as lost. */
const FEED_SILENCE_MS = 4000
/**
 * A lost feed counts as back once it has ticked for this long: a broker answers a new subscription with one
 * snapshot, also while its market is closed.
 */
const RESTORED_AFTER_MS = 10_000
/** A single symbol may rest longer: not every contract trades every second. */
export const SYMBOL_SILENCE_MS = 30_000
/** Waits before the second, third, … attempt; the last one repeats. */
const RETRY_DELAYS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000] as const
const SYMBOL_RETRY_DELAYS_MS = [30_000, 60_000, 300_000] as const
/** After so many requests in vain for all symbols, a connection that only sends heartbeats is opened anew. */
const REQUESTS_BEFORE_REOPENING = 2
/** A check that comes this late tells that the process or its machine stood still: nothing could be heard then. */
const STOOD_STILL_MS = 3 * CHECK_MS

/**
 * Notices a price feed whose connection says nothing, and brings it back: first by asking for the symbols again, then
 * by opening it anew, with growing waits. Symbols that have fallen silent on a live connection are asked for again: one
 * that nobody trades does not make the feed lost. All durations are of the monotonic clock.
 */
export class FeedWatch {
  readonly #options: FeedWatchOptions
  #timer: Timer | undefined
  #lost = false
  /** Silence counts from here: nothing that was listened to traded before, or the process stood still. */
  #expectedFrom = Number.NEGATIVE_INFINITY
  #checkedAt: number | undefined
  #liveSince: number | undefined
  #losses = 0
  #attempts = 0
  #nextAttemptAt = 0
  #symbolAttempts = 0
  #nextSymbolAttemptAt = 0
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
    const { clock, connected, hub } = this.#options
    const now = clock.monotonic()
    const age = hub.silentMs()
    const closed = age !== undefined && !this.#trades()
    if (closed || this.#stoodStill()) this.#expectedFrom = now
    this.#checkedAt = now
    if (age === undefined || closed || !connected()) {
      this.#forget()
    } else if (this.#silence(age) > FEED_SILENCE_MS) {
      this.#noteLoss(this.#silence(age))
      if (now >= this.#nextAttemptAt) this.#bringBack()
    } else if (this.#lost) {
      this.#noteReturn()
    } else {
      this.#askForSilentSymbols()
    }
  }

  #trades(): boolean {
    const { hub, trades } = this.#options
    const exchanges = new Set(hub.symbols().map(({ exchange }) => exchange))
    return [...exchanges].some(trades)
  }

  #stoodStill(): boolean {
    if (this.#checkedAt === undefined) return false
    return this.#options.clock.monotonic() - this.#checkedAt > STOOD_STILL_MS
  }

  /** How long something was expected and did not come: a night before the opening is no silence. */
  #silence(age: number): number {
    if (this.#stoodStill()) return 0
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

  #noteReturn(): void {
    const { clock, log } = this.#options
    this.#liveSince ??= clock.monotonic()
    if (clock.monotonic() - this.#liveSince < RESTORED_AFTER_MS) return
    log.info('feed.restored', { attempts: this.#attempts })
    this.#forget()
  }

  #forget(): void {
    this.#lost = false
    this.#liveSince = undefined
    this.#attempts = 0
    this.#nextAttemptAt = 0
  }

  #bringBack(): void {
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

  #askForSilentSymbols(): void {
    const { clock, hub, trades } = this.#options
    const isTraded = ({ exchange }: SymbolRef) => trades(exchange)
    const silent = hub.stale(SYMBOL_SILENCE_MS).filter(isTraded)
    if (silent.length === 0) {
      this.#symbolAttempts = 0
      this.#nextSymbolAttemptAt = 0
    } else if (clock.monotonic() >= this.#nextSymbolAttemptAt) {
      this.#nextSymbolAttemptAt = clock.monotonic() + delayOf(SYMBOL_RETRY_DELAYS_MS, this.#symbolAttempts)
      const allSilent = silent.length === hub.symbols().filter(isTraded).length
      if (allSilent && this.#symbolAttempts >= REQUESTS_BEFORE_REOPENING) this.#reopen()
      else hub.resubscribe(silent)
      this.#symbolAttempts += 1
    }
  }
}

const delayOf = (delays: readonly number[], attempt: number): number =>
  delays[Math.min(attempt, delays.length - 1)] ?? 0
