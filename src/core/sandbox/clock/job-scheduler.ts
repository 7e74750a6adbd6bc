import { messageOf } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Timer } from '../../time/index.js'
import type { Engine } from '../engine/engine.js'
import type { Decision } from '../engine/execution.js'
import type { Runtime } from '../runtime.js'
import { markJob } from './job-marks.js'
import { runJob } from './jobs.js'
import { type DueMoment, JOBS, latestMoment, nextMoment } from './timetable.js'

/** Looks at the clock at least this often: for what is to be tried again, and for clocks that jump. */
const LOOK_MS = 60_000

/** A job as the status route shows it. */
export interface JobStatus {
  name: string
  /** Epoch milliseconds; undefined for a job that is switched off. */
  nextAt: number | undefined
  lastDueAt: number | undefined
  lastRanAt: number | undefined
}

/**
 * Does by the clock what has to be done by the clock, each due moment once: a moment is done when its mark is
 * on disk. Of several missed moments of a job only the last is made up for, since it does what the earlier ones
 * would have done; different jobs are made up for in the order of their moments.
 */
export class JobScheduler {
  readonly #runtime: Runtime
  readonly #log: Logger
  #timer: Timer | undefined
  #running = false
  #nextAt = 0
  /** Something has to be tried again. */
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

  /** Does what was missed; resolves when it is durable. */
  async catchUp(): Promise<void> {
    await this.#enqueue()
    await this.idle()
  }

  /** From now on jobs are done when they fall due. */
  start(): void {
    if (this.#running) return
    this.#running = true
    void this.#enqueue()
  }

  /** Lets go of the clock and finishes what has begun. */
  async stop(): Promise<void> {
    this.#running = false
    this.#runtime.clock.clear(this.#timer)
    this.#timer = undefined
    await this.idle()
  }

  /** Times, holidays or hours have changed: looks again. */
  reload(): void {
    if (this.#running) void this.#enqueue()
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#chain
    await Promise.all(this.#pending)
  }

  /** Every job with its last and its next moment. */
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
    if (this.#again || this.#runtime.clock.now() >= this.#nextAt) void this.#enqueue()
    else this.#arm()
  }

  /** One look at a time: what is due is done, then the clock is set for the next. */
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

  /** Decisions need not wait for the disk, but a mark that never got there is tried again. */
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

/** What is due and has no mark, in order, and when to look again. */
function look(engine: Engine, decision: Decision): { missed: DueMoment[]; nextAt: number } {
  const { state, hours, settings } = engine
  const context = { hours, settings }
  const missed: DueMoment[] = []
  let nextAt = Number.POSITIVE_INFINITY
  for (const job of JOBS) {
    const latest = latestMoment(job, decision.now, context)
    const mark = state.jobs.get(job.name)
    // A job that is new to this file begins with its next moment.
    if (latest && !mark) markJob(state, job.name, decision, latest)
    else if (latest && mark && latest.dueAt > mark.dueAt) missed.push(latest)
    nextAt = Math.min(nextAt, nextMoment(job, decision.now, context)?.dueAt ?? nextAt)
  }
  return { missed: missed.sort((a, b) => a.dueAt - b.dueAt), nextAt }
}
