import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { limitsOf } from '../../resolve/index.js'
import type { ActiveRun } from '../active-run.js'
import type { RunPorts } from '../ports.js'
import type { RunsInMemory } from '../runs-in-memory.js'
import type { CheckpointStore } from '../store/checkpoint-store.js'
import { CheckpointWriter } from './checkpoint-writer.js'
import { SessionWatch } from './session-watch.js'

/** The pause between two rounds of retries, sweeps and checkpoints. */
const ROUND_MS = 5_000

interface RoundParts extends Pick<RunPorts, 'broker' | 'clock' | 'limits' | 'log'> {
  checkpoints: CheckpointStore
  runs: Pick<RunsInMemory, 'finished' | 'isEmpty' | 'unfinished'>
  /** Compares the accounts of runs that may have changed. Never rejects. */
  compareAccounts(): Promise<void>
}

/** Looks at all runs in memory every five seconds. Without runs there are no rounds. */
export class Rounds {
  readonly #parts: RoundParts
  readonly #checkpoints: CheckpointWriter
  readonly #sessions: SessionWatch
  #cancelNext: () => void = () => undefined
  #round: Promise<void> | undefined
  #isDue = false
  #isStopped = false

  constructor(parts: RoundParts) {
    this.#parts = parts
    this.#checkpoints = new CheckpointWriter(parts.checkpoints)
    this.#sessions = new SessionWatch(parts.broker)
  }

  /** Schedules the next round, if it is not due already. Called when a run is added. */
  schedule(): void {
    const { clock, log, runs } = this.#parts
    if (this.#isStopped || this.#isDue || runs.isEmpty) return
    this.#isDue = true
    const timer = clock.setTimeout(() => {
      this.#round = runLogged(log, 'round', () => this.#doRound()).finally(() => {
        this.#isDue = false
        this.schedule()
      })
    }, ROUND_MS)
    this.#cancelNext = () => clock.clear(timer)
  }

  /** Begins no more rounds. Resolves when the round under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelNext()
    await this.#round
  }

  /** Gives every run its limits of now, retries and sweeps it, and stores the checkpoints of those that changed. */
  async #doRound(): Promise<void> {
    const { compareAccounts, log, runs } = this.#parts
    const { finished, unfinished } = runs
    await runLogged(log, 'limits', () => this.#limit(unfinished))
    this.#sessions.look([...unfinished, ...finished.filter(({ isOpen }) => isOpen)])
    for (const run of unfinished) await run.sweep()
    for (const run of finished) await run.sweep()
    // A slow broker must not hold up the retries of the next round.
    void compareAccounts()
    await runLogged(log, 'checkpoints', () => this.#checkpoints.save(unfinished))
  }

  /**
   * The calendar, the square-off times and the freeze quantities may change while a run is open. A live run keeps the hours of
   * its own broker while another one is active.
   */
  async #limit(runs: readonly ActiveRun[]): Promise<void> {
    const { clock, limits } = this.#parts
    for (const broker of new Set(runs.map((run) => run.broker))) {
      const open = runs.filter((run) => run.broker === broker)
      const isLive = open.some(({ definition }) => definition.mode === 'live')
      const sources = await (isLive ? limits('live', broker) : limits('sandbox'))
      for (const run of open) {
        run.apply({ type: 'limits', at: clock.now(), legs: limitsOf(run.definition, sources) })
      }
    }
  }
}

/** Runs one part of the work on runs. A failure is logged and does not stop the other parts. Never rejects. */
export async function runLogged(log: Logger, part: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.error('strategy_runs.failed', { part, error: messageOf(error) })
  }
}
