import { type Logger, maskStart } from '../../logging/index.js'
import { COUNTED_OPERATIONS } from '../../orders/index.js'
import type { Database } from '../../storage/index.js'
import { type Clock, DAY_MS, IST_OFFSET_MS, mapInTurns, Pace } from '../../time/index.js'
import { type LogPage, type LogPageRequest, pagesOf, placeOf } from '../page.js'
import { RowBuffer } from '../row-buffer.js'
import { publicPath } from './public-path.js'
import {
  type TrafficFilter,
  type TrafficRow,
  TrafficStore,
  type TrafficTotals,
  type TrafficValues,
} from './traffic-store.js'

const MAX_TEXT = 500
const MAX_USER = 255
/** The most clients of a host that are returned. */
const MAX_CLIENTS = 10_000
/** The number of rows that an export holds in memory. */
const EXPORT_PAGE = 1000
/** The number of rows that are searched for secrets before others get the thread. */
const ROWS_A_TURN = 100
const API = '/api/v1/'
/** The kind of a path of the API that is none of the {@link ENDPOINTS}. */
const OTHER_API = 'api'

/** The endpoints with statistics of their own. */
export const ENDPOINTS = [
  ...COUNTED_OPERATIONS,
  'quotes',
  'history',
  'depth',
  'intervals',
  'funds',
  'orderbook',
  'tradebook',
  'positionbook',
  'holdings',
  'orderstatus',
  'openposition',
] as const
const KINDS: ReadonlySet<string> = new Set(ENDPOINTS)

/** A request that has ended. Its target may hold credentials: they are removed before it is stored. */
export interface TrafficSample {
  clientIp: string
  method: string
  /** Path and query, as the client sent them. */
  target: string
  statusCode: number
  durationMs: number
  host?: string | undefined
  userId?: string | undefined
  /** The message of a refusal. */
  error?: string | undefined
}

interface TrafficFigures {
  total_requests: number
  error_requests: number
  avg_duration: number
}

/** Statistics over the requests that the log keeps. A status of 400 and above is an error. */
export interface TrafficStatistics {
  overall: TrafficFigures
  api: TrafficFigures
  endpoints: Record<string, { total: number; errors: number; avg_duration: number }>
}

type Sums = Pick<TrafficTotals, 'total' | 'errors' | 'durationMs'>
const NOTHING: Sums = { total: 0, errors: 0, durationMs: 0 }

/** Records every request to the daemon. `record` returns at once and never fails its caller. */
export class TrafficLog {
  readonly #clock: Clock
  readonly #store: TrafficStore
  readonly #buffer: RowBuffer<TrafficSample & { timestamp: number }>

  constructor({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
    this.#clock = clock
    this.#store = new TrafficStore(db)
    this.#buffer = new RowBuffer({
      write: async (samples) => {
        const rows = await mapInTurns(samples, new Pace(clock, ROWS_A_TURN), trafficRow)
        return this.#store.insert(rows, totalsOf(rows))
      },
      clock,
      log,
      name: 'traffic_logs',
    })
  }

  record(sample: TrafficSample): void {
    // Field by field: an object that grows by spreading costs ten times one that is written out.
    this.#buffer.add({
      timestamp: this.#clock.now(),
      clientIp: sample.clientIp,
      method: sample.method,
      target: sample.target,
      statusCode: sample.statusCode,
      durationMs: sample.durationMs,
      host: sample.host,
      userId: sample.userId,
      error: sample.error,
    })
  }

  /** Returns a page, newest first, including all requests recorded before the call. */
  async list({ before, ...page }: LogPageRequest & TrafficFilter): Promise<TrafficRow[]> {
    await this.#buffer.flush()
    return this.#store.list({ ...page, before: await placeOf(before, (id) => this.#store.place(id)) })
  }

  /** Returns all requests that match, newest first, in pages. */
  async *export(filter: Omit<LogPage, 'limit'> & TrafficFilter): AsyncGenerator<TrafficRow[]> {
    await this.#buffer.flush()
    yield* pagesOf(EXPORT_PAGE, (page) => this.#store.list({ ...filter, ...page }))
  }

  /** Returns statistics from the totals of each day: their cost does not depend on the number of requests. */
  async statistics(): Promise<TrafficStatistics> {
    await this.#buffer.flush()
    const kinds = await this.#store.totals()
    const sumOf = (chosen: typeof kinds) => figuresOf(chosen.reduce<Sums>(added, NOTHING))
    const of = (name: string) => {
      const { total_requests, error_requests, avg_duration } = sumOf(
        kinds.filter(({ kind }) => kind === name),
      )
      return { total: total_requests, errors: error_requests, avg_duration }
    }
    return {
      overall: sumOf(kinds),
      api: sumOf(kinds.filter(({ kind }) => kind !== '')),
      endpoints: Object.fromEntries(ENDPOINTS.map((name) => [name, of(name)])),
    }
  }

  /** Returns the addresses that called a host in the last 24 hours, without those of {@link knownClients}. */
  async clientsOf(host: string): Promise<string[]> {
    await this.#buffer.flush()
    return this.#store.clientsOf(host, this.#clock.ago(DAY_MS), MAX_CLIENTS)
  }

  /** Returns the addresses from which somebody called with a valid credential in the last 24 hours. */
  async knownClients(): Promise<string[]> {
    await this.#buffer.flush()
    return this.#store.knownClients(this.#clock.ago(DAY_MS))
  }

  /** Deletes the requests of all days before the one of an instant, so that totals and rows agree. */
  purge(before: number): Promise<number> {
    const day = dayOf(before)
    return this.#store.purge(day * DAY_MS - IST_OFFSET_MS, day)
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
}

const dayOf = (at: number) => Math.floor((at + IST_OFFSET_MS) / DAY_MS)

function trafficRow(sample: TrafficSample & { timestamp: number }): TrafficValues {
  const { clientIp, durationMs, error, host, method, statusCode, target, timestamp, userId } = sample
  return {
    timestamp,
    clientIp: clientIp.slice(0, 50),
    method: method.slice(0, 10),
    path: publicPath(target),
    statusCode,
    // Microseconds are enough, and make short rows.
    durationMs: Math.round(durationMs * 1000) / 1000,
    host: host === undefined ? null : maskStart(host, MAX_TEXT),
    error: error === undefined ? null : maskStart(error, MAX_TEXT),
    userId: userId?.slice(0, MAX_USER) ?? null,
  }
}

function totalsOf(rows: readonly TrafficValues[]): TrafficTotals[] {
  const totals = new Map<string, TrafficTotals>()
  for (const { durationMs, path, statusCode, timestamp } of rows) {
    const day = dayOf(timestamp)
    const kind = kindOf(path)
    const key = `${day} ${kind}`
    const sums = totals.get(key) ?? { day, kind, ...NOTHING }
    totals.set(key, sums)
    sums.total += 1
    if (statusCode >= 400) sums.errors += 1
    sums.durationMs += durationMs
  }
  return [...totals.values()]
}

function kindOf(path: string): string {
  if (!path.startsWith(API)) return ''
  const end = path.indexOf('/', API.length)
  const name = end < 0 ? path.slice(API.length) : path.slice(API.length, end)
  return KINDS.has(name) ? name : OTHER_API
}

function added(sum: Sums, { durationMs, errors, total }: Sums): Sums {
  return {
    total: sum.total + total,
    errors: sum.errors + errors,
    durationMs: sum.durationMs + durationMs,
  }
}

function figuresOf({ durationMs, errors, total }: Sums): TrafficFigures {
  return {
    total_requests: total,
    error_requests: errors,
    avg_duration: total === 0 ? 0 : durationMs / total,
  }
}
