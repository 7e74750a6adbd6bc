import type { Instrument } from '../../../instruments/schema.js'
import { type StreamMode, type SymbolRef, symbolKey, type Tick } from '../../../market/schema.js'
import { type BrokerContext, BrokerError, type TickFeed } from '../../broker.js'
import { instrumentOf } from '../../kit/books/symbols.js'
import { tickOf } from '../../kit/feed/tick.js'
import { UnreadableFrames } from '../../kit/frames/unreadable-frames.js'
import { notSent } from '../../kit/http/outcomes.js'
import type { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { UpstoxApi } from '../api.js'
import { UNITS } from '../contracts.js'
import { WIRE_MODE, type WireMode } from '../mappings.js'
import { feedSocket } from './connection.js'
import { requestFrame, ticksIn, type UpstoxTick } from './feed-codec.js'

const WIRE_MODES: readonly WireMode[] = ['ltpc', 'full']

/** The most instruments of a user where all are in one mode, and where they are not. */
const CAPS: Readonly<Record<WireMode, { alone: number; mixed: number }>> = {
  ltpc: { alone: 5000, mixed: 2000 },
  full: { alone: 2000, mixed: 1500 },
}

interface Subscription {
  instrument: Instrument
  mode: StreamMode
  /** What was sent last in the mode of the wire. */
  last: UpstoxTick | undefined
}

/** Prices over one connection. */
export class UpstoxPrices implements TickFeed {
  readonly #context: BrokerContext
  readonly #socket: BrokerSocket
  /** By instrument key. */
  readonly #subscriptions = new Map<string, Subscription>()
  #onTick: ((tick: Tick) => void) | undefined
  /** Opened before, so the connection exists or is reconnecting. */
  #isOpened = false
  #requests = 0
  readonly #unreadable: UnreadableFrames

  constructor(context: BrokerContext, api: UpstoxApi) {
    this.#context = context
    this.#unreadable = new UnreadableFrames(context.clock, context.log, 'upstox.unreadable_frame')
    const feed = { name: 'price feed', authorize: '/v3/feed/market-data-feed/authorize' }
    this.#socket = feedSocket(context, api, feed, {
      onOpen: () => this.#subscribeAll(),
      onBinary: (bytes) => this.#onBinary(bytes),
      onText: () => undefined,
    })
  }

  async open(onTick: (tick: Tick) => void): Promise<void> {
    this.#onTick = onTick
    await (this.#isOpened ? this.#socket.reopen() : this.#socket.open())
    this.#isOpened = true
  }

  refused(): boolean {
    return this.#socket.refused
  }

  /**
   * Subscribes symbols. On an error nothing changes.
   * @throws BrokerError `validation` for an unknown symbol, `unsupported` above Upstox's limits
   */
  subscribe(refs: readonly SymbolRef[], mode: StreamMode): void {
    const wanted = new Map<string, Subscription>()
    for (const ref of refs) {
      const instrument = instrumentOf(this.#context, ref)
      const last = this.#subscriptions.get(instrument.token)?.last
      wanted.set(instrument.token, { instrument, mode, last })
    }
    requireRoom(new Map([...this.#subscriptions, ...wanted]))
    const added: string[] = []
    const moved: string[] = []
    for (const [key, subscription] of wanted) {
      const before = this.#subscriptions.get(key)
      this.#subscriptions.set(key, subscription)
      // The same again: the request before may be lost.
      if (before === undefined || before.mode === mode) added.push(key)
      else if (WIRE_MODE[before.mode] !== WIRE_MODE[mode]) moved.push(key)
      // Upstox sends the same as before, and nothing until it changes.
      else if (before.last) this.#report(before.last, subscription)
    }
    this.#request('sub', WIRE_MODE[mode], added)
    this.#request('change_mode', WIRE_MODE[mode], moved)
  }

  unsubscribe(refs: readonly SymbolRef[]): void {
    const wanted = new Set(refs.map(symbolKey))
    const ended = [...this.#subscriptions].filter(([, { instrument }]) => wanted.has(symbolKey(instrument)))
    for (const [key] of ended) this.#subscriptions.delete(key)
    for (const mode of WIRE_MODES) this.#request('unsub', mode, keysIn(mode, ended))
  }

  close(): void {
    this.#socket.close()
  }

  #subscribeAll(): void {
    for (const mode of WIRE_MODES) this.#request('sub', mode, keysIn(mode, this.#subscriptions))
  }

  #request(method: 'sub' | 'unsub' | 'change_mode', mode: WireMode, instrumentKeys: readonly string[]): void {
    if (instrumentKeys.length === 0) return
    this.#requests += 1
    this.#socket.send(requestFrame(`svc-${this.#requests}`, method, { mode, instrumentKeys }))
  }

  /** What is before the place at which a frame cannot be read counts. */
  #onBinary(bytes: Uint8Array): void {
    try {
      for (const tick of ticksIn(bytes, (reason) => this.#unreadable.note(reason))) {
        const subscription = this.#subscriptions.get(tick.key)
        if (subscription) this.#report(tick, subscription)
      }
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error
      this.#unreadable.note(error.message)
    }
  }

  #report(tick: UpstoxTick, subscription: Subscription): void {
    subscription.last = tick
    this.#onTick?.(toTick(tick, subscription, this.#context.clock.now()))
  }
}

/** @throws BrokerError `unsupported`, never sent, if there are more subscriptions than Upstox takes */
function requireRoom(subscriptions: ReadonlyMap<string, Subscription>): void {
  const counts = WIRE_MODES.map((mode) => ({ mode, count: keysIn(mode, subscriptions).length }))
  const isMixed = counts.every(({ count }) => count > 0)
  for (const { count, mode } of counts) {
    const most = CAPS[mode][isMixed ? 'mixed' : 'alone']
    if (count > most)
      throw notSent(
        'unsupported',
        `Upstox streams at most ${most} instruments in the mode ${mode}${isMixed ? ' beside others' : ''}.`,
      )
  }
}

function keysIn(mode: WireMode, subscriptions: Iterable<readonly [string, Subscription]>): string[] {
  return [...subscriptions].filter(([, each]) => WIRE_MODE[each.mode] === mode).map(([key]) => key)
}

/** Converts what a frame tells of an instrument. Without a time it gets that of its arrival. */
function toTick(tick: UpstoxTick, { instrument, mode }: Subscription, receivedAt: number): Tick {
  const told = { ...tick, prevClose: tick.close }
  const { depth, ...quote } = tickOf(UNITS, instrument, told, tick.lastTradeTime || receivedAt)
  return { ...quote, ...(depth && mode === 3 && { depth }) }
}
