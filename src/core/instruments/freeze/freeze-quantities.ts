import { ServiceError } from '../../errors/index.js'
import { type Database, SerialQueue } from '../../storage/index.js'
import { type Clock, nextTurn, Pace } from '../../time/index.js'
import { checkedExchange, checkedSymbol, checkQuantity } from './rules.js'
import type { FreezeEntry, FreezeQuantity, UploadedRow, UploadReport } from './schema.js'
import { FreezeStore } from './store.js'
import { parseFreezeFile } from './upload-file.js'

/** The fields of a file that are read in one turn of the event loop. */
const FIELDS_A_TURN = 2_000

const keyOf = (exchange: string, symbol: string): string => `${exchange}:${symbol}`

/**
 * The largest orders that the exchanges accept, by exchange and underlying. Look-ups read memory. A change is
 * stored first and then visible to every look-up; changes run one after the other.
 */
export class FreezeQuantities {
  readonly #store: FreezeStore
  readonly #initial: readonly FreezeQuantity[]
  readonly #changes = new SerialQueue()
  #entries: ReadonlyMap<string, FreezeEntry> = new Map()

  readonly #clock: Pick<Clock, 'monotonic'>

  /** @param initial the quantities of a home that has none */
  constructor(db: Database, clock: Pick<Clock, 'monotonic'>, initial: readonly FreezeQuantity[]) {
    this.#store = new FreezeStore(db)
    this.#clock = clock
    this.#initial = initial
  }

  /** Reads the table. An empty one first gets the initial quantities. */
  async load(): Promise<void> {
    await this.#read()
    if (this.#entries.size > 0 || this.#initial.length === 0) return
    await this.#store.put(this.#initial)
    await this.#read()
  }

  get count(): number {
    return this.#entries.size
  }

  /** Returns the freeze quantity of an underlying's contracts; undefined if none is known. */
  of(exchange: string, underlying: string): number | undefined {
    return this.#entries.get(keyOf(exchange, underlying))?.freezeQuantity
  }

  /** Returns all entries, by symbol. */
  list(): FreezeEntry[] {
    return [...this.#entries.values()]
  }

  /** Adds an entry. @throws ServiceError `validation`, also when the exchange has the symbol already */
  add(given: FreezeQuantity): Promise<FreezeEntry> {
    return this.#changes.run(async () => {
      const exchange = checkedExchange(given.exchange)
      const symbol = checkedSymbol(given.symbol)
      checkQuantity(given.freezeQuantity)
      if (this.#entries.has(keyOf(exchange, symbol))) {
        const text = `${symbol} already exists for ${exchange}`
        throw new ServiceError('validation', text, { errors: { symbol: [text] } })
      }
      await this.#store.put([{ exchange, symbol, freezeQuantity: given.freezeQuantity }])
      await this.#read()
      return this.#require((entry) => entry.exchange === exchange && entry.symbol === symbol)
    })
  }

  /** Changes the quantity of an entry. @throws ServiceError `validation`, `not_found` */
  set(id: number, freezeQuantity: number): Promise<FreezeEntry> {
    return this.#changes.run(async () => {
      checkQuantity(freezeQuantity)
      this.#require((entry) => entry.id === id)
      await this.#store.update(id, freezeQuantity)
      await this.#read()
      return this.#require((entry) => entry.id === id)
    })
  }

  /** Deletes an entry and returns it. @throws ServiceError `not_found` */
  remove(id: number): Promise<FreezeEntry> {
    return this.#changes.run(async () => {
      const entry = this.#require((one) => one.id === id)
      await this.#store.remove(id)
      await this.#read()
      return entry
    })
  }

  /**
   * Replaces all entries of an exchange with those of a file, or changes nothing.
   * @throws ServiceError `validation` when a column is missing or any row is unusable
   */
  upload(exchangeText: string, text: string): Promise<UploadReport> {
    return this.#changes.run(async () => {
      const exchange = checkedExchange(exchangeText)
      const pace = new Pace(this.#clock, FIELDS_A_TURN)
      const rows = (await parseFreezeFile(text, pace)).map((row): UploadedRow => {
        const previous = this.of(exchange, row.symbol)
        const known = previous === row.freezeQuantity ? 'unchanged' : 'changed'
        return { ...row, outcome: previous === undefined ? 'added' : known, previous }
      })
      await nextTurn()
      const kept = new Set(rows.map(({ symbol }) => symbol))
      const removed = this.list().filter((entry) => entry.exchange === exchange && !kept.has(entry.symbol))
      await this.#store.replace(
        exchange,
        rows.map(({ symbol, freezeQuantity }) => ({ exchange, symbol, freezeQuantity })),
      )
      await this.#read()
      await nextTurn()
      return { exchange, rows, removed }
    })
  }

  #require(matches: (entry: FreezeEntry) => boolean): FreezeEntry {
    const entry = this.list().find(matches)
    if (!entry) throw new ServiceError('not_found', 'Entry not found')
    return entry
  }

  async #read(): Promise<void> {
    const entries = await this.#store.entries()
    this.#entries = new Map(entries.map((entry) => [keyOf(entry.exchange, entry.symbol), entry]))
  }
}
