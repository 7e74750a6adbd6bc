import type { EventMode, OrderEventBase } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'
import {
  type LogsDatabase,
  type NewOrderLog,
  type OrderLogFilter,
  type OrderLogPage,
  type OrderLogRow,
  OrderLogStore,
  type OrderLogTally,
} from './order-log-store.js'
import { pagesOf } from './page.js'
import { publicData } from './public-data.js'
import { RowBuffer } from './row-buffer.js'

const MAX_API_TYPE = 50
/** The number of items of a list that the row of a request for data keeps: a chart has thousands of bars. */
const ITEMS_OF_READS = 20
/** The number of rows of requests for data that may wait, far fewer than rows of orders. */
const WAITING_READS = 2_000
/** The number of rows that an export reads at a time. */
const EXPORT_CHUNK = 500

/** A request and its answer, for one row. */
interface LoggedRequest extends Pick<OrderEventBase, 'mode' | 'api_type' | 'user_id'> {
  request_data: object
  response_data: object
}

/** One log: its rows, and the rows that wait to be written. Requests for data never displace those of orders. */
interface Log {
  store: OrderLogStore
  buffer: RowBuffer<NewOrderLog>
  reads: RowBuffer<NewOrderLog>
}

/**
 * The order log and the analyzer log. The log subscriber writes them from order events, the API adds the
 * requests that only read; the log views read them. Credentials are removed before a row is stored.
 */
export class OrderLogs {
  readonly #clock: Clock
  readonly #logs: Readonly<Record<EventMode, Log>>
  /** The text for the log of answers that are given again. It lives as long as they do. */
  readonly #repeated = new WeakMap<object, string>()

  constructor({ db, clock, log }: { db: LogsDatabase; clock: Clock; log: Logger }) {
    this.#clock = clock
    const open = (kind: EventMode) => {
      const store = new OrderLogStore(db, kind)
      const onWritten = (rows: number) => store.changedBy(rows)
      const name = kind === 'live' ? 'order_logs' : 'analyzer_logs'
      const write = (rows: readonly NewOrderLog[]) => store.insert(rows)
      const parts = { write, clock, log, name, onWritten }
      return {
        store,
        buffer: new RowBuffer(parts),
        reads: new RowBuffer({ ...parts, capacity: WAITING_READS }),
      }
    }
    this.#logs = { live: open('live'), analyze: open('analyze') }
  }

  /** Adds the row of an order event: live events to order_logs, others to analyzer_logs. Returns at once. */
  record(event: OrderEventBase): void {
    this.#add(this.#logs[event.mode].buffer, event, publicData(event.response_data))
  }

  /**
   * Adds the row of a request that only read, like {@link record}. Long lists in its answer are cut. A frozen answer may be
   * given again, so its text is kept with it.
   */
  recordRead(request: LoggedRequest): void {
    const { response_data: answer } = request
    const known = this.#repeated.get(answer)
    const response = known ?? publicData(shortened(answer))
    this.#add(this.#logs[request.mode].reads, request, response)
    if (known === undefined && Object.isFrozen(answer)) this.#repeated.set(answer, JSON.stringify(response))
  }

  #add(
    buffer: RowBuffer<NewOrderLog>,
    { api_type, request_data }: LoggedRequest,
    response: object | string,
  ): void {
    buffer.add({
      apiType: api_type.slice(0, MAX_API_TYPE),
      requestData: publicData(request_data),
      responseData: response,
      createdAt: this.#clock.now(),
    })
  }

  /** Returns a page, newest first, including all rows recorded before the call. */
  async list(mode: EventMode, page: OrderLogPage): Promise<OrderLogRow[]> {
    await this.#written(mode)
    return this.#logs[mode].store.list(page)
  }

  async count(mode: EventMode, filter: OrderLogFilter): Promise<number> {
    await this.#written(mode)
    return this.#logs[mode].store.count(filter)
  }

  /** Returns the id of the row that was added last; 0 if the log is empty. */
  async newestId(mode: EventMode): Promise<number> {
    await this.#written(mode)
    return this.#logs[mode].store.newestId()
  }

  /**
   * Returns the rows added after a row, in the order in which they were added, and the id to continue from.
   * The ids of an emptied log begin anew; every row of it is then newer.
   */
  async added(
    mode: EventMode,
    afterId: number,
    query: OrderLogFilter & { limit: number },
  ): Promise<{ rows: OrderLogRow[]; newestId: number }> {
    await this.#written(mode)
    const { store } = this.#logs[mode]
    const newest = await store.newestId()
    const rows = await store.added(afterId > newest ? 0 : afterId, query)
    // A full page may leave rows out; otherwise a row that came meanwhile may be in it.
    const last = rows.at(-1)?.id ?? 0
    return { rows, newestId: rows.length === query.limit ? last : Math.max(last, newest) }
  }

  /**
   * Yields all rows, newest first, in chunks. Every chunk is a query of its own, so an export that nobody
   * reads on holds no transaction open. Rows that are added meanwhile are not included.
   */
  async *chunks(mode: EventMode, filter: OrderLogFilter): AsyncGenerator<OrderLogRow[]> {
    yield* pagesOf(EXPORT_CHUNK, (page) => this.list(mode, { ...filter, ...page }))
  }

  /** Counts the rows since an instant by strategy, symbol and kind of error. */
  async tallies(mode: EventMode, since: number): Promise<OrderLogTally[]> {
    await this.#written(mode)
    return this.#logs[mode].store.tallies(since)
  }

  /** Returns the total number of rows of a log, without a scan. */
  async total(mode: EventMode): Promise<number> {
    await this.#written(mode)
    return this.#logs[mode].store.total()
  }

  /** Rows lost since start. */
  get dropped(): number {
    const { live, analyze } = this.#logs
    return [live, analyze].reduce((lost, { buffer, reads }) => lost + buffer.dropped + reads.dropped, 0)
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    const { live, analyze } = this.#logs
    return [live, analyze].reduce((all, { buffer, reads }) => all + buffer.waiting + reads.waiting, 0)
  }

  /** Deletes rows older than an instant. */
  purge(mode: EventMode, before: number): Promise<number> {
    return this.#logs[mode].store.purge(before)
  }

  /** Writes the buffered rows. Call it before the database is closed. */
  async flush(): Promise<void> {
    await Promise.all([this.#written('live'), this.#written('analyze')])
  }

  async #written(mode: EventMode): Promise<void> {
    const { buffer, reads } = this.#logs[mode]
    await Promise.all([buffer.flush(), reads.flush()])
  }
}

/** Returns an answer whose lists are cut, at any depth, with the number of the items that are left out. */
function shortened(value: object): object {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    const kept = items.slice(0, ITEMS_OF_READS).map(shortenedMember)
    return items.length > kept.length ? [...kept, `[${items.length - kept.length} more]`] : kept
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortenedMember(member)]))
}

function shortenedMember(member: unknown): unknown {
  return typeof member === 'object' && member !== null ? shortened(member) : member
}
