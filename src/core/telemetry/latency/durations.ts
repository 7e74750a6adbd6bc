import { Histogram } from 'prom-client'
import { SECOND_MS } from '../../time/index.js'

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How a request ended. A fault is an unexpected error of the service. */
export type RequestEnd = 'succeeded' | 'refused' | 'fault'

interface Timed {
  /** PLACE, SMART, QUOTES, …: as many as there are operations. */
  orderType: string
  end: RequestEnd
  totalMs: number
  /** Absent if the request made no measured round trip. */
  rttMs: number | undefined
}

/** Histograms of how long orders and data calls took. They belong to no registry until one takes them. */
export class Durations {
  readonly #total = new Histogram({
    name: 'svc_request_duration_seconds',
    help: 'Time from the arrival of an order or data call to its end.',
    labelNames: ['kind', 'outcome'] as const,
    buckets: BUCKETS_SECONDS,
    registers: [],
  })
  readonly #broker = new Histogram({
    name: 'svc_broker_round_trip_seconds',
    help: 'Time that an order waited for the answer of its broker or of the sandbox.',
    labelNames: ['kind'] as const,
    buckets: BUCKETS_SECONDS,
    registers: [],
  })

  get histograms() {
    return [this.#total, this.#broker]
  }

  add({ end, orderType, rttMs, totalMs }: Timed): void {
    this.#total.observe({ kind: orderType, outcome: end }, totalMs / SECOND_MS)
    if (rttMs !== undefined) this.#broker.observe({ kind: orderType }, rttMs / SECOND_MS)
  }
}
