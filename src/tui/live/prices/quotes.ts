import { setTimeout as wait } from 'node:timers/promises'
import { type MarketFollowing, StreamError, type TickMode } from '../../../client/index.js'
import type { LiveDaemon } from '../daemon.js'
import { READ_LIMIT_MS } from '../read-limit.js'
import { type Quote, quoteAfter } from './quote.js'
import { QuoteWatch } from './quote-watch.js'
import { keyOf, symbolOf, WantedSymbols } from './wanted-symbols.js'

export type { Quote } from './quote.js'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** Watchers hear of new prices at most ten times a second. */
const TELL_MS = 100
const NO_PRICES =
  'No live prices: the daemon refused the API key. Store the current one: svc apikey show --save'
/** The status of a refused key. */
const KEY_REFUSED = 4401

/**
 * The prices of the symbols that the screens want now, from one connection of the market stream. It is open while
 * somebody wants a price, and connects again by itself.
 */
export class QuoteBook {
  readonly #daemon: LiveDaemon
  readonly #wanted = new WantedSymbols()
  readonly #quotes = new Map<string, Quote>()
  readonly #watches = new Set<QuoteWatch>()
  /** The symbols of the open connection, with their modes. */
  readonly #followed = new Map<string, TickMode>()
  /** The symbols with a price that the watchers do not know yet. */
  readonly #untold = new Set<string>()
  #following: MarketFollowing | undefined
  #running: AbortController | undefined
  #isSyncing = false
  #timer: NodeJS.Timeout | undefined
  /** In the time of the process, which nobody sets back. */
  #toldAt = Number.NEGATIVE_INFINITY
  #tickedAt: number | undefined

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  /** The arrival of the newest tick, in milliseconds; undefined before the first. */
  get tickedAt(): number | undefined {
    return this.#tickedAt
  }

  /** Returns the prices of symbols such as `NSE:SBIN`; they are live while the watch has a listener. */
  watch(symbols: readonly string[], mode: TickMode): QuoteWatch {
    return new QuoteWatch(symbols, {
      quoteOf: (key) => this.#quotes.get(key),
      hold: (watch) => {
        this.#watches.add(watch)
        this.#wanted.add(symbols, mode)
        this.#syncSoon()
        return () => {
          this.#watches.delete(watch)
          this.#wanted.remove(symbols, mode)
          this.#syncSoon()
        }
      },
    })
  }

  /** Screens release and take symbols in the same turn; only what is left of it goes to the daemon. */
  #syncSoon(): void {
    if (this.#isSyncing) return
    this.#isSyncing = true
    queueMicrotask(() => {
      this.#isSyncing = false
      this.#sync()
    })
  }

  #sync(): void {
    for (const key of this.#quotes.keys()) if (!this.#wanted.has(key)) this.#quotes.delete(key)
    if (this.#wanted.isEmpty) this.#stop()
    else if (this.#running === undefined) this.#start()
    else if (this.#following) this.#followWanted(this.#following)
  }

  #followWanted(following: MarketFollowing): void {
    const { added, removed } = this.#wanted.changesFrom(this.#followed)
    // A new mode comes before the old one goes: the daemon keeps the symbol.
    for (const [mode, keys] of added) following.follow(keys.map(symbolOf), mode)
    for (const [mode, keys] of removed) following.unfollow(keys.map(symbolOf), mode)
    this.#wanted.copyTo(this.#followed)
  }

  #start(): void {
    this.#running = new AbortController()
    void this.#connect(this.#running.signal)
  }

  #stop(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#following = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#untold.clear()
  }

  async #connect(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      let isRefused = false
      try {
        for await (const { data, ...symbol } of this.#ticks(signal)) {
          pause = FIRST_PAUSE_MS
          this.#take(keyOf(symbol), data)
        }
      } catch (thrown) {
        // The header says why the daemon is away. A refused key stays refused: to send it again is an attack.
        isRefused = thrown instanceof StreamError && thrown.status === KEY_REFUSED
        if (isRefused) this.#daemon.changes.say(NO_PRICES)
      }
      if (signal.aborted) return
      this.#following = undefined
      await this.#pause(isRefused ? undefined : pause, signal)
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    }
  }

  #ticks(signal: AbortSignal) {
    return this.#daemon.access.client(READ_LIMIT_MS).ticks({
      signal,
      onOpen: (following) => {
        if (signal.aborted) return
        this.#following = following
        this.#followed.clear()
        this.#followWanted(following)
      },
      // An unknown symbol has no price; the others go on.
      onRefused: (symbol) => this.#forget(keyOf(symbol)),
    })
  }

  /** Waits for some time, or without one until the daemon accepts the session again. */
  async #pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
    const back = new AbortController()
    const ended = AbortSignal.any([back.signal, signal])
    const off = this.#daemon.connection.onEvent(({ event }) => event === 'connected' && back.abort())
    if (ms !== undefined) await wait(ms, undefined, { signal: ended }).catch(() => undefined)
    else await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
    off()
  }

  #take(key: string, data: Readonly<Record<string, unknown>>): void {
    if (!this.#wanted.has(key)) return
    const now = Date.now()
    const quote = quoteAfter(this.#quotes.get(key), data, now)
    if (quote === undefined) return
    this.#tickedAt = now
    this.#quotes.set(key, quote)
    this.#untold.add(key)
    this.#timer ??= setTimeout(() => this.#tell(), Math.max(0, this.#toldAt + TELL_MS - performance.now()))
  }

  #forget(key: string): void {
    this.#quotes.delete(key)
  }

  #tell(): void {
    this.#timer = undefined
    this.#toldAt = performance.now()
    const changed = new Set(this.#untold)
    this.#untold.clear()
    for (const watch of [...this.#watches]) watch.tell(changed)
  }
}
