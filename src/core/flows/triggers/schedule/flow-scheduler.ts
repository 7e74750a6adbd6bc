import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import type { Clock, Timer } from '../../../time/index.js'
import type { FireOutcome } from '../outcome.js'
import type { MissedRuns } from '../settings.js'
import { DueQueue } from './due-queue.js'
import { OpenInstants } from './open-instants.js'
import type { Schedule } from './schedule.js'
import { MISFIRE_GRACE_MS } from './schedule-settings.js'

/** `late`: its time was over for longer than the grace; `still_running`: the run before it had not ended. */
export type MissedReason = 'late' | 'still_running'

export interface SchedulerPorts {
  clock: Clock
  /**
   * Runs a workflow, once per `scheduledFor`: that instant (epoch milliseconds) is to be kept, durably and before
   * the run, as the last one fired.
   */
  fire(workflowId: number, scheduledFor: number): Promise<FireOutcome>
  /** Told of a run that was skipped. Keep the instant as the last one dealt with, or it is told again after a restart. */
  missed(workflowId: number, scheduledFor: number, reason: MissedReason): void
  log: Pick<Logger, 'error'>
}

export interface ArmOptions {
  /** The last instant fired or noted as missed, from before a restart. */
  lastFired?: number | undefined
  /** When the workflow was activated: intervals count from it, nothing before it is missed. Default: now. */
  anchor?: number | undefined
  missedRuns: MissedRuns
}

interface Job {
  open: OpenInstants
  /** The last instant looked at: what follows is due. */
  position: number
  missedRuns: MissedRuns
  running: boolean
}

/** Looks at the clock at least this often, so that a clock that was set forwards is noticed within the grace. */
const LOOK_MS = 30_000

/**
 * Starts workflows by the clock of India (contract, flow section 5.1). One timer serves all jobs. Every scheduled
 * instant fires at most once, whatever the clock does; of several that have passed only the last is run. One that
 * is late by more than a minute is skipped and noted, or run once, as the workflow chose.
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

  /** How many workflows wait for their time. */
  get size(): number {
    return this.#queue.size
  }

  /** Schedules a workflow, in place of whatever it had. What passed since `lastFired` is dealt with at once. */
  arm(workflowId: number, schedule: Schedule, { lastFired, anchor, missedRuns }: ArmOptions): void {
    const now = this.#look()
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

  /** When a workflow runs next (epoch milliseconds); undefined when it does not. */
  next(workflowId: number): number | undefined {
    return this.#queue.dueAt(workflowId)
  }

  /** Fires nothing more. Runs that have begun are not waited for. */
  stop(): void {
    for (const workflowId of [...this.#jobs.keys()]) this.disarm(workflowId)
    this.#rest()
  }

  /** The time; jobs that are ahead of a clock that was set back begin again from it. */
  #look(): number {
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
    const wakeAt = Math.min(Math.max(first.dueAt, now), now + LOOK_MS)
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
    const now = this.#look()
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

/** After which instant a job that is armed begins: what passed since then is dealt with at once. */
function startOf(schedule: Schedule, lastFired: number | undefined, since: number, now: number): number {
  // The clock was set back since.
  if (lastFired !== undefined && lastFired > now) return now
  // A single instant may lie just before its activation; the grace decides whether it still runs.
  if (schedule.type === 'once') return lastFired ?? schedule.at - 1
  return Math.min(now, Math.max(lastFired ?? since, since))
}

function isLate(scheduledFor: number, now: number): boolean {
  return now - scheduledFor > MISFIRE_GRACE_MS
}
