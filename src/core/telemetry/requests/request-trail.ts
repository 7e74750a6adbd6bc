import { type Logger, maskStart } from '../../logging/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { publicData } from '../public-data.js'
import { RowBuffer } from '../row-buffer.js'
import { publicPath } from '../traffic/public-path.js'
import { type AskedRow, type AskedValues, type Refused, TrailStore } from './trail-store.js'

const MAX_TEXT = 500
/** The column's length. The key of a request that was refused for it may be longer than any key. */
const MAX_KEY = 255
/** The longest request that is kept whole; a longer one is a basket, whose message names what is wrong with it. */
const MAX_REQUEST = 4000
/** The longest request that is searched for secrets at all: without them it may be short enough to be kept. */
const MAX_SEARCHED = 2 * MAX_REQUEST

/** A request that was answered, and what became of it. Credentials are removed before it is stored. */
export interface AnsweredRequest {
  requestId: string
  method: string
  /** The path as the client sent it. */
  path: string
  statusCode: number
  /** When it arrived, on the monotonic clock; now by default. */
  receivedAt?: number | undefined
  code?: string | undefined
  rule?: string | undefined
  message?: string | undefined
  userId?: string | undefined
  clientIp: string
  mode?: 'live' | 'analyze' | undefined
  /** The orders: our references, or ids of the simulated account. */
  subjects?: readonly string[]
  approvalId?: number | undefined
  callerKey?: string | undefined
  /** The body of a refusal. */
  request?: object | undefined
}

/**
 * What became of each request, by the id that its answer had. `record` returns at once and never fails its caller: an order
 * does not wait for it.
 */
export class RequestTrail {
  readonly #clock: Clock
  readonly #store: TrailStore
  readonly #buffer: RowBuffer<AskedValues>

  constructor({ clock, db, log }: { clock: Clock; db: Database; log: Logger }) {
    this.#clock = clock
    this.#store = new TrailStore(db)
    const write = (rows: readonly AskedValues[]) => this.#store.insert(rows)
    this.#buffer = new RowBuffer({ write, clock, log, name: 'request_trail' })
  }

  record(answered: AnsweredRequest): void {
    const { receivedAt = Number.NaN, subjects = [] } = answered
    const took = this.#clock.monotonic() - receivedAt
    const at = Math.round(this.#clock.ago(Number.isFinite(took) ? Math.max(0, took) : 0))
    if (subjects.length === 0) this.#buffer.add(rowOf(answered, at, null))
    for (const subject of subjects) this.#buffer.add(rowOf(answered, at, subject))
  }

  async ofRequest(requestId: string): Promise<AskedRow[]> {
    await this.#buffer.flush()
    return this.#store.ofRequest(requestId)
  }

  async ofSubject(subject: string): Promise<AskedRow[]> {
    await this.#buffer.flush()
    return this.#store.ofSubject(subject)
  }

  async ofApproval(approvalId: number): Promise<AskedRow[]> {
    await this.#buffer.flush()
    return this.#store.ofApproval(approvalId)
  }

  async ofKey(userId: string, callerKey: string): Promise<AskedRow[]> {
    await this.#buffer.flush()
    return this.#store.ofKey(userId, callerKey)
  }

  /** Returns a user's newest requests for orders of a period that became none, newest first. */
  async refused(userId: string, period: Refused): Promise<AskedRow[]> {
    await this.#buffer.flush()
    return this.#store.refused(userId, period)
  }

  /** Deletes rows older than an instant. */
  purge(before: number): Promise<number> {
    return this.#store.purge(before)
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    return this.#buffer.waiting
  }

  /** Rows lost since start. */
  get dropped(): number {
    return this.#buffer.dropped
  }

  /** Writes the buffered rows. Call it before the database is closed. */
  flush(): Promise<void> {
    return this.#buffer.flush()
  }
}

/** The members are written out: every order passes here. */
function rowOf(answered: AnsweredRequest, at: number, subject: string | null): AskedValues {
  const { message, request } = answered
  return {
    requestId: answered.requestId,
    at,
    method: answered.method.slice(0, 10),
    path: publicPath(answered.path),
    statusCode: answered.statusCode,
    code: answered.code ?? null,
    rule: answered.rule?.slice(0, 50) ?? null,
    message: message === undefined ? null : maskStart(message, MAX_TEXT),
    userId: answered.userId ?? null,
    clientIp: answered.clientIp.slice(0, 50),
    mode: answered.mode ?? null,
    subject: subject?.slice(0, 100) ?? null,
    approvalId: answered.approvalId ?? null,
    callerKey: answered.callerKey?.slice(0, MAX_KEY) ?? null,
    request: request === undefined ? null : requestText(request),
  }
}

function requestText(request: object): string | null {
  if (JSON.stringify(request).length > MAX_SEARCHED) return null
  const text = JSON.stringify(publicData(request))
  return text.length > MAX_REQUEST ? null : text
}
