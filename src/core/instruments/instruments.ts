import { setImmediate } from 'node:timers/promises'
import { messageOf, publicMessageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, istDate } from '../time/index.js'
import { CurrentDirectory, InMemoryDirectory } from './directory.js'
import type { DumpParser, DumpProblem, FreezeQuantity, Instrument, InstrumentCatalog } from './schema.js'
import { InstrumentSearch } from './search/instrument-search.js'
import { SearchStore } from './search/store.js'
import { refuseShrinking } from './shrinkage.js'
import { InstrumentStore, type MasterRecord, type MasterSource } from './store.js'
import { encodeInstruments } from './table/encoder.js'
import { InstrumentTable } from './table/instrument-table.js'
import { rowFault } from './table/row-check.js'
import { SnapshotFile } from './table/snapshot-file.js'

export interface InstrumentsOptions {
  /** `svc.db`. The packed master is kept beside it, as `svc.db-instruments`. */
  db: Database
  clock: Clock
  log: Logger
  /** Freeze quantities that a fresh installation starts with. */
  freezeQuantities: readonly FreezeQuantity[]
}

export interface MasterStatus {
  state: 'empty' | 'loading' | 'ready'
  /** What the table holds; undefined before the first master. */
  record: MasterRecord | undefined
}

export interface ReplaceResult {
  count: number
  /** Rows left out: unusable ones, and second rows of one symbol. */
  dropped: number
  durationMs: number
}

export interface ImportResult extends ReplaceResult {
  /** The first of the rows that could not be read. */
  problems: DumpProblem[]
}

/** Rows taken in between two turns of the event loop. */
const CHUNK = 5000
/** Problems reported one by one; past them only their number is. */
const MAX_PROBLEMS = 20

/** Keeps the instrument master: in the database, and in memory for every look-up. */
export class Instruments {
  /** Stays the same object; its content changes in one step when a master is replaced. */
  readonly directory: InstrumentCatalog
  /** Search over the master that is in force. */
  readonly search: InstrumentSearch
  readonly #current: CurrentDirectory
  readonly #store: InstrumentStore
  readonly #snapshot: SnapshotFile
  readonly #clock: Clock
  readonly #log: Logger
  readonly #initialFreeze: readonly FreezeQuantity[]
  readonly #freeze = new Map<string, number>()
  #record: MasterRecord | undefined
  #loading = false

  constructor({ db, clock, log, freezeQuantities }: InstrumentsOptions) {
    this.#initialFreeze = freezeQuantities
    this.#store = new InstrumentStore(db)
    this.#snapshot = new SnapshotFile(`${db.file}-instruments`)
    this.#clock = clock
    this.#log = log
    this.#current = new CurrentDirectory(InMemoryDirectory.of([]))
    this.directory = this.#current
    this.search = new InstrumentSearch({ store: new SearchStore(db), clock, log })
  }

  /** Brings the stored master into memory. Call once, before the first look-up. */
  async load(): Promise<MasterStatus> {
    const began = this.#clock.monotonic()
    await this.reloadFreezeQuantities()
    this.#record = await this.#store.record()
    if (this.#record) {
      const packed = await this.#snapshot.read(this.#record.checksum)
      this.#show(packed ?? (await this.#rebuild(this.#record)))
      this.#log.info('instruments.loaded', {
        count: this.directory.count,
        from: packed ? 'snapshot' : 'table',
        durationMs: this.#since(began),
      })
    }
    return this.status()
  }

  status(): MasterStatus {
    const state = this.#loading ? 'loading' : this.#record ? 'ready' : 'empty'
    return { state, record: this.#record }
  }

  /**
   * Puts a broker's whole master in the place of the present one, in the database and then in memory. On any
   * failure, and when no row is usable, the present one stays.
   * @throws ServiceError `conflict` while another master is being loaded, and where `guarded` and an exchange of the
   * broker's present master would lose more than half its instruments
   */
  async replace(
    brokerId: string,
    source: MasterSource,
    rows: AsyncIterable<Instrument[]> | Iterable<Instrument[]>,
    guarded = false,
  ): Promise<ReplaceResult> {
    if (this.#loading) throw new ServiceError('conflict', 'An instrument master is already being loaded.')
    this.#loading = true
    try {
      return await this.#replace(brokerId, source, rows, guarded)
    } catch (error) {
      await this.#noteFailure(error)
      throw error
    } finally {
      this.#loading = false
    }
  }

  /**
   * Replaces the master of `brokerId` with a dump in a broker's own file format.
   * @param parse the parser of that format
   * @param force load it even where it is much smaller than the broker's present master
   * @throws ServiceError `validation` when the text is not such a dump or holds no usable row, `conflict` when an
   * exchange would lose more than half its instruments
   */
  async importDump(text: string, parse: DumpParser, brokerId: string, force = false): Promise<ImportResult> {
    const problems: DumpProblem[] = []
    let refused = 0
    const report = (problem: DumpProblem) => {
      refused++
      if (problems.length < MAX_PROBLEMS) problems.push(problem)
    }
    const rows = inChunks(parse(text, report))
    const result = await this.replace(brokerId, 'file', rows, !force)
    return { ...result, dropped: result.dropped + refused, problems }
  }

  /** Takes over the freeze quantities of the table; a fresh installation gets the exchanges' own. */
  async reloadFreezeQuantities(): Promise<void> {
    let rows = await this.#store.freezeQuantities()
    if (rows.length === 0) {
      await this.#store.seedFreezeQuantities(this.#initialFreeze)
      rows = await this.#store.freezeQuantities()
    }
    this.#freeze.clear()
    for (const { exchange, symbol, freezeQuantity } of rows) {
      this.#freeze.set(`${exchange}:${symbol}`, freezeQuantity)
    }
  }

  async #replace(
    brokerId: string,
    source: MasterSource,
    rows: AsyncIterable<Instrument[]> | Iterable<Instrument[]>,
    guarded: boolean,
  ): Promise<ReplaceResult> {
    const began = this.#clock.monotonic()
    const { usable, dropped, counts } = await this.#collect(rows)
    if (usable.length === 0) {
      throw new ServiceError(
        'broker_protocol',
        'The instrument master holds no usable row; the present one stays.',
      )
    }
    // Another broker's master says nothing about this one's.
    if (guarded && this.#record?.brokerId === brokerId)
      refuseShrinking(this.directory.countByExchange(), counts, source)
    const packed = encodeInstruments(usable)
    const table = decoded(packed)
    const now = this.#clock.now()
    const record: MasterRecord = {
      brokerId,
      source,
      count: usable.length,
      loadedAt: now,
      generatedFor: istDate(now),
      durationMs: this.#since(began),
      checksum: table.checksum,
      lastError: null,
      failedAt: null,
    }
    await this.#store.replaceAll(usable, record)
    this.#record = record
    this.#show(table)
    await this.#writeSnapshot(packed)
    const durationMs = this.#since(began)
    this.#log.info('instruments.replaced', { brokerId, source, count: record.count, dropped, durationMs })
    return { count: record.count, dropped, durationMs }
  }

  /** Takes the rows in; of two rows with one symbol on one exchange the first counts. */
  async #collect(
    rows: AsyncIterable<Instrument[]> | Iterable<Instrument[]>,
  ): Promise<{ usable: Instrument[]; dropped: number; counts: Record<string, number> }> {
    const usable: Instrument[] = []
    const seen = new Map<string, Set<string>>()
    let dropped = 0
    for await (const chunk of rows) {
      for (const row of chunk) {
        const symbols = seen.get(row.exchange) ?? new Set()
        seen.set(row.exchange, symbols)
        const fault = symbols.has(row.symbol)
          ? `${row.symbol} on ${row.exchange} is listed twice`
          : rowFault(row)
        if (fault === undefined) {
          symbols.add(row.symbol)
          usable.push(row)
        } else if (dropped++ < MAX_PROBLEMS) this.#log.warn('instruments.row_dropped', { reason: fault })
      }
      // Orders go first: a long master must not hold the event loop.
      await setImmediate()
    }
    const counts = Object.fromEntries([...seen].map(([exchange, symbols]) => [exchange, symbols.size]))
    return { usable, dropped, counts }
  }

  async #rebuild(record: MasterRecord): Promise<InstrumentTable> {
    const packed = encodeInstruments(await this.#store.rows(record.count))
    const table = decoded(packed)
    if (table.checksum !== record.checksum) {
      this.#record = { ...record, checksum: table.checksum }
      await this.#store.recordChecksum(table.checksum)
    }
    await this.#writeSnapshot(packed)
    return table
  }

  /** The file only saves time at the next start: without it the service works as well. */
  async #writeSnapshot(packed: Buffer): Promise<void> {
    await this.#snapshot
      .write(packed)
      .catch((error) => this.#log.warn('instruments.snapshot_failed', { error: messageOf(error) }))
  }

  async #noteFailure(error: unknown): Promise<void> {
    const message = publicMessageOf(error)
    const at = this.#clock.now()
    this.#log.error('instruments.replace_failed', { error: messageOf(error) })
    if (!this.#record) return
    this.#record = { ...this.#record, lastError: message, failedAt: at }
    await this.#store.recordFailure(message, at).catch(() => undefined)
  }

  #show(table: InstrumentTable): void {
    this.#current.replace(new InMemoryDirectory(table, this.#freeze))
    this.search.show(table)
  }

  #since(began: number): number {
    return Math.round(this.#clock.monotonic() - began)
  }
}

function* inChunks(rows: Iterable<Instrument>): Generator<Instrument[]> {
  let chunk: Instrument[] = []
  for (const row of rows) {
    if (chunk.push(row) < CHUNK) continue
    yield chunk
    chunk = []
  }
  yield chunk
}

function decoded(packed: Buffer): InstrumentTable {
  const table = InstrumentTable.decode(packed)
  if (!table) throw new Error('a master just packed cannot be read')
  return table
}
