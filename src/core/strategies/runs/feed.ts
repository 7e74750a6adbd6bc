import { messageOf } from '../../errors/index.js'
import { type SymbolRef, symbolKey, type Tick } from '../../market/schema.js'
import type { Timer } from '../../time/index.js'
import type { TickSource } from '../config/index.js'
import type { ActiveRun, RunFeed } from './active-run.js'
import type { FeedSettings, RunPorts } from './ports.js'

interface Channel {
  ref: SymbolRef
  runs: Set<ActiveRun>
  leave: () => void
  source: TickSource
  /** The last streamed tick and the last price from anywhere, on the monotonic clock. */
  streamedAt: number
  pricedAt: number
}

type FeedParts = Pick<RunPorts, 'calendar' | 'clock' | 'log' | 'market'>

/** The pauses after polls that the broker refused, one after another. */
const BACK_OFF_MS = [2_000, 5_000, 10_000, 30_000] as const

/**
 * The prices of runs. Each tick goes to the runs that hold its symbol. A symbol whose stream is silent while its
 * exchange trades is polled; without any price for longer it is stale. A stale symbol is an event and never a price.
 */
export class PriceFeed implements RunFeed {
  readonly #channels = new Map<string, Channel>()
  readonly #parts: FeedParts
  readonly #settings: FeedSettings
  #timer: Timer | undefined
  #polling: Promise<void> | undefined
  #refusals = 0
  #resumeAt = 0
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
    if (channel.source !== 'ws') this.#tell(channel, run)
    if (!this.#isStopped) this.#timer ??= this.#sleep()
  }

  unwatch(run: ActiveRun, ref: SymbolRef): void {
    const key = symbolKey(ref)
    const channel = this.#channels.get(key)
    channel?.runs.delete(run)
    if (!channel || channel.runs.size > 0) return
    this.#channels.delete(key)
    channel.leave()
  }

  /** Releases everything that a run follows. */
  release(run: ActiveRun): void {
    for (const { ref } of [...this.#channels.values()]) this.unwatch(run, ref)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#parts.clock.clear(this.#timer)
    for (const { leave } of this.#channels.values()) leave()
    this.#channels.clear()
    await this.#polling
  }

  #open(key: string, ref: SymbolRef): Channel {
    const now = this.#parts.clock.monotonic()
    const channel: Channel = {
      ...{ ref, runs: new Set(), source: 'ws', streamedAt: now, pricedAt: now },
      leave: () => undefined,
    }
    this.#channels.set(key, channel)
    try {
      channel.leave = this.#parts.market.watch(ref, (tick) => this.#onTick(channel, tick))
    } catch (error) {
      this.#parts.log.warn('strategy_feed.refused', { ...ref, error: messageOf(error) })
      channel.streamedAt = Number.NEGATIVE_INFINITY
      this.#switch(channel, 'polling')
    }
    return channel
  }

  #onTick(channel: Channel, tick: Tick): void {
    if (!(tick.ltp > 0)) return
    channel.streamedAt = this.#parts.clock.monotonic()
    channel.pricedAt = channel.streamedAt
    if (channel.source !== 'ws') this.#switch(channel, 'ws')
    this.#deliver(channel, tick.ltp)
  }

  #deliver({ ref, runs }: Channel, price: number): void {
    if (!(price > 0)) return
    const at = this.#parts.clock.now()
    for (const run of runs) run.tick(ref, price, at)
  }

  #switch(channel: Channel, source: TickSource): void {
    channel.source = source
    for (const run of channel.runs) this.#tell(channel, run)
  }

  #tell({ ref, source }: Channel, run: ActiveRun): void {
    run.apply({ type: 'feed', ...ref, source, at: this.#parts.clock.now() })
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

  async #poll(channels: readonly Channel[]): Promise<void> {
    const { clock, log, market } = this.#parts
    const { pollBatch } = this.#settings
    for (let from = 0; from < channels.length; from += pollBatch) {
      const batch = channels.slice(from, from + pollBatch)
      try {
        const quotes = await market.quotes(batch.map(({ ref }) => ref))
        batch.forEach((channel, index) => {
          const quote = quotes[index]
          if (quote && !('error' in quote)) this.#onPolled(channel, quote.ltp)
        })
        this.#refusals = 0
      } catch (error) {
        const pause = BACK_OFF_MS[Math.min(this.#refusals, BACK_OFF_MS.length - 1)] ?? 0
        this.#refusals += 1
        this.#resumeAt = clock.monotonic() + pause
        log.warn('strategy_feed.poll_failed', { symbols: batch.length, error: messageOf(error) })
        return
      }
    }
  }

  #onPolled(channel: Channel, price: number): void {
    if (!(price > 0) || channel.source === 'ws') return
    channel.pricedAt = this.#parts.clock.monotonic()
    if (channel.source === 'stale') this.#switch(channel, 'polling')
    this.#deliver(channel, price)
  }
}
