import type { EventMode, OrderEventBase } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { BatchRow } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import {
  type LogsDatabase,
  type OrderLogFilter,
  type OrderLogPage,
  type OrderLogRow,
  OrderLogStore,
} from './order-log-store.js'
import { publicData } from './public-data.js'
import { RowBuffer } from './row-buffer.js'

const MAX_API_TYPE = 50

/**
 * The order log and the analyzer log. The log subscriber writes them from order events; the log views read
 * them. Credentials are removed before a row is stored.
 */
export class OrderLogs {
  readonly #clock: Clock
  readonly #logs: Readonly<Record<EventMode, { store: OrderLogStore; buffer: RowBuffer<BatchRow> }>>

  constructor({ db, clock, log }: { db: LogsDatabase; clock: Clock; log: Logger }) {
    this.#clock = clock
    const open = (kind: EventMode) => {
      const store = new OrderLogStore(db, kind)
      const onWritten = (rows: number) => store.changedBy(rows)
      const name = kind === 'live' ? 'order_logs' : 'analyzer_logs'
      const write = (rows: readonly BatchRow[]) => db.batch(store.insert, rows)
      return { store, buffer: new RowBuffer({ write, clock, log, name, onWritten }) }
    }
    this.#logs = { live: open('live'), analyze: open('analyze') }
  }

  /** Adds the row of an order event: live events to order_logs, others to analyzer_logs. Returns at once. */
  record(event: OrderEventBase): void {
    this.#logs[event.mode].buffer.add([
      event.api_type.slice(0, MAX_API_TYPE),
      publicData(event.request_data),
      publicData(event.response_data),
      this.#clock.now(),
    ])
  }

  /** Returns a page, newest first, including all rows recorded before the call. */
  async list(mode: EventMode, page: OrderLogPage): Promise<OrderLogRow[]> {
    await this.#logs[mode].buffer.flush()
    return this.#logs[mode].store.list(page)
  }

  async count(mode: EventMode, filter: OrderLogFilter): Promise<number> {
    await this.#logs[mode].buffer.flush()
    return this.#logs[mode].store.count(filter)
  }

  /** Returns the total number of rows of a log, without a scan. */
  async total(mode: EventMode): Promise<number> {
    await this.#logs[mode].buffer.flush()
    return this.#logs[mode].store.total()
  }

  /** Rows lost since start. */
  get dropped(): number {
    return this.#logs.live.buffer.dropped + this.#logs.analyze.buffer.dropped
  }

  /** Deletes rows older than an instant. */
  purge(mode: EventMode, before: number): Promise<number> {
    return this.#logs[mode].store.purge(before)
  }

  /** Writes the buffered rows. Call it before the database is closed. */
  async flush(): Promise<void> {
    await Promise.all([this.#logs.live.buffer.flush(), this.#logs.analyze.buffer.flush()])
  }
}
