import { type Logger, maskText, redact } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { DAY_MS } from '../time/index.js'
import { type LatencyAggregate, LatencyStore, latencyInsert, type Percentiles } from './latency-store.js'
import { RowBuffer } from './row-buffer.js'

const PERCENTILE_DAYS = 30
const CACHE_MS = 60_000
const MAX_ERROR = 500

/** How a request ended. A fault is an unexpected error of the service. */
export type RequestEnd = 'succeeded' | 'refused' | 'fault'

/** The timing of one request, measured by the API. All durations are in milliseconds. */
export interface LatencySample {
  /** PLACE, SMART, QUOTES, … */
  orderType: string
  orderId?: string | undefined
  /** Used if there is no order id. */
  requestId?: string | undefined
  userId?: string | undefined
  broker?: string | undefined
  symbol?: string | undefined
  /** Total wall time of the endpoint. */
  totalMs?: number | undefined
  /** Duration of the round trip to the broker; absent if not measured. */
  rttMs?: number | undefined
  /** Duration of the execution stage, used if the round trip was not measured. */
  stageMs?: number | undefined
  validationMs?: number | undefined
  responseMs?: number | undefined
  end: RequestEnd
  error?: unknown
}

interface BrokerLatency {
  total_orders: number
  failed_orders: number
  avg_rtt: number
  avg_overhead: number
  avg_total: number
  p50_total: number
  p99_total: number
  sla_150ms: number
}

/** Statistics over orders. Percentiles cover the last 30 days; percentages are from 0 to 100. */
interface LatencyStatistics {
  total_orders: number
  failed_orders: number
  success_rate: number
  avg_rtt: number
  avg_overhead: number
  avg_total: number
  p50_total: number
  p90_total: number
  p95_total: number
  p99_total: number
  sla_100ms: number
  sla_150ms: number
  sla_200ms: number
  broker_stats: Record<string, BrokerLatency>
}

/**
 * Records the duration of requests and computes statistics. `record` returns at once and never fails a
 * request.
 */
export class LatencyRecorder {
  readonly #clock: Clock
  readonly #store: LatencyStore
  readonly #buffer: RowBuffer
  #cached: { at: number; statistics: Promise<LatencyStatistics> } | undefined

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
    this.#clock = clock
    this.#store = new LatencyStore(db)
    this.#buffer = new RowBuffer({ db, statement: latencyInsert, clock, log, name: 'order_latency' })
  }

  record(sample: LatencySample): void {
    const validation = sample.validationMs ?? 0
    const response = sample.responseMs ?? 0
    const { rtt, total } = durations(sample, validation + response)
    const orderId = sample.orderId ?? sample.requestId ?? (sample.end === 'fault' ? 'error' : 'unknown')
    this.#buffer.add([
      this.#clock.now(),
      orderId.slice(0, 100),
      sample.userId ?? null,
      sample.broker?.slice(0, 50) ?? null,
      sample.symbol?.slice(0, 50) ?? null,
      sample.orderType.slice(0, 20),
      rtt,
      validation,
      response,
      total - rtt,
      total,
      sample.end === 'succeeded' ? 'SUCCESS' : 'FAILED',
      errorText(sample.error),
    ])
  }

  /** Returns the newest rows, including all recorded before the call. */
  async list(limit: number) {
    await this.#buffer.flush()
    return this.#store.list(limit)
  }

  /** Returns the statistics, at most 60 seconds old. */
  statistics(): Promise<LatencyStatistics> {
    const now = this.#clock.now()
    if (!this.#cached || now - this.#cached.at >= CACHE_MS) {
      const statistics = this.#compute(now)
      this.#cached = { at: now, statistics }
      statistics.catch(() => {
        this.#cached = undefined
      })
    }
    return this.#cached.statistics
  }

  /** Deletes rows of non-order requests older than an instant. */
  purge(before: number): Promise<number> {
    return this.#store.purge(before)
  }

  /** Rows lost since start. */
  get dropped(): number {
    return this.#buffer.dropped
  }

  /** Writes the buffered rows. Call it before the database is closed. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }

  async #compute(now: number): Promise<LatencyStatistics> {
    await this.#buffer.flush()
    const aggregates = await this.#store.aggregates()
    const percentiles = await this.#store.percentiles(now - PERCENTILE_DAYS * DAY_MS)
    const all = summarise(aggregates, percentiles.get(undefined))
    const brokers = aggregates
      .filter(({ broker }) => broker !== '')
      .map((row) => {
        const {
          total_orders,
          failed_orders,
          avg_rtt,
          avg_overhead,
          avg_total,
          p50_total,
          p99_total,
          sla_150ms,
        } = summarise([row], percentiles.get(row.broker))
        const statistics: BrokerLatency = {
          total_orders,
          failed_orders,
          avg_rtt,
          avg_overhead,
          avg_total,
          p50_total,
          p99_total,
          sla_150ms,
        }
        return [row.broker, statistics] as const
      })
    return { ...all, broker_stats: Object.fromEntries(brokers) }
  }
}

function summarise(
  rows: readonly LatencyAggregate[],
  percentiles: Percentiles | undefined,
): Omit<LatencyStatistics, 'broker_stats'> {
  const sum = (of: (row: LatencyAggregate) => number) => rows.reduce((total, row) => total + of(row), 0)
  const total = sum((row) => row.total)
  const failed = sum((row) => row.failed)
  const per = (amount: number) => (total === 0 ? 0 : amount / total)
  return {
    total_orders: total,
    failed_orders: failed,
    success_rate: per((total - failed) * 100),
    avg_rtt: per(sum((row) => row.sumRtt)),
    avg_overhead: per(sum((row) => row.sumOverhead)),
    avg_total: per(sum((row) => row.sumTotal)),
    p50_total: percentiles?.[50] ?? 0,
    p90_total: percentiles?.[90] ?? 0,
    p95_total: percentiles?.[95] ?? 0,
    p99_total: percentiles?.[99] ?? 0,
    sla_100ms: per(sum((row) => row.under100) * 100),
    sla_150ms: per(sum((row) => row.under150) * 100),
    sla_200ms: per(sum((row) => row.under200) * 100),
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

/** Returns any thrown or returned error as text, with secrets masked. */
function errorText(error: unknown): string | null {
  if (error === undefined || error === null || error === '') return null
  if (typeof error === 'string') return maskText(error).slice(0, MAX_ERROR)
  if (error instanceof Error) return maskText(error.message).slice(0, MAX_ERROR)
  return JSON.stringify(redact(error, { omit: true }) ?? null).slice(0, MAX_ERROR)
}
