import { messageOf, publicMessageOf, ServiceError, serviceErrorIn } from '../../errors/index.js'
import { addDays, istDate, istInstant, istTime, MINUTE_MS, type Timer, weekdayOf } from '../../time/index.js'
import { type RunMode, readStrategy, type StrategyConfig, WEEK_DAYS } from '../config/index.js'
import type { RunPorts } from './ports.js'
import type { RunStore, StoredStrategy } from './store/run-store.js'

interface SchedulerParts extends Pick<RunPorts, 'calendar' | 'clock' | 'log'> {
  store: RunStore
  start(strategyId: number, mode: RunMode): Promise<unknown>
  stop(strategyId: number): Promise<unknown>
  isActive(strategyId: number): boolean
  /** Returns whether a start or a signal of a strategy is under way. Its run may not be known yet. */
  isOpening(strategyId: number): boolean
}

/** A start that is due in the last minute is made up for after a restart. A stop is made up for however late it is. */
const GRACE_MS = MINUTE_MS
/** Each schedule has a stop within a week. */
const LONGEST_BETWEEN_STOPS_DAYS = 7
/** The number of minutes that are remembered: half a day. */
const REMEMBERED = 720

/**
 * Starts and stops strategies at their times in IST. At each full minute it reads the schedules of that minute from the
 * database, so a change of a strategy needs no notice.
 */
export class RunScheduler {
  readonly #parts: SchedulerParts
  #timer: Timer | undefined
  /** The newest full minutes that it has acted on. Each counts once, however the clock is set forward and back. */
  readonly #done = new Set<number>()
  #reading: Promise<void> | undefined
  /** The starts and stops under way. */
  readonly #working = new Set<Promise<void>>()
  #isStopped = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#done.add(minuteOf(this.#parts.clock.ago(GRACE_MS)))
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#parts.clock.clear(this.#timer)
    await this.#reading
    await Promise.all(this.#working)
  }

  #wake(): void {
    const { clock } = this.#parts
    this.#reading ??= this.#catchUp().finally(() => {
      this.#reading = undefined
    })
    this.#timer = clock.setTimeout(() => this.#wake(), MINUTE_MS - (clock.now() % MINUTE_MS))
  }

  /** Acts on the minutes of the grace period that it has not acted on. A minute whose schedules cannot be read stays due. */
  async #catchUp(): Promise<void> {
    const now = minuteOf(this.#parts.clock.now())
    for (let minute = now - GRACE_MS; minute <= now && !this.#isStopped; minute += MINUTE_MS) {
      if (this.#done.has(minute)) continue
      await this.#act(minute).catch((error: unknown) => {
        this.#parts.log.error('strategy_scheduler.failed', { error: messageOf(error) })
      })
    }
  }

  /** Begins the stops and starts of a minute. It does not wait for them: a slow start delays no other. */
  async #act(minute: number): Promise<void> {
    const scheduled = await this.#parts.store.scheduled()
    this.#remember(minute)
    const time = istTime(minute).slice(0, 5)
    for (const strategy of scheduled) this.#track(this.#actOn(strategy, time, minute))
  }

  /** A schedule that cannot be judged ends the minute of no other strategy. */
  async #actOn(strategy: StoredStrategy, time: string, minute: number): Promise<void> {
    const { config } = readStrategy(JSON.parse(strategy.config))
    if (!config) return
    if (
      this.#stopOn(config, istDate(minute)) === minute ||
      (await this.#isStopMissed(strategy, config, minute))
    )
      await this.#stopOne(strategy)
    else if (this.#isStartOf(config, time, minute)) await this.#startOne(strategy, config, minute)
  }

  #remember(minute: number): void {
    this.#done.add(minute)
    for (const oldest of this.#done) {
      if (this.#done.size <= REMEMBERED) return
      this.#done.delete(oldest)
    }
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.#parts.log.error('strategy_scheduler.failed', { error: messageOf(error) })
      })
      .finally(() => this.#working.delete(tracked))
    this.#working.add(tracked)
  }

  #isStartOf(config: StrategyConfig, time: string, minute: number): boolean {
    const { scheduler } = config
    if (config.strategy_kind !== 'batch' || !scheduler?.enabled || scheduler.start_time !== time) return false
    const date = istDate(minute)
    return (
      scheduler.days.includes(dayOf(date)) &&
      this.#parts.calendar.isTradingDay(config.underlying_exchange, date)
    )
  }

  /** Returns the full minute at which a schedule stops its run on a date. Undefined if it does not. */
  #stopOn({ exit_time, scheduler, underlying_exchange }: StrategyConfig, date: string): number | undefined {
    const day = dayOf(date)
    const isEnabled = scheduler?.enabled === true
    const time = isEnabled ? (scheduler.auto_stop_time ?? exit_time) : exit_time
    const isDay = isEnabled ? scheduler.days.includes(day) : day !== 'SAT' && day !== 'SUN'
    if (time === null || !isDay) return undefined
    // On a day with shorter hours an exit at the usual time comes too late.
    const close = this.#parts.calendar.close(underlying_exchange, date) ?? Number.POSITIVE_INFINITY
    return minuteOf(Math.min(istInstant(date, time), close - MINUTE_MS))
  }

  /**
   * Returns whether a stop of an open run was due before a minute and nobody has stored one: the service was down, or the
   * machine slept. Without it the position would stay open until the next stop of the schedule.
   */
  async #isStopMissed({ id }: StoredStrategy, config: StrategyConfig, minute: number): Promise<boolean> {
    const { isActive, store } = this.#parts
    if (!isActive(id)) return false
    const due = this.#lastStopBefore(minute, config)
    if (due === undefined) return false
    // The configuration is that of the run: it cannot be changed while one is open.
    const run = await store.unfinishedOf(id)
    return (
      run !== undefined && run.startedAt < due && run.stopRequestedReason === null && run.reservedAt === null
    )
  }

  #lastStopBefore(minute: number, config: StrategyConfig): number | undefined {
    for (let back = 0; back <= LONGEST_BETWEEN_STOPS_DAYS; back++) {
      const stop = this.#stopOn(config, addDays(istDate(minute), -back))
      if (stop !== undefined && stop < minute) return stop
    }
    return undefined
  }

  async #stopOne({ id }: StoredStrategy): Promise<void> {
    const { isActive, isOpening, stop } = this.#parts
    if (!isActive(id) && !isOpening(id)) return
    await stop(id).catch((error: unknown) => this.#failed('stop', id, error))
  }

  async #startOne(strategy: StoredStrategy, config: StrategyConfig, minute: number): Promise<void> {
    const { clock, isActive, store } = this.#parts
    const { id: strategyId, userId } = strategy
    const mode = config.scheduler?.default_mode ?? 'sandbox'
    const endOfDay = istInstant(addDays(istDate(minute), 1))
    if (isActive(strategyId) || (await store.wasStartedByScheduler(strategyId, minute, endOfDay))) return
    if (mode === 'live' && !strategy.liveEnabled) {
      await store.append({
        strategyId,
        userId,
        runId: null,
        ts: clock.now(),
        kind: 'live_disabled',
        severity: 'warn',
        legId: null,
        message: 'Scheduled live start refused: live trading is not enabled for this strategy',
        payload: { trigger_source: 'scheduler', mode },
      })
      return
    }
    await this.#startIfOpen(strategy, config, mode, minute).catch((error: unknown) =>
      this.#tellRefused(strategy, mode, error),
    )
  }

  /** A day with other hours than usual may have its session at another time. */
  async #startIfOpen(
    { id }: StoredStrategy,
    { underlying_exchange: exchange }: StrategyConfig,
    mode: RunMode,
    minute: number,
  ): Promise<void> {
    const { calendar, start } = this.#parts
    if (!calendar.isOpen(exchange, minute))
      throw new ServiceError('conflict', `${exchange} is closed at ${istTime(minute).slice(0, 5)} today.`)
    await start(id, mode)
  }

  /** Nobody waits for the answer to a scheduled start, so its refusal is an event. */
  async #tellRefused(
    { id: strategyId, userId }: StoredStrategy,
    mode: RunMode,
    error: unknown,
  ): Promise<void> {
    this.#failed('start', strategyId, error)
    const why = publicMessageOf(error)
    const { failure } = serviceErrorIn(error)?.extra ?? {}
    await this.#parts.store.append({
      strategyId,
      userId,
      runId: null,
      ts: this.#parts.clock.now(),
      legId: null,
      kind: 'leg_entry_rejected',
      severity: 'warn',
      message: `Scheduled ${mode} start refused: ${why}`,
      payload: { trigger_source: 'scheduler', mode, reason: why, ...(failure !== undefined && { failure }) },
    })
  }

  #failed(what: string, strategy: number, error: unknown): void {
    this.#parts.log.warn('strategy_scheduler.refused', { what, strategy, error: messageOf(error) })
  }
}

function minuteOf(ms: number): number {
  return ms - (ms % MINUTE_MS)
}

function dayOf(date: string) {
  return WEEK_DAYS[weekdayOf(date) - 1] ?? 'MON'
}
