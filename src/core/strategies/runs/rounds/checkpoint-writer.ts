import type { ActiveRun } from '../active-run.js'
import type { CheckpointStore } from '../store/checkpoint-store.js'

/** Checkpoints are pruned once in so many rounds. */
const PRUNE_EVERY = 120

/** Stores the checkpoints of runs, and removes the old ones, also of runs that have ended since. */
export class CheckpointWriter {
  /** The runs with checkpoints since the last pruning. */
  readonly #unpruned = new Set<number>()
  #rounds = 0

  constructor(private readonly store: Pick<CheckpointStore, 'save' | 'prune'>) {}

  /** Stores a checkpoint of each run that changed. A checkpoint that the disk refuses stays due. */
  async save(runs: readonly ActiveRun[]): Promise<void> {
    const due = runs.filter((run) => run.isCheckpointDue)
    const checkpoints = due.map((run) => run.takeCheckpoint())
    try {
      await this.store.save(checkpoints)
    } catch (error) {
      for (const run of due) run.noteChange()
      throw error
    }
    for (const { runId } of runs) this.#unpruned.add(runId)
    this.#rounds += 1
    if (this.#rounds % PRUNE_EVERY === 0) await this.#prune()
  }

  async #prune(): Promise<void> {
    const runIds = [...this.#unpruned]
    await this.store.prune(runIds)
    for (const runId of runIds) this.#unpruned.delete(runId)
  }
}
