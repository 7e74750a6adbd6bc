import { setImmediate } from 'node:timers/promises'
import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import type { InstrumentTable } from '../table/instrument-table.js'
import type { SearchHits, SearchQuery } from './query.js'
import { SearchIndex } from './search-index.js'
import type { SearchStore } from './store.js'

interface InstrumentSearchOptions {
  store: SearchStore
  clock: Clock
  log: Logger
}

/**
 * Searches the current master: from memory once its index is built, from the database until then. The first
 * search (or {@link warm}) starts the build, which runs in small steps between other work: the index is large, and
 * many daemons are never searched. After that, every new master gets its index automatically.
 */
export class InstrumentSearch {
  readonly #store: SearchStore
  readonly #clock: Clock
  readonly #log: Logger
  #table: InstrumentTable | undefined
  #index: SearchIndex | undefined
  #building: Promise<void> | undefined

  constructor({ store, clock, log }: InstrumentSearchOptions) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /** Returns whether searches run in memory. */
  get indexed(): boolean {
    return this.#index !== undefined
  }

  /** Switches to a new master and drops the index of the old one. */
  useMaster(table: InstrumentTable): void {
    const isInUse = this.#building !== undefined || this.#index !== undefined
    this.#table = table
    this.#index = undefined
    this.#building = undefined
    if (isInUse) void this.warm()
  }

  /**
   * Builds the index of the current master if it is missing. Resolves when the index is ready; never rejects.
   */
  warm(): Promise<void> {
    if (this.#index || !this.#table) return Promise.resolve()
    this.#building ??= this.#build(this.#table)
    return this.#building
  }

  async find(query: SearchQuery): Promise<SearchHits> {
    const index = this.#index
    if (index) return index.find(query)
    const built = this.warm()
    const rows = await this.#store.find(query)
    if (rows.length === 0) {
      // Only the index corrects a word that is wrong by one letter.
      await built
      if (this.indexed) return this.find(query)
    }
    return { count: rows.length, rows }
  }

  async #build(table: InstrumentTable): Promise<void> {
    const began = this.#clock.monotonic()
    try {
      const steps = SearchIndex.building(table)
      for (let step = steps.next(); ; step = steps.next()) {
        if (this.#table !== table) return
        if (step.done) {
          this.#index = step.value
          break
        }
        // The build is not urgent: orders go first.
        await setImmediate()
      }
      const durationMs = Math.round(this.#clock.monotonic() - began)
      this.#log.info('instruments.indexed', { count: table.count, durationMs })
    } catch (error) {
      // Searches still work from the database; the next master triggers a new build.
      this.#log.error('instruments.index_failed', { error: messageOf(error) })
    }
  }
}
