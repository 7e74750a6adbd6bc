import type { SymbolRef, Tick } from '../../core/market/index.js'
import { type TickView, tickFrame } from './market-frames.js'
import type { Latest } from './market-outbox.js'

/** Who gets ticks. */
export interface Receiver {
  readonly username: string
  /** Whether it still takes anything. */
  readonly open: boolean
  /** @returns whether the frame is on its way; otherwise the receiver asks the topic for its newest one later */
  offer(topic: Topic, frame: Buffer): boolean
  /** The subscription has ended: nothing of it may be sent any more. */
  forget(topic: Topic): void
}

/**
 * One symbol in one mode, as some receivers follow it. A tick is put into words once for all of them, and the
 * words are only kept as long as somebody could not take them yet.
 */
export class Topic implements Latest {
  readonly receivers = new Set<Receiver>()
  #tick: Tick | undefined
  #frame: Buffer | undefined

  constructor(
    readonly ref: SymbolRef,
    readonly view: TickView,
    private readonly broker: () => string,
  ) {}

  publish(tick: Tick): void {
    this.#tick = tick
    const frame = this.#words(tick)
    let allSent = true
    for (const receiver of this.receivers) if (!receiver.offer(this, frame)) allSent = false
    this.#frame = allSent ? undefined : frame
  }

  /** Sends one receiver a tick that came before it subscribed. */
  catchUp(receiver: Receiver, tick: Tick): void {
    this.#tick ??= tick
    receiver.offer(this, this.frame())
  }

  /** The newest tick in words. @throws Error when there was none yet */
  frame(): Buffer {
    if (this.#frame) return this.#frame
    if (!this.#tick) throw new Error(`no tick of ${this.view.symbol} was published`)
    return this.#words(this.#tick)
  }

  #words(tick: Tick): Buffer {
    return Buffer.from(tickFrame(tick, this.view, this.broker()))
  }
}
