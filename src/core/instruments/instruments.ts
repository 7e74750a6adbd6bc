import { setImmediate } from 'node:timers/promises'
import { messageOf, publicMessageOf, ServiceError } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, istDate } from '../time/index.js'
import { CurrentDirectory, InMemoryDirectory } from './directory.js'
import { FreezeQuantities } from './freeze/freeze-quantities.js'
import type { FreezeQuantity } from './freeze/schema.js'
import type { DumpParser, DumpProblem, Instrument, InstrumentCatalog, InstrumentDirectory } from './schema.js'
import { InstrumentSearch } from './search/instrument-search.js'
import { SearchStore } from './search/store.js'
import { refuseShrinking } from './shrinkage.js'
import { InstrumentStore, type MasterRecord, type MasterSource } from './store.js'
import { encodeInSteps } from './table/encoder.js'
import { InstrumentTable } from './table/instrument-table.js'
import { rowFault } from './table/row-check.js'
import { SnapshotFile } from './table/snapshot-file.js'

export interface InstrumentsOptions {
  /** `svc.db`. The packed master is stored beside it, as `svc.db-instruments`. */
  db: Database
  clock: Clock
  log: Logger
  /** Freeze quantities for a fresh installation. */
  freezeQuantities: readonly FreezeQuantity[]
}

export interface MasterStatus {
  state: 'empty' | 'loading' | 'ready'
  /** The master in the instrument table; undefined before the first load. */
  record: MasterRecord | undefined
}

export interface ReplaceResult {
  count: number
  /** Rows left out because they are unusable or repeat a symbol. */
  dropped: number
  durationMs: number
}

export interface ImportResult extends ReplaceResult {
  /** The first 20 rows that could not be read. */
  problems: DumpProblem[]
}

/** Rows processed before the event loop gets a turn. */
const CHUNK = 1000
/** The number of problems that are reported one by one; the rest are only counted. */
const MAX_PROBLEMS = 20

const NO_INSTRUMENTS: InstrumentDirectory = InMemoryDirectory.of([])

/** Stores the instrument master in the database and keeps it in memory for look-ups. */
export class Instruments {
  /** Always the same object. Its content changes in one step when a new master is loaded. */
  readonly directory: InstrumentCatalog
  /** Search over the current master. */
  readonly search: InstrumentSearch
  /** The largest orders that the exchanges accept. */
  readonly freeze: FreezeQuantities
  readonly #current: CurrentDirectory
  readonly #store: InstrumentStore
  readonly #snapshot: SnapshotFile
  readonly #clock: Clock
  readonly #log: Logger
  #record: MasterRecord | undefined
  #loading: Promise<unknown> | undefined
  #isClosing = false

  constructor({ db, clock, log, freezeQuantities }: InstrumentsOptions) {
    this.freeze = new FreezeQuantities(db, clock, freezeQuantities)
    this.#store = new InstrumentStore(db)
    this.#snapshot = new SnapshotFile(`${db.file}-instruments`)
    this.#clock = clock
    this.#log = log
    this.#current = new CurrentDirectory(InMemoryDirectory.of([]))
    this.directory = this.#current
    this.search = new InstrumentSearch({ store: new SearchStore(db), clock, log })
  }

  /** Loads the stored master into memory. Call it once, before the first look-up. */
  async load(): Promise<MasterStatus> {
    const began = this.#clock.monotonic()
    await this.freeze.load()
    this.#record = await this.#store.record()
    await this.#deleteOthers()
    if (this.#record) {
      const packed = await this.#snapshot.read(this.#record.checksum)
      this.#useMaster(packed ?? (await this.#rebuild(this.#record)))
      this.#log.info('instruments.loaded', {
        count: this.directory.count,
        from: packed ? 'snapshot' : 'table',
        durationMs: this.#since(began),
      })
    }
    return this.status()
  }

  /**
   * Returns the loaded master for the plugin of a broker. While the master of another broker is loaded it is empty: the same
   * token means another contract there.
   */
  ofBroker(brokerId: string): InstrumentDirectory {
    return this.#record?.brokerId === brokerId ? this.directory : NO_INSTRUMENTS
  }

  status(): MasterStatus {
    const state = this.#loading ? 'loading' : this.#record ? 'ready' : 'empty'
    return { state, record: this.#record }
  }

  /**
   * Replaces the current master with a broker's whole master, first in the database, then in memory. On any
   * failure, and when no row is usable, the current master stays.
   * @param guarded refuse the new master when an exchange would lose more than half of its instruments
   * @throws ServiceError `conflict` while another master is loading, and when `guarded` refuses the new one
   */
  async replace(
    brokerId: string,
    source: MasterSource,
    rows: AsyncIterable<Instrument[]> | Iterable<Instrument[]>,
    guarded = false,
  ): Promise<ReplaceResult> {
    if (this.#loading) throw new ServiceError('conflict', 'An instrument master is already being loaded.')
    const loading = this.#load(brokerId, source, rows, guarded)
    this.#loading = loading
    return loading
  }

  /** Resolves once the master that is loading now is loaded, or has failed; at once if there is none. */
  async loaded(): Promise<void> {
    await this.#loading?.catch(() => undefined)
  }

  /** Gives up a master that is loading; the current one stays. Resolves when the load has ended. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.loaded()
  }

  async #load(
    brokerId: string,
    source: MasterSource,
    rows: AsyncIterable<Instrument[]> | Iterable<Instrument[]>,
    guarded: boolean,
  ): Promise<ReplaceResult> {
    try {
      return await this.#replace(brokerId, source, rows, guarded)
    } catch (error) {
      if (!this.#isClosing) await this.#noteFailure(error)
      throw error
    } finally {
      // The next start deletes what a load left that was given up.
      if (!this.#isClosing) await this.#deleteOthers()
      this.#loading = undefined
    }
  }

  /**
   * Replaces the master of `brokerId` with a dump in the broker's own file format.
   * @param parse the parser of that format
   * @param force load the dump even if it is much smaller than the broker's current master
   * @throws ServiceError `validation` when the text is not such a dump or has no usable row, `conflict` when
   * an exchange would lose more than half of its instruments
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
        'The instrument master has no usable row; the current one stays in use.',
      )
    }
    // Two brokers' masters differ in size for good reasons, so only masters of the same broker are compared.
    if (guarded && this.#record?.brokerId === brokerId)
      refuseShrinking(this.directory.countByExchange(), counts, source)
    const packed = await encodeInSteps(usable)
    this.#refuseClosing()
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
    await this.#store.replaceAll(usable, record, () => this.#refuseClosing())
    this.#record = record
    this.#useMaster(table)
    await this.#writeSnapshot(packed)
    const durationMs = this.#since(began)
    this.#log.info('instruments.replaced', { brokerId, source, count: record.count, dropped, durationMs })
    return { count: record.count, dropped, durationMs }
  }

  /** Collects the usable rows. If a symbol appears twice on an exchange, the first row wins. */
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
      // A long master must not block the event loop: orders go first.
      await setImmediate()
      this.#refuseClosing()
    }
    const counts = Object.fromEntries([...seen].map(([exchange, symbols]) => [exchange, symbols.size]))
    return { usable, dropped, counts }
  }

  async #rebuild(record: MasterRecord): Promise<InstrumentTable> {
    const packed = await encodeInSteps(await this.#store.rows(record.count))
    const table = decoded(packed)
    if (table.checksum !== record.checksum) {
      this.#record = { ...record, checksum: table.checksum }
      await this.#store.recordChecksum(table.checksum)
    }
    await this.#writeSnapshot(packed)
    return table
  }

  /** Writes the snapshot file. It only speeds up the next start, so a failure is logged and ignored. */
  async #writeSnapshot(packed: Buffer): Promise<void> {
    await this.#snapshot
      .write(packed)
      .catch((error) => this.#log.warn('instruments.snapshot_failed', { error: messageOf(error) }))
  }

  /** Deletes rows that are not of the current master. If it fails, the next load or start does it. */
  async #deleteOthers(): Promise<void> {
    await this.#store
      .deleteOthers()
      .catch((error) => this.#log.warn('instruments.leftovers_stay', { error: messageOf(error) }))
  }

  async #noteFailure(error: unknown): Promise<void> {
    const message = publicMessageOf(error)
    const at = this.#clock.now()
    this.#log.error('instruments.replace_failed', { error: messageOf(error) })
    if (!this.#record) return
    this.#record = { ...this.#record, lastError: message, failedAt: at }
    await this.#store.recordFailure(message, at).catch(() => undefined)
  }

  #refuseClosing(): void {
    if (this.#isClosing) throw new ServiceError('unavailable', 'The service is stopping.')
  }

  #useMaster(table: InstrumentTable): void {
    this.#current.replace(new InMemoryDirectory(table, this.freeze))
    this.search.useMaster(table)
  }

  #since(began: number): number {
    return Math.round(this.#clock.monotonic() - began)
  }
}

function* inChunks(rows: Iterable<Instrument | undefined>): Generator<Instrument[]> {
  let chunk: Instrument[] = []
  let steps = 0
  for (const row of rows) {
    if (row) chunk.push(row)
    if (++steps % CHUNK !== 0) continue
    yield chunk
    chunk = []
  }
  yield chunk
}

function decoded(packed: Buffer): InstrumentTable {
  const table = InstrumentTable.decode(packed)
  if (!table) throw new Error('the instrument master cannot be decoded after encoding')
  return table
}
