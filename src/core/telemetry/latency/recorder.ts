import { withDecimals } from '../../csv/index.js'
import { type Logger, maskStart, redact } from '../../logging/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { type LogPage, type LogPageRequest, pagesOf, placeOf } from '../page.js'
import { RowBuffer } from '../row-buffer.js'
import { Durations, type RequestEnd } from './durations.js'
import { type LatencyFilter, type LatencyRow, LatencyStore, type LatencyValues } from './latency-store.js'
import { type LatencyStatistics, latencyStatistics } from './statistics.js'

const CACHE_MS = 60_000
const MAX_ERROR = 500
/** The number of rows that an export holds in memory. */
const EXPORT_PAGE = 1000

/** The timing of one order or data call. All durations are in milliseconds. */
export interface LatencySample {
  /** PLACE, SMART, QUOTES, … */
  orderType: string
  orderId?: string | undefined
  /** Used if there is no order id. */
  requestId?: string | undefined
  userId?: string | undefined
  broker?: string | undefined
  symbol?: string | undefined
  /** How an order came; absent for a data call. */
  source?: string | undefined
  /** Total wall time. */
  totalMs?: number | undefined
  /** Duration of the round trip to the broker; absent if not measured. */
  rttMs?: number | undefined
  /** Duration of the execution stage, used if the round trip was not measured. */
  stageMs?: number | undefined
  /** From the arrival of the request to its execution. */
  validationMs?: number | undefined
  /** From the broker's answer to the recorded end. */
  responseMs?: number | undefined
  end: RequestEnd
  error?: unknown
}

/**
 * Records how long orders and data calls took, and computes statistics. `record` returns at once and never
 * fails its caller.
 */
export class LatencyRecorder {
  readonly durations = new Durations()
  readonly #clock: Clock
  readonly #store: LatencyStore
  readonly #buffer: RowBuffer<LatencyValues>
  #cached: { at: number; statistics: Promise<LatencyStatistics> } | undefined

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
    this.#clock = clock
    this.#store = new LatencyStore(db)
    const write = (rows: readonly LatencyValues[]) => this.#store.insert(rows)
    this.#buffer = new RowBuffer({ write, clock, log, name: 'order_latency' })
  }

  record(sample: LatencySample): void {
    const validation = sample.validationMs ?? 0
    const response = sample.responseMs ?? 0
    const { rtt, total } = durations(sample, validation + response)
    this.durations.add({ orderType: sample.orderType, end: sample.end, totalMs: total, rttMs: sample.rttMs })
    const orderId = sample.orderId ?? sample.requestId ?? (sample.end === 'fault' ? 'error' : 'unknown')
    this.#buffer.add({
      timestamp: this.#clock.now(),
      orderId: orderId.slice(0, 100),
      userId: sample.userId ?? null,
      broker: sample.broker?.slice(0, 50) ?? null,
      symbol: sample.symbol?.slice(0, 50) ?? null,
      orderType: sample.orderType.slice(0, 20),
      rttMs: microseconds(rtt),
      validationLatencyMs: microseconds(validation),
      responseLatencyMs: microseconds(response),
      overheadMs: microseconds(total - rtt),
      totalLatencyMs: microseconds(total),
      status: sample.end === 'succeeded' ? 'SUCCESS' : 'FAILED',
      error: errorText(sample.error),
      source: sample.source ?? null,
    })
  }

  /** Returns a page, newest first, including all rows recorded before the call. */
  async list({ before, ...page }: LogPageRequest & LatencyFilter): Promise<LatencyRow[]> {
    await this.#buffer.flush()
    return this.#store.list({ ...page, before: await placeOf(before, (id) => this.#store.place(id)) })
  }

  /** Returns all rows that match, newest first, in pages. */
  async *export(filter: Omit<LogPage, 'limit'> & LatencyFilter): AsyncGenerator<LatencyRow[]> {
    await this.#buffer.flush()
    yield* pagesOf(EXPORT_PAGE, (page) => this.#store.list({ ...filter, ...page }))
  }

  /** Returns the statistics, at most 60 seconds old. */
  statistics(): Promise<LatencyStatistics> {
    const elapsed = this.#clock.monotonic()
    if (!this.#cached || elapsed - this.#cached.at >= CACHE_MS) {
      const statistics = this.#compute(this.#clock.now())
      this.#cached = { at: elapsed, statistics }
      statistics.catch(() => {
        this.#cached = undefined
      })
    }
    return this.#cached.statistics
  }

  /** Deletes rows of data calls older than an instant. */
  purge(before: number): Promise<number> {
    return this.#store.purge(before)
  }

  /** Rows lost since start. */
  get dropped(): number {
    return this.#buffer.dropped
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    return this.#buffer.waiting
  }

  /** Writes the buffered rows. Call it before the database is closed. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  async #compute(now: number): Promise<LatencyStatistics> {
    await this.#buffer.flush()
    return latencyStatistics(this.#store, now)
  }
}

/**
 * Without a measured round trip, the execution stage is used instead and the total is the sum of the parts.
 */
function durations(sample: LatencySample, around: number): { rtt: number; total: number } {
  if (sample.rttMs !== undefined) return { rtt: sample.rttMs, total: sample.totalMs ?? sample.rttMs + around }
  if (sample.stageMs !== undefined) return { rtt: sample.stageMs, total: sample.stageMs + around }
  return { rtt: 0, total: sample.totalMs ?? around }
}

/** The clock counts in nanoseconds, and the difference of two of its readings has noise after the microseconds. */
const microseconds = (ms: number): number => withDecimals(ms, 3)

/** Returns any thrown or returned error as text, with secrets masked. */
function errorText(error: unknown): string | null {
  if (error === undefined || error === null || error === '') return null
  if (typeof error === 'string') return maskStart(error, MAX_ERROR)
  if (error instanceof Error) return maskStart(error.message, MAX_ERROR)
  return JSON.stringify(redact(error, { omit: true }) ?? null).slice(0, MAX_ERROR)
}
