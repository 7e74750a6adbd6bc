import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Timer } from '../../time/index.js'
import type { Engine } from '../engine/engine.js'
import type { Decision } from '../engine/execution.js'
import type { Runtime } from '../runtime.js'
import type { SandboxJobMark } from '../schema.js'
import { markJob, rewindJob } from './job-marks.js'
import { resumedIntraday, runJob } from './jobs.js'
import { type DueMoment, JOBS, latestMoment, nextMoment } from './timetable.js'

/**
 * The longest wait between two looks at the clock: failed jobs are retried, and jumps of the clock are
 * noticed.
 */
const LOOK_MS = 60_000

/** A job, as the status route shows it. */
export interface JobStatus {
  name: string
  /** Epoch milliseconds; undefined for a job that is switched off. */
  nextAt: number | undefined
  lastDueAt: number | undefined
  lastRanAt: number | undefined
}

/**
 * Runs the sandbox's scheduled jobs, each due moment once: a moment is done when its mark is on disk. When
 * several moments of one job were missed, only the last one runs, because it also does the work of the
 * earlier ones. Missed moments of different jobs run in the order of their times.
 */
export class JobScheduler {
  readonly #runtime: Runtime
  readonly #log: Logger
  #timer: Timer | undefined
  #running = false
  #nextAt = 0
  /** The time of the last look. Before it, the clock was set back. */
  #lookedAt = 0
  /** True when a job has to be retried. */
  #again = false
  #chain: Promise<void> = Promise.resolve()
  readonly #pending = new Set<Promise<void>>()

  constructor(runtime: Runtime, log: Logger) {
    this.#runtime = runtime
    this.#log = log
  }

  get running(): boolean {
    return this.#running
  }

  /** Runs missed jobs; resolves when their effects are durable. */
  async catchUp(): Promise<void> {
    await this.#enqueue()
    await this.idle()
  }

  /** Runs jobs when they fall due, from now on. */
  start(): void {
    if (this.#running) return
    this.#running = true
    void this.#enqueue()
  }

  /** Stops the timer and waits for running jobs. */
  async stop(): Promise<void> {
    this.#running = false
    this.#runtime.clock.clear(this.#timer)
    this.#timer = undefined
    await this.idle()
  }

  /** Looks at the clock again, because times, holidays or market hours have changed. */
  reload(): void {
    if (this.#running) void this.#enqueue()
  }

  /** Resolves when no job is running. */
  async idle(): Promise<void> {
    await this.#chain
    await Promise.all(this.#pending)
  }

  /** Returns every job with its last and its next moment. */
  status(): Promise<JobStatus[]> {
    const now = this.#runtime.clock.now()
    return this.#runtime.look(({ state, hours, settings }) =>
      JOBS.map((job) => {
        const mark = state.jobs.get(job.name)
        return {
          name: job.name,
          nextAt: nextMoment(job, now, { hours, settings })?.dueAt,
          lastDueAt: mark?.dueAt,
          lastRanAt: mark?.ranAt,
        }
      }),
    )
  }

  #wake(): void {
    const now = this.#runtime.clock.now()
    if (this.#again || now >= this.#nextAt || now < this.#lookedAt) void this.#enqueue()
    else this.#arm()
  }

  /** Queues one look: runs the jobs that are due, then sets the timer for the next. Looks never overlap. */
  #enqueue(): Promise<void> {
    this.#chain = this.#chain
      .then(() => this.#runDue())
      .catch((error: unknown) => this.#failed('timetable', error))
      .then(() => this.#arm())
    return this.#chain
  }

  #arm(): void {
    const { clock } = this.#runtime
    clock.clear(this.#timer)
    if (!this.#running) return
    const delay = this.#again ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, this.#nextAt - clock.now()))
    this.#timer = clock.setTimeout(() => this.#wake(), delay)
  }

  async #runDue(): Promise<void> {
    this.#again = false
    this.#lookedAt = this.#runtime.clock.now()
    const { answer, durable } = await this.#runtime.take(look)
    this.#nextAt = answer.nextAt
    this.#follow(durable, 'timetable')
    for (const moment of answer.missed) await this.#run(moment)
  }

  async #run(moment: DueMoment): Promise<void> {
    try {
      const { done, durable } = await runJob(this.#runtime, moment)
      if (!done) this.#again = true
      this.#follow(durable, moment.job.name)
    } catch (error) {
      this.#failed(moment.job.name, error)
    }
  }

  /**
   * Waits for the disk in the background, because decisions need not wait for it, and retries a mark that was
   * not written.
   */
  #follow(durable: Promise<void>, job: string): void {
    const followed = durable
      .catch((error: unknown) => this.#failed(job, error))
      .finally(() => this.#pending.delete(followed))
    this.#pending.add(followed)
  }

  #failed(job: string, error: unknown): void {
    this.#again = true
    this.#log.error('sandbox.job_failed', { job, error: messageOf(error) })
  }
}

/** Returns the due moments without a mark, in order, and the time of the next look. */
function look(engine: Engine, decision: Decision): { missed: DueMoment[]; nextAt: number } {
  const { state, hours, settings } = engine
  const context = { hours, settings }
  const missed: DueMoment[] = []
  let nextAt = Number.POSITIVE_INFINITY
  for (const job of JOBS) {
    const latest = latestMoment(job, decision.now, context)
    const mark = markOf(engine, job, latest, decision)
    // A job that this file does not know yet starts with its next moment.
    if (latest && !mark) markJob(state, job.name, decision, latest)
    else if (latest && mark && (latest.dueAt > mark.dueAt || resumedIntraday(engine, latest, mark, decision)))
      missed.push(latest)
    nextAt = Math.min(nextAt, nextMoment(job, decision.now, context)?.dueAt ?? nextAt)
  }
  return { missed: missed.sort((a, b) => a.dueAt - b.dueAt), nextAt }
}

/**
 * Returns the mark of a job. One of the future is of a clock that ran ahead for a while: its moment is still to come. A clock that
 * is far behind looks the same, so the reset keeps its mark: nothing undoes it.
 */
function markOf(
  { state }: Engine,
  { name }: DueMoment['job'],
  latest: DueMoment | undefined,
  decision: Decision,
): SandboxJobMark | undefined {
  const mark = state.jobs.get(name)
  const isAhead = mark && name !== 'reset' && (mark.dueAt > decision.now || mark.ranAt > decision.now)
  if (isAhead) rewindJob(state, name, decision, latest)
  return state.jobs.get(name)
}
