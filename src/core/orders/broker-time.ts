import type { Clock } from '../time/index.js'
import type { OrderResult } from './result.js'

/** A stretch of the monotonic clock, in milliseconds. */
interface Span {
  from: number
  to: number
}

/** Beside the answers and not in them: an answer is compared, stored and sent, how long it took is none of it. */
const SPANS = new WeakMap<OrderResult, readonly Span[]>()

/** Measures what a request waits for its broker, from the moment its turn has come until it is answered. */
export class ExchangeTimer {
  readonly #spans: Span[] = []
  #begun = false

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether anything was sent that changes something. */
  get begun(): boolean {
    return this.#begun
  }

  /** Measures a call that changes something at the broker. */
  send<T>(exchange: () => Promise<T>): Promise<T> {
    this.#begun = true
    return this.read(exchange)
  }

  /** Measures a call that only asks. */
  async read<T>(exchange: () => Promise<T>): Promise<T> {
    const from = this.clock.monotonic()
    try {
      return await exchange()
    } finally {
      this.#spans.push({ from, to: this.clock.monotonic() })
    }
  }

  /** Notes on an answer what was measured for it. */
  note(answer: OrderResult): OrderResult {
    return this.#spans.length === 0 ? answer : noted(answer, this.#spans)
  }
}

/** Notes on the answer to a request of several orders what was measured for each. */
export function noteExchanges(answer: OrderResult, ends: readonly OrderResult[]): OrderResult {
  const spans = ends.flatMap((end) => SPANS.get(end) ?? [])
  return spans.length === 0 ? answer : noted(answer, spans)
}

/**
 * Milliseconds during which the broker was waited for on behalf of an answer; what went on at the same time counts
 * once. Undefined where nothing was measured (contract, events section 4).
 */
export function exchangeMs(answer: OrderResult): number | undefined {
  const spans = SPANS.get(answer)
  if (!spans) return undefined
  let total = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    total += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return total
}

function noted(answer: OrderResult, spans: readonly Span[]): OrderResult {
  SPANS.set(answer, spans)
  return answer
}
