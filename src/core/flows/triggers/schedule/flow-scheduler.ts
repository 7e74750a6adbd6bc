import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import type { FireOutcome } from '../outcome.js'
import type { MissedRuns } from '../settings.js'
import { DueQueue } from './due-queue.js'
import { OpenInstants } from './open-instants.js'
import type { Schedule } from './schedule.js'
import { MISFIRE_GRACE_MS } from './schedule-settings.js'

/**
 * `late`: the due time was missed by more than the grace period. `still_running`: the previous run had not
 * ended.
 */
export type MissedReason = 'late' | 'still_running'

export interface SchedulerPorts {
  clock: Clock
  /**
   * Runs a workflow, once per `scheduledFor` (epoch milliseconds). Must durably store that instant before the
   * run, as the last one that fired.
   */
  fire(workflowId: number, scheduledFor: number): Promise<FireOutcome>
  /** Reports a skipped run. Must store the instant as handled, or a restart reports it again. */
  missed(workflowId: number, scheduledFor: number, reason: MissedReason): void
  log: Pick<Logger, 'error'>
}

export interface ArmOptions {
  /** The last instant that fired or was reported as missed, from before a restart. */
  lastFired?: number | undefined
  /** The activation time: intervals count from it, and earlier instants are not missed. Default: now. */
  anchor?: number | undefined
  missedRuns: MissedRuns
}

interface Job {
  open: OpenInstants
  /** The last instant handled. Later instants are due. */
  position: number
  missedRuns: MissedRuns
  running: boolean
}

/** Longest sleep, so that a clock that was set forwards is noticed within the grace period. */
const MAX_SLEEP_MS = 30_000

/**
 * Starts workflows by schedules in IST. One timer serves all jobs. Each instant fires at most once, even if
 * the clock changes. If several instants have passed, only the last one runs. If it is more than a minute
 * late, it is skipped and reported, or runs once, by the workflow's setting.
 */
export class FlowScheduler {
  readonly #ports: SchedulerPorts
  readonly #jobs = new Map<number, Job>()
  readonly #queue = new DueQueue<number>()
  #timer: Timer | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #seen = Number.NEGATIVE_INFINITY

  constructor(ports: SchedulerPorts) {
    this.#ports = ports
  }

  /** The number of workflows that wait for their time. */
  get size(): number {
    return this.#queue.size
  }

  /** Schedules a workflow and replaces its previous schedule. Handles instants since `lastFired` at once. */
  arm(workflowId: number, schedule: Schedule, { lastFired, anchor, missedRuns }: ArmOptions): void {
    const now = this.#readClock()
    const since = anchor ?? now
    this.disarm(workflowId)
    const open = new OpenInstants(schedule, since)
    const position = startOf(schedule, lastFired, since, now)
    if (lastFired !== undefined) open.close(lastFired)
    const job = { open, position, missedRuns, running: false }
    this.#jobs.set(workflowId, job)
    this.#wait(workflowId, job)
    this.#sleep()
  }

  disarm(workflowId: number): void {
    this.#jobs.delete(workflowId)
    this.#queue.delete(workflowId)
    if (this.#queue.size === 0) this.#rest()
  }

  /** Returns the next due time of a workflow in epoch milliseconds; undefined if there is none. */
  next(workflowId: number): number | undefined {
    return this.#queue.dueAt(workflowId)
  }

  /** Returns the first time after an instant at which a workflow is due; undefined if there is none. */
  nextAfter(workflowId: number, after: number): number | undefined {
    return this.#jobs.get(workflowId)?.open.next(after)
  }

  /** Fires nothing more. Does not wait for runs that have begun. */
  stop(): void {
    for (const workflowId of [...this.#jobs.keys()]) this.disarm(workflowId)
    this.#rest()
  }

  /** Returns the time. If the clock was set back, jobs that are ahead of it continue from the new time. */
  #readClock(): number {
    const now = this.#ports.clock.now()
    if (now < this.#seen) {
      for (const [workflowId, job] of this.#jobs) {
        if (job.position <= now) continue
        job.position = now
        this.#wait(workflowId, job)
      }
    }
    this.#seen = now
    return now
  }

  #wait(workflowId: number, job: Job): void {
    const dueAt = job.open.next(job.position)
    if (dueAt === undefined) this.#queue.delete(workflowId)
    else this.#queue.set(workflowId, dueAt)
  }

  #sleep(): void {
    const first = this.#queue.peek()
    if (!first) {
      this.#rest()
      return
    }
    const now = this.#ports.clock.now()
    const wakeAt = Math.min(Math.max(first.dueAt, now), now + MAX_SLEEP_MS)
    if (this.#timer && this.#wakeAt <= wakeAt) return
    this.#rest()
    this.#wakeAt = wakeAt
    this.#timer = this.#ports.clock.setTimeout(() => this.#wake(), wakeAt - now)
  }

  #rest(): void {
    this.#ports.clock.clear(this.#timer)
    this.#timer = undefined
    this.#wakeAt = Number.POSITIVE_INFINITY
  }

  #wake(): void {
    this.#rest()
    const now = this.#readClock()
    for (let first = this.#queue.peek(); first && first.dueAt <= now; first = this.#queue.peek()) {
      this.#due(first.key, first.dueAt, now)
    }
    this.#sleep()
  }

  #due(workflowId: number, dueAt: number, now: number): void {
    const job = this.#jobs.get(workflowId)
    if (!job) {
      this.#queue.delete(workflowId)
      return
    }
    const latest = job.open.latest(now) ?? dueAt
    job.position = latest
    this.#wait(workflowId, job)
    const skips = job.missedRuns === 'skip'
    if (skips && dueAt < latest && isLate(dueAt, now)) this.#missed(workflowId, dueAt, 'late')
    if (skips && isLate(latest, now)) this.#missed(workflowId, latest, 'late')
    else if (job.running) this.#missed(workflowId, latest, 'still_running')
    else void this.#fire(workflowId, job, latest)
  }

  async #fire(workflowId: number, job: Job, scheduledFor: number): Promise<void> {
    job.open.close(scheduledFor)
    job.running = true
    try {
      const outcome = await this.#ports.fire(workflowId, scheduledFor)
      if (outcome === 'already_running') this.#missed(workflowId, scheduledFor, 'still_running')
    } catch (error) {
      this.#failed(workflowId, scheduledFor, error)
    } finally {
      job.running = false
    }
  }

  #missed(workflowId: number, scheduledFor: number, reason: MissedReason): void {
    try {
      this.#ports.missed(workflowId, scheduledFor, reason)
    } catch (error) {
      this.#failed(workflowId, scheduledFor, error)
    }
  }

  #failed(workflowId: number, scheduledFor: number, error: unknown): void {
    this.#ports.log.error('flow.schedule_failed', { workflowId, scheduledFor, error: messageOf(error) })
  }
}

/** Returns the instant after which a new job begins. Later instants that have passed are handled at once. */
function startOf(schedule: Schedule, lastFired: number | undefined, since: number, now: number): number {
  // The clock was set back in the meantime.
  if (lastFired !== undefined && lastFired > now) return now
  // A single instant may be just before its activation; the grace period decides whether it still runs.
  if (schedule.type === 'once') return lastFired ?? schedule.at - 1
  return Math.min(now, Math.max(lastFired ?? since, since))
}

function isLate(scheduledFor: number, now: number): boolean {
  return now - scheduledFor > MISFIRE_GRACE_MS
}
