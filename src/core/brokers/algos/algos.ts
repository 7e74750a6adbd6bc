import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { type AlgoRow, AlgoStore } from './store.js'

/**
 * The algorithms that the live orders of strategies are sent under: once for each strategy, at each broker. An order that
 * names its own keeps it.
 */
export class StrategyAlgos {
  readonly #rows: Map<string, AlgoRow>

  private constructor(
    private readonly store: AlgoStore,
    private readonly clock: Pick<Clock, 'now'>,
    rows: readonly AlgoRow[],
  ) {
    this.#rows = new Map(rows.map((row) => [keyOf(row), row]))
  }

  /** Loads what is stored. */
  static async open(db: Database, clock: Pick<Clock, 'now'>): Promise<StrategyAlgos> {
    const store = new AlgoStore(db)
    return new StrategyAlgos(store, clock, await store.all())
  }

  /** Returns the algorithm of a strategy at a broker; undefined if none is mapped. */
  of(broker: string, strategy: string): string | undefined {
    return this.#rows.get(keyOf({ broker, strategy }))?.algoId
  }

  /** Returns the algorithms at a broker, by strategy. */
  at(broker: string): readonly Pick<AlgoRow, 'strategy' | 'algoId'>[] {
    return [...this.#rows.values()]
      .filter((row) => row.broker === broker)
      .map(({ algoId, strategy }) => ({ strategy, algoId }))
      .sort((a, b) => (a.strategy < b.strategy ? -1 : 1))
  }

  /** Maps an algorithm to a strategy. It counts once it is durable. */
  async set(broker: string, strategy: string, algoId: string): Promise<void> {
    const row = { broker, strategy, algoId, updatedAt: this.clock.now() }
    await this.store.save(row)
    this.#rows.set(keyOf(row), row)
  }

  /** Removes the algorithm of a strategy. Returns false if it has none. */
  async remove(broker: string, strategy: string): Promise<boolean> {
    if (this.of(broker, strategy) === undefined) return false
    await this.store.remove({ broker, strategy })
    this.#rows.delete(keyOf({ broker, strategy }))
    return true
  }
}

function keyOf({ broker, strategy }: Pick<AlgoRow, 'broker' | 'strategy'>): string {
  return JSON.stringify([broker, strategy])
}
