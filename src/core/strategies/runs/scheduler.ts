import { messageOf } from '../../errors/index.js'
import { istDate, istTime, MINUTE_MS, type Timer, weekdayOf } from '../../time/index.js'
import { type RunMode, readStrategy, type StrategyConfig, WEEK_DAYS } from '../config/index.js'
import type { RunPorts } from './ports.js'
import type { RunStore, StoredStrategy } from './run-store.js'

interface SchedulerParts extends Pick<RunPorts, 'calendar' | 'clock' | 'log'> {
  store: RunStore
  start(strategyId: number, mode: RunMode): Promise<unknown>
  stop(strategyId: number): Promise<unknown>
  isActive(strategyId: number): boolean
}

/** A start that is due in the last minute is made up for after a restart. */
const GRACE_MS = MINUTE_MS

/**
 * Starts and stops strategies at their times in IST. At each full minute it reads the schedules of that minute from the
 * database, so a change of a strategy needs no notice.
 */
export class RunScheduler {
  readonly #parts: SchedulerParts
  #timer: Timer | undefined
  /** The last full minute that is done. */
  #done = 0
  #working: Promise<void> | undefined
  #isStopped = false

  constructor(parts: SchedulerParts) {
    this.#parts = parts
  }

  start(): void {
    this.#done = minuteOf(this.#parts.clock.now() - GRACE_MS)
    this.#wake()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#parts.clock.clear(this.#timer)
    await this.#working
  }

  #wake(): void {
    const { clock } = this.#parts
    this.#working ??= this.#catchUp().finally(() => {
      this.#working = undefined
    })
    this.#timer = clock.setTimeout(() => this.#wake(), MINUTE_MS - (clock.now() % MINUTE_MS))
  }

  /** Acts on the minutes since the last one. After a pause only the grace period is made up for. */
  async #catchUp(): Promise<void> {
    const now = minuteOf(this.#parts.clock.now())
    // A clock that was set back repeats no minute.
    const from = Math.max(this.#done + MINUTE_MS, now - GRACE_MS)
    for (let minute = from; minute <= now && !this.#isStopped; minute += MINUTE_MS) {
      this.#done = minute
      await this.#act(minute).catch((error: unknown) => {
        this.#parts.log.error('strategy_scheduler.failed', { error: messageOf(error) })
      })
    }
  }

  async #act(minute: number): Promise<void> {
    const time = istTime(minute).slice(0, 5)
    const due = (await this.#parts.store.scheduled()).flatMap((strategy) => {
      const { config } = readStrategy(JSON.parse(strategy.config))
      return config ? [{ strategy, config }] : []
    })
    const stops = due.filter(({ config }) => this.#isStopOf(config, time, minute))
    const starts = due.filter(({ config }) => this.#isStartOf(config, time, minute))
    await Promise.all(stops.map(({ strategy }) => this.#stopOne(strategy)))
    await Promise.all(starts.map(({ strategy, config }) => this.#startOne(strategy, config, minute)))
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

  #isStopOf({ exit_time, scheduler }: StrategyConfig, time: string, minute: number): boolean {
    const day = dayOf(istDate(minute))
    if (scheduler?.enabled) {
      return (scheduler.auto_stop_time ?? exit_time) === time && scheduler.days.includes(day)
    }
    return exit_time === time && day !== 'SAT' && day !== 'SUN'
  }

  async #stopOne({ id }: StoredStrategy): Promise<void> {
    if (!this.#parts.isActive(id)) return
    await this.#parts.stop(id).catch((error: unknown) => this.#failed('stop', id, error))
  }

  async #startOne(strategy: StoredStrategy, config: StrategyConfig, minute: number): Promise<void> {
    const { clock, isActive, start, store } = this.#parts
    const { id: strategyId, userId } = strategy
    const mode = config.scheduler?.default_mode ?? 'sandbox'
    if (isActive(strategyId) || (await store.wasStartedByScheduler(strategyId, minute))) return
    if (mode === 'live' && !strategy.liveEnabled) {
      await store.append({
        ...{
          strategyId,
          userId,
          runId: null,
          ts: clock.now(),
          kind: 'live_disabled',
          severity: 'warn',
          legId: null,
        },
        message: 'Scheduled live start refused: live trading is not enabled for this strategy',
        payload: { trigger_source: 'scheduler', mode },
      })
      return
    }
    await start(strategyId, mode).catch((error: unknown) => this.#failed('start', strategyId, error))
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
