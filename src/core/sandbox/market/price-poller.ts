import type { SymbolRef } from '../../market/schema.js'
import type { Clock, Timer } from '../../time/index.js'

export interface PollerPorts {
  clock: Clock
  /** Milliseconds between two rounds of questions. */
  intervalMs(): number
  /** Symbols something waits on. */
  wanted(): readonly SymbolRef[]
  /** Whether the symbol can have a new price now. */
  trades(ref: SymbolRef): boolean
  /** When the stream was last heard of a symbol, or first asked for it. */
  heardAt(ref: SymbolRef): number
  /** Asks for a price and lets it act. */
  poll(ref: SymbolRef): Promise<void>
}

/** A stream silent for this long does not carry what waits any more. */
const SILENT_MS = 30_000

/**
 * Stands in for the stream: while something waits on a symbol that the stream has not spoken of for half a
 * minute, its price is asked for every few seconds. The first tick ends that.
 */
export class PricePoller {
  readonly #ports: PollerPorts
  #timer: Timer | undefined

  constructor(ports: PollerPorts) {
    this.#ports = ports
  }

  /** Something waits: the silence of the stream is noticed until nothing does. */
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
    const { clock, heardAt, intervalMs, poll, trades, wanted } = this.#ports
    const timer = this.#timer
    const now = clock.now()
    const silent = wanted().filter((ref) => now - heardAt(ref) >= SILENT_MS && trades(ref))
    await Promise.all(silent.map(poll))
    if (this.#timer !== timer) return
    if (wanted().length === 0) this.#timer = undefined
    else this.#arm(silent.length > 0 ? intervalMs() : SILENT_MS)
  }
}
