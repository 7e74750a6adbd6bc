import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { Database } from '../storage/index.js'
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS, type Timer } from '../time/index.js'
import { alertsOf, endedBy } from './alerts.js'
import { type ProcessFacts, processFacts } from './process-facts.js'
import { sampleOf, worst } from './sample.js'
import type { HealthStatus, Probed, ServiceFacts, Thresholds } from './schema.js'
import { type HealthAlert, type HealthRow, HealthStore } from './store.js'

/** The time in which a database must answer a probe. */
const PROBE_LIMIT_MS = 5 * SECOND_MS
/** The largest number of samples that one answer holds; more are thinned out evenly. */
const MOST_POINTS = 10_000
const PURGE_MS = HOUR_MS
const EXPORT_PAGE = 500

interface HealthMonitorParts {
  db: Database
  clock: Clock
  log: Logger
  thresholds: Thresholds
  sampleMs: number
  retentionDays: number
  databases: readonly Probed[]
  facts(): ServiceFacts
  /** Replaces the facts of the process, for tests. */
  process?: () => Promise<ProcessFacts>
}

/** The result of one probe of a database. */
export interface ProbeResult {
  name: string
  status: HealthStatus
  /** The number of milliseconds until it answered. */
  tookMs: number
}

/** Samples the process and its databases, and raises and resolves alerts by thresholds. */
export class HealthMonitor {
  readonly #parts: HealthMonitorParts
  readonly #store: HealthStore
  readonly #timers: Timer[] = []
  /** The probe of each database that has not ended; a second is never started beside it. */
  readonly #probes = new Map<string, Promise<boolean>>()
  #sampling: Promise<void> | undefined
  #status: HealthStatus = 'pass'

  constructor(parts: HealthMonitorParts) {
    this.#parts = parts
    this.#store = new HealthStore(parts.db)
  }

  /** The overall status of the last sample; `pass` before the first. */
  get status(): HealthStatus {
    return this.#status
  }

  start(): void {
    const { clock, log, retentionDays, sampleMs } = this.#parts
    const purge = () =>
      this.#store
        .purge(clock.ago(retentionDays * DAY_MS))
        .catch((error: unknown) => log.error('health.purge_failed', { message: messageOf(error) }))
    void this.sample()
    this.#timers.push(
      clock.setInterval(() => void this.sample(), sampleMs),
      clock.setInterval(() => void purge(), PURGE_MS),
    )
  }

  /** Stops sampling and waits for the sample in progress. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) this.#parts.clock.clear(timer)
    await this.#sampling
  }

  /** Takes one sample. A sample that is still being taken is not taken twice. Never throws. */
  sample(): Promise<void> {
    this.#sampling ??= this.#take()
      .catch((error: unknown) => this.#parts.log.error('health.sample_failed', { message: messageOf(error) }))
      .finally(() => {
        this.#sampling = undefined
      })
    return this.#sampling
  }

  async #take(): Promise<void> {
    const { clock, facts, process = processFacts, thresholds } = this.#parts
    const [own, probes] = await Promise.all([process(), this.probeAll()])
    const stuck = probes.filter(({ tookMs }) => tookMs >= PROBE_LIMIT_MS).length
    const sample = sampleOf(clock.now(), { process: own, service: facts(), stuck }, thresholds)
    this.#status = worst([sample.overallStatus, ...probes.map(({ status }) => status)])
    await this.#store.add(sample, alertsOf(sample, thresholds), endedBy(sample))
  }

  /** Reads a row of each database. A database that fails, or does not answer in time, fails. */
  probeAll(): Promise<ProbeResult[]> {
    return Promise.all(this.#parts.databases.map((database) => this.#probe(database)))
  }

  async #probe({ name, probe }: Probed): Promise<ProbeResult> {
    const { clock } = this.#parts
    const began = clock.monotonic()
    let running = this.#probes.get(name)
    if (!running) {
      running = probe()
        .then(
          () => true,
          () => false,
        )
        .finally(() => this.#probes.delete(name))
      this.#probes.set(name, running)
    }
    let limit: Timer | undefined
    const late = new Promise<boolean>((resolve) => {
      limit = clock.setTimeout(() => resolve(false), PROBE_LIMIT_MS)
    })
    const works = await Promise.race([running, late])
    clock.clear(limit)
    return { name, status: works ? 'pass' : 'fail', tookMs: clock.monotonic() - began }
  }

  current(): Promise<HealthRow | undefined> {
    return this.#store.newest()
  }

  /** Returns the samples of the last hours, oldest first; of more than 10,000, evenly chosen ones. */
  history(hours: number): Promise<HealthRow[]> {
    const samples = Math.ceil((hours * HOUR_MS) / this.#parts.sampleMs)
    return this.#store.history(this.#since(hours), Math.max(1, Math.ceil(samples / MOST_POINTS)))
  }

  statistics(hours: number) {
    return this.#store.statistics(this.#since(hours))
  }

  openAlerts(): Promise<HealthAlert[]> {
    return this.#store.openAlerts()
  }

  /** Marks an alert as seen. @returns false if there is no such alert */
  acknowledge(id: number): Promise<boolean> {
    return this.#store.acknowledge(id, this.#parts.clock.now())
  }

  /** Resolves an alert. The next sample opens a new one if the cause is still there. */
  resolve(id: number): Promise<boolean> {
    return this.#store.resolve(id, this.#parts.clock.now())
  }

  /** Returns all samples of the last hours, a page at a time. */
  async *export(hours: number): AsyncGenerator<readonly HealthRow[]> {
    const since = this.#since(hours)
    for (let after = 0; ; ) {
      const rows = await this.#store.page(since, after, EXPORT_PAGE)
      yield rows
      const last = rows.at(-1)
      if (!last || rows.length < EXPORT_PAGE) return
      after = last.id
    }
  }

  #since(hours: number): number {
    return this.#parts.clock.ago(hours * HOUR_MS)
  }
}
