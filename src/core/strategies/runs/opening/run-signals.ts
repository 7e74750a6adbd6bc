import { ServiceError } from '../../../errors/index.js'
import { sessionDate } from '../../../time/index.js'
import type { RunReply } from '../../engine/index.js'
import { eventOf } from '../../engine/texts.js'
import type { ActiveRun } from '../active-run.js'
import type { RunPorts } from '../ports.js'
import type { ReservedRuns } from '../reserved/reserved-runs.js'
import type { RunsInMemory } from '../runs-in-memory.js'
import type { SignalOrder } from '../schema.js'
import type { RunStore } from '../store/run-store.js'
import type { RunOpener } from './run-opener.js'

/** A signal waits so long for the exits of the day before: senders give up after some seconds. */
const FILLS_WITHIN_MS = 2_500

const STOPPED = 'The strategy was stopped before this signal could open a run'

interface SignalParts extends Pick<RunPorts, 'clock'> {
  store: Pick<RunStore, 'unfinishedOf'>
  runs: Pick<RunsInMemory, 'of'>
  reserved: Pick<ReservedRuns, 'refuse'>
  opener: Pick<RunOpener, 'openForEntry'>
}

/** A signal that a run has taken. */
interface GivenSignal {
  run: ActiveRun
  /** Resolves when the broker has answered for every order that the signal placed. */
  reply: Promise<RunReply>
}

/** Finds or opens the run that takes a signal. It gets the signals of a strategy one after another. */
export class RunSignals {
  readonly #parts: SignalParts
  /** The moments at which runs began. */
  readonly #starts = new WeakMap<ActiveRun, number>()

  constructor(parts: SignalParts) {
    this.#parts = parts
  }

  /**
   * Gives a signal to the run of its strategy; an entry opens one if there is none. The reply is not awaited, so that the
   * next signal of the strategy does not wait for it.
   * @param isStopped returns whether the strategy was stopped after the signal came. It opens no run then: the user was told
   * that nothing runs.
   * @returns undefined if there is no run and the signal opens none
   */
  async give(
    strategyId: number,
    order: SignalOrder,
    isStopped: () => boolean,
  ): Promise<GivenSignal | undefined> {
    this.#parts.reserved.refuse(strategyId)
    const run =
      (await this.#runOfToday(strategyId, order)) ?? (await this.#openFor(strategyId, order, isStopped))
    if (!run) return undefined
    const { first, legId, signal } = order
    // Only an entry of a run that holds nothing shares its commit: the engine sends an exit although the disk refuses its row.
    const isShared = signal.endsWith('entry') && !run.isOpen
    if (!isShared) await storeCall(order)
    const request = (id: string, at: number) => ({ type: 'signal', legId, signal, at, request: id }) as const
    return { run, reply: run.request(request, isShared ? first : undefined) }
  }

  /** Returns the run that takes a signal now. A run of an earlier day is closed first. */
  async #runOfToday(strategyId: number, order: SignalOrder): Promise<ActiveRun | undefined> {
    const { clock, runs } = this.#parts
    const run = runs.of(strategyId)
    if (!run || run.hasEnded) return undefined
    const startedAt = await this.#startOf(run)
    if (startedAt === undefined) return (await this.#endsSoon(run)) ? undefined : run
    // A date that goes back is no new day: the clock was set back.
    if (sessionDate(startedAt) >= sessionDate(clock.now())) return run
    await storeCall(order)
    // Later signals come while it is still closing: the event tells of the first one only.
    if (run.state === 'running') {
      const message = "Previous day's run closed on the first signal of a new day"
      run.perform([{ type: 'event', event: eventOf('eod_squareoff', message) }])
    }
    const reply = await run.request((request, at) => ({ type: 'stop', reason: 'eod', at, request }))
    if (!reply.stopPending || (await this.#endsSoon(run))) return undefined
    throw new ServiceError('conflict', "The previous day's run is still closing its positions")
  }

  /** Returns when a run began, which never changes; undefined if it has ended meanwhile. */
  async #startOf(run: ActiveRun): Promise<number | undefined> {
    const known = this.#starts.get(run)
    if (known !== undefined) return known
    const stored = await this.#parts.store.unfinishedOf(run.strategyId)
    if (stored) this.#starts.set(run, stored.startedAt)
    return stored?.startedAt
  }

  /** Waits for the fills of market orders. Returns whether the run has ended. */
  async #endsSoon(run: ActiveRun): Promise<boolean> {
    const waiting = new AbortController()
    const slept = this.#parts.clock.sleep(FILLS_WITHIN_MS, waiting.signal).catch(() => undefined)
    await Promise.race([run.ended, slept])
    waiting.abort()
    return run.hasEnded
  }

  /** Opens a run for an entry. Other signals open none. */
  async #openFor(
    strategyId: number,
    order: SignalOrder,
    isStopped: () => boolean,
  ): Promise<ActiveRun | undefined> {
    if (!order.signal.endsWith('entry')) return undefined
    await storeCall(order)
    if (isStopped()) throw new ServiceError('conflict', STOPPED)
    const run = await this.#parts.opener.openForEntry(strategyId, order)
    await run.request((request, at) => ({ type: 'start', at, request }))
    return run
  }
}

/** Stores the row of the call before anything else. A full disk must not keep anybody in a position. */
async function storeCall({ first, signal }: SignalOrder): Promise<void> {
  try {
    await first?.store()
  } catch (error) {
    if (signal.endsWith('entry')) throw error
  }
}
