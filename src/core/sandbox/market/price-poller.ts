import type { SymbolRef } from '../../market/schema.js'
import type { Clock, Timer } from '../../time/index.js'

interface PollerPorts {
  clock: Clock
  /** Milliseconds between two rounds of polling. */
  intervalMs(): number
  /** The symbols that orders, GTTs or positions wait on. */
  waitingSymbols(): readonly SymbolRef[]
  /** Returns true when the symbol can have a new price now. */
  trades(ref: SymbolRef): boolean
  /** Returns the monotonic reading of the last tick of the stream for the symbol, or of the first watch. */
  heardAt(ref: SymbolRef): number
  /** Fetches a price and applies it. */
  poll(ref: SymbolRef): Promise<void>
}

/** A stream without ticks for this long counts as dead for the symbols that wait. */
const SILENT_MS = 30_000

/**
 * Stands in for a dead stream: when a symbol with waiting orders gets no tick for half a minute, the poller
 * fetches its price every few seconds. The first tick ends that.
 */
export class PricePoller {
  readonly #ports: PollerPorts
  #timer: Timer | undefined

  constructor(ports: PollerPorts) {
    this.#ports = ports
  }

  /** Starts polling; the poller stops when nothing waits any more. */
  start(): void {
    if (!this.#timer) this.#arm(SILENT_MS)
  }

  stop(): void {
    this.#ports.clock.clear(this.#timer)
    this.#timer = undefined
  }

  #arm(delayMs: number): void {
    this.#timer = this.#ports.clock.setTimeout(() => void this.#round(), delayMs)
  }

  async #round(): Promise<void> {
    const { clock, heardAt, intervalMs, poll, trades, waitingSymbols } = this.#ports
    const timer = this.#timer
    const now = clock.monotonic()
    const silent = waitingSymbols().filter((ref) => now - heardAt(ref) >= SILENT_MS && trades(ref))
    await Promise.all(silent.map(poll))
    if (this.#timer !== timer) return
    if (waitingSymbols().length === 0) this.#timer = undefined
    else this.#arm(silent.length > 0 ? intervalMs() : SILENT_MS)
  }
}
