import { messageOf } from '../../errors/index.js'
import { type Quote, type SymbolRef, symbolKey, type Tick } from '../../market/schema.js'
import { sessionStart, type Timer } from '../../time/index.js'
import type { TickSource } from '../config/index.js'
import type { ActiveRun, RunFeed } from './active-run.js'
import type { FeedSettings, RunPorts } from './ports.js'

interface Channel {
  ref: SymbolRef
  runs: Set<ActiveRun>
  /** Those of them that were told that another broker than theirs is active. */
  away: Set<ActiveRun>
  leave: () => void
  isStreamed: boolean
  source: TickSource
  /** The last streamed tick and the last price from anywhere, on the monotonic clock. */
  streamedAt: number
  pricedAt: number
  /** A trade before this moment was before the exchange opened. */
  opensAfter: number
  /** The number of the last poll that asked for it. */
  askedIn: number
}

interface FeedParts extends Pick<RunPorts, 'calendar' | 'clock' | 'log' | 'market'> {
  broker: Pick<RunPorts['broker'], 'brokerId'>
}

/** Symbols that are streamed at the same time. Further ones are polled. */
export const MAX_STREAMED = 1_000

/** The pause between two calls of one round. */
const BETWEEN_CALLS_MS = 200
/** The pauses after polls that the broker refused, one after another. */
const BACK_OFF_MS = [2_000, 5_000, 10_000, 30_000] as const

/**
 * The prices of runs. Each tick goes to the runs that hold its symbol. A symbol whose stream is silent while its
 * exchange trades is polled; without any price for longer it is stale. A stale symbol is an event and never a price. A live
 * run gets the prices of its own broker only: those of a simulated exchange would fire the stop of a real position.
 */
export class PriceFeed implements RunFeed {
  readonly #channels = new Map<string, Channel>()
  readonly #parts: FeedParts
  readonly #settings: FeedSettings
  #timer: Timer | undefined
  #polling: Promise<void> | undefined
  #streamed = 0
  #refusals = 0
  #resumeAt = 0
  #polls = 0
  readonly #stopping = new AbortController()
  #isStopped = false

  constructor(parts: FeedParts, settings: FeedSettings) {
    this.#parts = parts
    this.#settings = settings
  }

  /** True while the broker refuses polls. */
  get isDegraded(): boolean {
    return this.#refusals > 0
  }

  /** The number of symbols it follows. */
  get size(): number {
    return this.#channels.size
  }

  watch(run: ActiveRun, { symbol, exchange }: SymbolRef): void {
    const ref = { symbol, exchange }
    const key = symbolKey(ref)
    const channel = this.#channels.get(key) ?? this.#open(key, ref)
    channel.runs.add(run)
    if (channel.source !== 'ws' || this.#isAway(run)) this.#tell(channel, run)
    if (!this.#isStopped) this.#timer ??= this.#sleep()
  }

  unwatch(run: ActiveRun, ref: SymbolRef): void {
    const key = symbolKey(ref)
    const channel = this.#channels.get(key)
    channel?.runs.delete(run)
    channel?.away.delete(run)
    if (!channel || channel.runs.size > 0) return
    this.#channels.delete(key)
    this.#leave(channel)
  }

  /** Releases everything that a run follows. */
  release(run: ActiveRun): void {
    for (const { ref } of [...this.#channels.values()]) this.unwatch(run, ref)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopping.abort()
    this.#parts.clock.clear(this.#timer)
    for (const channel of this.#channels.values()) this.#leave(channel)
    this.#channels.clear()
    await this.#polling
  }

  #open(key: string, ref: SymbolRef): Channel {
    const now = this.#parts.clock.monotonic()
    const channel: Channel = {
      ref,
      runs: new Set(),
      away: new Set(),
      source: 'ws',
      streamedAt: now,
      pricedAt: now,
      askedIn: 0,
      leave: () => undefined,
      isStreamed: false,
      opensAfter: this.#opensAfter(ref),
    }
    this.#channels.set(key, channel)
    if (!this.#stream(channel)) {
      channel.streamedAt = Number.NEGATIVE_INFINITY
      this.#switch(channel, 'polling')
    }
    return channel
  }

  /** Subscribes to the ticks of a symbol. Returns false if the stream has no room, or the feed refuses. */
  #stream(channel: Channel): boolean {
    const { log, market } = this.#parts
    if (this.#streamed >= MAX_STREAMED) {
      log.warn('strategy_feed.full', { ...channel.ref, streamed: this.#streamed })
      return false
    }
    try {
      channel.leave = market.watch(channel.ref, (tick) => this.#onTick(channel, tick))
    } catch (error) {
      log.warn('strategy_feed.refused', { ...channel.ref, error: messageOf(error) })
      return false
    }
    channel.isStreamed = true
    this.#streamed += 1
    return true
  }

  /** Leaves the stream. A feed that refuses only sends ticks that nobody reads. */
  #leave({ isStreamed, leave, ref }: Channel): void {
    if (isStreamed) this.#streamed -= 1
    try {
      leave()
    } catch (error) {
      this.#parts.log.warn('strategy_feed.not_left', { ...ref, error: messageOf(error) })
    }
  }

  #onTick(channel: Channel, tick: Tick): void {
    if (!(tick.ltp > 0)) return
    const now = this.#parts.clock.monotonic()
    // A contract that trades every 15 seconds would switch with each tick: polling ends when ticks follow each other.
    const isSteady = now - channel.streamedAt < this.#settings.staleMs
    channel.streamedAt = now
    channel.pricedAt = now
    if (channel.source === 'stale' || (channel.source === 'polling' && isSteady)) this.#switch(channel, 'ws')
    this.#deliver(channel, tick)
  }

  /**
   * A quote repeats the last trade, also if that was days ago. Without a time the trade counts as one of now.
   */
  #deliver(channel: Channel, { ltp, timestamp }: Pick<Quote, 'ltp' | 'timestamp'>): void {
    const { away, opensAfter, ref, runs } = channel
    const at = this.#parts.clock.now()
    const isOld = timestamp > 0 && timestamp < opensAfter
    for (const run of runs) {
      const isAway = this.#isAway(run)
      if (isAway !== away.has(run)) this.#tell(channel, run)
      if (!isAway) run.tick(ref, ltp, at, isOld)
    }
  }

  /** Returns whether the active broker, where the prices come from, is not the one that holds the positions of a run. */
  #isAway({ broker, definition }: ActiveRun): boolean {
    return definition.mode === 'live' && broker !== this.#parts.broker.brokerId
  }

  /** Returns a moment before which nobody traded in this session: the session begins at 03:00, and its exchange later. */
  #opensAfter({ exchange }: SymbolRef): number {
    const { calendar, clock } = this.#parts
    const now = clock.now()
    return calendar.isOpen(exchange, now) ? sessionStart(now) : now
  }

  #switch(channel: Channel, source: TickSource): void {
    channel.source = source
    for (const run of channel.runs) this.#tell(channel, run)
  }

  #tell({ away, ref, source }: Channel, run: ActiveRun): void {
    const isAway = this.#isAway(run)
    if (isAway && away.has(run)) return
    if (isAway) away.add(run)
    else away.delete(run)
    run.apply({ type: 'feed', ...ref, source: isAway ? 'stale' : source, at: this.#parts.clock.now() })
  }

  /** Tells the runs whose broker is not active any more that they have no prices. The first one at their broker ends that. */
  #tellAway(channel: Channel): void {
    for (const run of channel.runs) if (this.#isAway(run)) this.#tell(channel, run)
  }

  #sleep(): Timer {
    return this.#parts.clock.setTimeout(() => {
      this.#timer = this.#channels.size > 0 && !this.#isStopped ? this.#sleep() : undefined
      this.#polling ??= this.#check().finally(() => {
        this.#polling = undefined
      })
    }, this.#settings.pollMs)
  }

  /** Polls the silent symbols of exchanges that trade now, and marks the stale ones. */
  async #check(): Promise<void> {
    const { calendar, clock } = this.#parts
    const now = clock.monotonic()
    const silent: Channel[] = []
    for (const channel of this.#channels.values()) {
      this.#tellAway(channel)
      channel.opensAfter = Math.max(channel.opensAfter, this.#opensAfter(channel.ref))
      if (!calendar.isOpen(channel.ref.exchange, clock.now())) {
        // Silence counts from the opening.
        channel.streamedAt = Math.max(channel.streamedAt, now)
        channel.pricedAt = Math.max(channel.pricedAt, now)
      } else if (now - channel.streamedAt >= this.#settings.staleMs) {
        silent.push(channel)
      }
    }
    for (const channel of silent) if (channel.source === 'ws') this.#switch(channel, 'polling')
    if (silent.length > 0 && now >= this.#resumeAt) await this.#poll(silent)
    const after = clock.monotonic()
    for (const channel of silent) {
      if (channel.source === 'polling' && after - channel.pricedAt >= this.#settings.fatalMs) {
        this.#switch(channel, 'stale')
      }
    }
  }

  /**
   * Asks for the prices of symbols, those first that have waited longest: a call that the broker refuses again and again
   * holds up no other symbol. Only a round without a refusal ends the pauses.
   */
  async #poll(channels: readonly Channel[]): Promise<void> {
    const { clock } = this.#parts
    const { pollBatch } = this.#settings
    const waiting = channels.toSorted((a, b) => a.askedIn - b.askedIn)
    for (let from = 0; from < waiting.length; from += pollBatch) {
      if (from > 0) await clock.sleep(BETWEEN_CALLS_MS, this.#stopping.signal).catch(() => undefined)
      if (this.#isStopped || !(await this.#pollBatch(waiting.slice(from, from + pollBatch)))) return
    }
    this.#refusals = 0
  }

  /** Returns false if the broker refused the call. */
  async #pollBatch(batch: readonly Channel[]): Promise<boolean> {
    const { broker, clock, log, market } = this.#parts
    this.#polls += 1
    for (const channel of batch) channel.askedIn = this.#polls
    const { brokerId } = broker
    try {
      const quotes = await market.quotes(batch.map(({ ref }) => ref))
      // These are prices of a broker that is not the active one any more.
      if (broker.brokerId !== brokerId) return true
      batch.forEach((channel, index) => {
        const quote = quotes[index]
        if (quote && !('error' in quote)) this.#onPolled(channel, quote)
      })
      return true
    } catch (error) {
      const pause = BACK_OFF_MS[Math.min(this.#refusals, BACK_OFF_MS.length - 1)] ?? 0
      this.#refusals += 1
      this.#resumeAt = clock.monotonic() + pause
      log.warn('strategy_feed.poll_failed', { symbols: batch.length, error: messageOf(error) })
      return false
    }
  }

  #onPolled(channel: Channel, quote: Quote): void {
    if (!(quote.ltp > 0) || channel.source === 'ws') return
    channel.pricedAt = this.#parts.clock.monotonic()
    if (channel.source === 'stale') this.#switch(channel, 'polling')
    this.#deliver(channel, quote)
  }
}
