import { setTimeout as wait } from 'node:timers/promises'
import { useMemo, useSyncExternalStore } from 'react'
import { type MarketFollowing, StreamError, type TickMode } from '../../../client/index.js'
import { symbolKey } from '../../../views/text/symbol.js'
import type { LiveDaemon } from '../daemon.js'
import { useDaemon } from '../use-daemon.js'
import { FollowedSymbols, parsedKey } from './followed-symbols.js'
import { ageIn, type Quote, quoteAfter } from './quote.js'
import { type Quotes, QuoteWatch } from './quote-watch.js'

export type { Quote } from './quote.js'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5000
/** Watchers hear of new prices at most ten times a second. */
const NOTIFY_MS = 100
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
  readonly #shown = new FollowedSymbols()
  readonly #quotes = new Map<string, Quote>()
  readonly #watches = new Set<QuoteWatch>()
  /** The symbols of the open connection, with their modes. */
  readonly #followed = new Map<string, TickMode>()
  /** The symbols with a price that the watchers do not know yet. */
  readonly #unnotified = new Set<string>()
  #following: MarketFollowing | undefined
  #running: AbortController | undefined
  #isSyncing = false
  #timer: NodeJS.Timeout | undefined
  /** In the time of the process, which nobody sets back. */
  #notifiedAt = Number.NEGATIVE_INFINITY
  #tickedAt: number | undefined
  /** The broker of the prices: those of another one mean nothing. */
  #broker: string | undefined

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
        this.#shown.add(symbols, mode)
        this.#syncSoon()
        return () => {
          this.#watches.delete(watch)
          this.#shown.remove(symbols, mode)
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
    for (const key of this.#quotes.keys()) if (!this.#shown.has(key)) this.#quotes.delete(key)
    if (this.#shown.isEmpty) this.#stop()
    else if (this.#running === undefined) this.#start()
    else if (this.#following) this.#followShown(this.#following)
  }

  #followShown(following: MarketFollowing): void {
    const { added, removed } = this.#shown.changesFrom(this.#followed)
    // A new mode comes before the old one goes: the daemon keeps the symbol.
    for (const [mode, keys] of added) following.follow(keys.map(parsedKey), mode)
    for (const [mode, keys] of removed) following.unfollow(keys.map(parsedKey), mode)
    this.#shown.copyTo(this.#followed)
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
    this.#unnotified.clear()
  }

  async #connect(signal: AbortSignal): Promise<void> {
    let pause = FIRST_PAUSE_MS
    while (!signal.aborted) {
      let isRefused = false
      try {
        for await (const { broker, data, ...symbol } of this.#ticks(signal)) {
          pause = FIRST_PAUSE_MS
          if (broker !== this.#broker) this.#quotes.clear()
          this.#broker = broker
          this.#take(symbolKey(symbol), data)
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
    return this.#daemon.reader().ticks({
      signal,
      onOpen: (following) => {
        if (signal.aborted) return
        this.#following = following
        this.#followed.clear()
        this.#followShown(following)
      },
      // An unknown symbol has no price; the others go on.
      onRefused: (symbol) => this.#forget(symbolKey(symbol)),
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
    if (!this.#shown.has(key)) return
    // A subscription begins with the last tick, however old it is.
    const at = Date.now() - ageIn(data)
    const quote = quoteAfter(this.#quotes.get(key), data, at)
    if (quote === undefined) return
    this.#tickedAt = at
    this.#quotes.set(key, quote)
    this.#unnotified.add(key)
    this.#timer ??= setTimeout(
      () => this.#notify(),
      Math.max(0, this.#notifiedAt + NOTIFY_MS - performance.now()),
    )
  }

  #forget(key: string): void {
    this.#quotes.delete(key)
  }

  #notify(): void {
    this.#timer = undefined
    this.#notifiedAt = performance.now()
    const changed = new Set(this.#unnotified)
    this.#unnotified.clear()
    for (const watch of [...this.#watches]) watch.notify(changed)
  }
}

/** No exchange and no symbol has a space. */
const SEPARATOR = ' '

/**
 * Returns the live prices of symbols such as `NSE:SBIN`, and draws again when one of them changes, at most ten times a
 * second. A symbol without a price is not in the map.
 */
export function useQuotes(symbols: readonly string[], mode: TickMode = 'quote'): Quotes {
  const book = useDaemon().part(QuoteBook)
  // A new array with the same symbols is the same watch.
  const names = symbols.join(SEPARATOR)
  const watch = useMemo(
    () => book.watch(names === '' ? [] : names.split(SEPARATOR), mode),
    [book, names, mode],
  )
  return useSyncExternalStore(watch.subscribe, watch.quotes)
}
