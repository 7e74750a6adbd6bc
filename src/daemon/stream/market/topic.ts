import type { SymbolRef, Tick } from '../../../core/market/index.js'
import { type TickView, tickFrame } from './frames.js'
import type { LatestFrame } from './outbox.js'

/** A tick of this age is sent with its age. */
const OLD_MS = 1_000

/** A recipient of ticks. */
export interface Receiver {
  readonly username: string
  /** True if it still accepts frames. */
  readonly open: boolean
  /** @returns whether the frame was sent. If not, the receiver asks the topic for its newest frame later */
  offer(topic: Topic, frame: Buffer): boolean
  /** Ends a subscription: none of its frames may be sent any more. */
  forget(topic: Topic): void
}

/**
 * One symbol in one mode, with its receivers. A tick is serialized once for all of them. The frame is kept
 * only while some receiver could not take it yet.
 */
export class Topic implements LatestFrame {
  readonly receivers = new Set<Receiver>()
  #tick: Tick | undefined
  #frame: Buffer | undefined

  constructor(
    readonly ref: SymbolRef,
    readonly view: TickView,
    private readonly parts: {
      broker(): string
      /** Milliseconds since the last tick of the symbol. */
      ageMs(): number | undefined
    },
  ) {}

  publish(tick: Tick): void {
    this.#tick = tick
    const frame = this.#words(tick)
    let allSent = true
    for (const receiver of this.receivers) if (!receiver.offer(this, frame)) allSent = false
    this.#frame = allSent ? undefined : frame
  }

  /** Sends one receiver a tick that arrived before its subscription, with its age. */
  catchUp(receiver: Receiver, tick: Tick): void {
    this.#tick ??= tick
    receiver.offer(this, this.frame())
  }

  /** Returns the frame of the newest tick. @throws Error when there was no tick yet */
  frame(): Buffer {
    if (this.#frame) return this.#frame
    if (!this.#tick) throw new Error(`no tick of ${this.view.symbol} was published`)
    const ageMs = this.parts.ageMs() ?? 0
    return this.#words(this.#tick, ageMs < OLD_MS ? undefined : ageMs)
  }

  #words(tick: Tick, ageMs?: number): Buffer {
    return Buffer.from(tickFrame(tick, this.view, { broker: this.parts.broker(), ageMs }))
  }
}
