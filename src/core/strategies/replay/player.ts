import { type Money, toMoney, toRupees } from '../../money/index.js'
import { istDate } from '../../time/index.js'
import type { StrategyConfig } from '../config/schema.js'
import type { StopReason } from '../config/vocabulary.js'
import {
  type IdMaker,
  type RunEffect,
  type RunEvent,
  type RunInput,
  type RunLeg,
  type RunReply,
  StrategyRun,
} from '../engine/index.js'
import { admit, definitionOf } from './definition.js'
import { type Fill, keyOf, PaperMarket, type Slippage } from './paper.js'
import type { Recording } from './recorded/bars.js'
import type { RecordedContracts } from './recorded/contracts.js'
import { Gaps } from './recorded/gaps.js'
import type { RecordedSignal } from './recorded/signals.js'
import { type ReplayTick, type SlotTicks, slotsOf } from './recorded/ticks.js'
import { Equity } from './results/equity.js'
import { TradeList, timeText } from './results/trades.js'
import { type DayPlan, planOf } from './schedule.js'

export interface ReplayRequest {
  config: StrategyConfig
  recording: Recording
  signals: readonly RecordedSignal[]
  slippage: Slippage
  /** The ticks between two of the four prices of a bar. */
  steps: number
  contracts: Pick<RecordedContracts, 'legsAt' | 'instruments'>
}

/** How far a replay is. Times are epoch milliseconds of the recording. */
export interface ReplayProgress {
  now: number
  /** The end of the last bar. */
  endsAt: number
  /** The positions that were opened so far. */
  trades: number
}

export interface ReplayedEvent {
  time: string
  run: number | null
  kind: RunEvent['kind']
  severity: RunEvent['severity']
  leg_id: number | null
  message: string
}

export interface ReplayedRun {
  run: number
  started: string
  /** Null while the run is unfinished at the end of the bars. */
  stopped: string | null
  reason: StopReason | null
  pnl: number
}

interface ActiveRun {
  record: ReplayedRun
  engine: StrategyRun
  legs: readonly RunLeg[]
  keys: ReadonlySet<string>
  date: string
}

/** Something that happens at its time, between two ticks. */
interface Moment {
  at: number
  act(at: number): void
}

type Finished = Extract<RunEffect, { type: 'finished' }>

/** The start needs a price that is not known yet. */
const WAITS = 'waits'
const SLOTS_A_TURN = 100
const NO_PLAN: DayPlan = { startAt: null, stopAt: null, exitAt: null }
const NEW_DAY = "Previous day's run closed on the first signal of a new day"

/**
 * Feeds the engine with recorded ticks and moments, fills its orders, and collects its effects. Its time is that of
 * the ticks. It decides from past ticks only.
 */
export class Player {
  readonly trades = new TradeList()
  readonly events: ReplayedEvent[] = []
  readonly runs: ReplayedRun[] = []
  readonly equity = new Equity()
  readonly gaps: Gaps
  /** The last price of each contract, by `EXCHANGE:SYMBOL`. */
  readonly prices = new Map<string, number>()
  /** Sentences about starts and signals that had no effect. */
  readonly notes: string[] = []
  /** The start of the first bar, and the end of the last one. */
  from: number | null = null
  to: number | null = null
  dayCount = 0
  bars = 0
  realized: Money = 0n
  #run: ActiveRun | null = null
  #date = ''
  #plan = NO_PLAN
  /** Realised by the runs that ended on this day. */
  #realizedToday: Money = 0n
  /** The moments at which the run acts by itself, in order. */
  #alarms: number[] = []
  #nextSignal = 0
  /** A signal waits until this moment for the end of an older run. */
  #signalsFrom = 0
  #due: Moment | null = null
  readonly #market: PaperMarket
  readonly #ids = countedIds()

  constructor(private readonly request: ReplayRequest) {
    this.gaps = new Gaps(request.recording.intervalMs)
    this.#market = new PaperMarket(request.slippage)
  }

  /** The profit of the run that is not over. Null if there is none. */
  get unfinished(): Money | null {
    return this.#run ? toMoney(this.#run.engine.snapshot().total) : null
  }

  /**
   * Plays all bars, and yields on each day and after each hundred bars of time, so that the caller can look for an interrupt and
   * say how far it is.
   */
  *turns(): Generator<ReplayProgress> {
    const { recording, signals, steps } = this.request
    const endsAt = endOf(recording)
    let [day, slots] = ['', 0]
    for (const slot of slotsOf(recording, steps)) {
      this.#playSlot(slot)
      slots++
      if (this.#date !== day || slots % SLOTS_A_TURN === 0)
        yield { now: slot.end, endsAt, trades: this.trades.count }
      day = this.#date
    }
    for (const { file, line } of signals.slice(this.#nextSignal)) {
      this.notes.push(`${file}:${line}: no bar follows this signal`)
    }
    const run = this.#run
    if (run) run.record.pnl = toRupees(this.unfinished ?? 0n)
  }

  #playSlot(slot: SlotTicks): void {
    const date = istDate(slot.time)
    if (date !== this.#date) this.#startDay(date, slot.time)
    this.bars += slot.keys.size
    this.from ??= slot.time
    this.to = slot.end
    if (this.#run === null && (this.#due === null || this.#due.at >= slot.end)) {
      // Nobody looks at these ticks.
      for (const { key, price } of slot.closes()) this.prices.set(key, price)
    } else {
      for (const tick of slot.ticks()) this.#playTick(tick)
      if (this.#run) this.gaps.note(slot, this.#run.legs)
    }
    this.equity.note(slot.end, this.realized + (this.unfinished ?? 0n))
  }

  #startDay(date: string, firstBar: number): void {
    const { config } = this.request
    this.#date = date
    this.#realizedToday = 0n
    this.dayCount++
    this.gaps.startDay()
    this.#plan = planOf(config, date, firstBar)
    if (this.#run && this.#plan.startAt !== null) {
      this.#plan.startAt = null
      if (config.strategy_type === 'intraday') {
        this.notes.push(`${date}: no start, because the run of ${this.#run.date} is not over`)
      }
    }
    this.#due = this.#nextMoment()
  }

  #playTick(tick: ReplayTick): void {
    while (this.#due && this.#due.at <= tick.at) {
      this.#due.act(this.#due.at)
      this.#due = this.#nextMoment()
    }
    this.prices.set(tick.key, tick.price)
    for (const fill of this.#market.fillsAt(tick)) this.#fill(fill, tick.at)
    if (this.#run?.keys.has(tick.key)) this.#apply(tick)
  }

  /** Returns the next happening. At the same moment a run ends before another starts, and signals come last. */
  #nextMoment(): Moment | null {
    const { startAt, stopAt } = this.#plan
    const signal = this.request.signals[this.#nextSignal]
    const moments: Moment[] = []
    const add = (at: number | null | undefined, act: Moment['act']) => {
      if (at !== null && at !== undefined) moments.push({ at, act })
    }
    add(this.#alarms[0], (at) => this.#ring(at))
    add(stopAt, (at) => this.#stopDay(at))
    add(startAt, (at) => this.#startBatch(at))
    add(signal && Math.max(signal.time, this.#signalsFrom), (at) => this.#playSignal(at))
    return moments.reduce<Moment | null>((first, one) => (first && first.at <= one.at ? first : one), null)
  }

  #ring(at: number): void {
    this.#alarms.shift()
    this.#apply({ type: 'retry', at })
  }

  #stopDay(at: number): void {
    this.#plan = { ...this.#plan, startAt: null, stopAt: null }
    if (this.#run) this.#apply({ type: 'stop', reason: 'scheduler', at })
  }

  #startBatch(at: number): void {
    const { exitAt } = this.#plan
    const isLate = exitAt !== null && at >= exitAt
    const refusal = isLate ? 'no price came between the entry and the exit time' : this.#open(at)
    // Until a price is known, each later moment tries again.
    this.#plan = { ...this.#plan, startAt: refusal === WAITS ? at + 1 : null }
    if (refusal !== null && refusal !== WAITS) this.notes.push(`${this.#date}: no start, ${refusal}`)
  }

  #playSignal(at: number): void {
    const { config, contracts, signals } = this.request
    const signal = signals[this.#nextSignal]
    if (config.strategy_kind !== 'signal' || !signal) return
    const place = `${signal.file}:${signal.line}`
    const result = admit(signal, config, contracts.instruments)
    if ('leg' in result && result.note === undefined && this.#isOfEarlierDay()) {
      this.#endEarlierDay(at)
      if (this.#run) {
        this.#signalsFrom = at + 1
        return
      }
    }
    this.#nextSignal++
    if ('refusal' in result) this.notes.push(`${place}: ${result.refusal}`)
    else if (result.note !== undefined) this.notes.push(`${place}: no effect (${result.note})`)
    else this.#give(signal, result.leg.id, at, place)
  }

  #isOfEarlierDay(): boolean {
    return this.#run !== null && this.#run.date !== this.#date
  }

  #endEarlierDay(at: number): void {
    if (this.#run?.engine.state !== 'running') return
    this.#note(at, { kind: 'eod_squareoff', severity: 'warn', legId: null, message: NEW_DAY, payload: null })
    this.#apply({ type: 'stop', reason: 'eod', at })
  }

  #give({ signal }: RecordedSignal, legId: number, at: number, place: string): void {
    if (!this.#run) {
      const refusal = signal.endsWith('entry') ? this.#open(at) : 'no effect (no_matching_position)'
      if (refusal !== null) {
        this.notes.push(`${place}: ${refusal}`)
        return
      }
    }
    this.#apply({ type: 'signal', legId, signal, at, request: place })
  }

  /** Starts a run. Returns null, or why it does not start: {@link WAITS} if a price may still come. */
  #open(at: number): string | null {
    const resolved = this.request.contracts.legsAt(this.request.config, at, (key) => this.prices.get(key))
    if ('refusal' in resolved) return resolved.waits ? WAITS : resolved.refusal
    const { legs } = resolved
    const { exitAt } = this.#plan
    const number = this.runs.length + 1
    const definition = definitionOf(this.request.config, {
      runId: number,
      legs,
      earlierRealized: toRupees(this.#realizedToday),
      exitAt,
      date: this.#date,
    })
    const record: ReplayedRun = { run: number, started: timeText(at), stopped: null, reason: null, pnl: 0 }
    const engine = StrategyRun.start(definition, this.#ids, at)
    this.#run = { record, engine, legs, keys: new Set(legs.map(keyOf)), date: this.#date }
    this.runs.push(record)
    const squareOffs = legs.flatMap(({ squareOffAt }) => squareOffAt ?? [])
    this.#alarms = [...new Set([...squareOffs, ...(exitAt === null ? [] : [exitAt])])].sort((a, b) => a - b)
    for (const event of resolved.events) this.#note(at, event)
    this.#apply({ type: 'start', at })
    return null
  }

  #fill(fill: Fill, at: number): void {
    const { id: orderId, quantity } = fill.order
    this.trades.note(this.#run?.record.run ?? 0, fill, at)
    const news = { status: 'complete', filledQuantity: quantity, averagePrice: fill.price } as const
    this.#apply({ type: 'order', orderId, at, ...news })
  }

  /** Applies an input and everything that follows from it at once: the market accepts every order. */
  #apply(first: RunInput): void {
    const inputs = [first]
    for (let input = inputs.shift(); input && this.#run; input = inputs.shift()) {
      const { at } = input
      for (const effect of this.#run.engine.apply(input)) {
        if (effect.type === 'place') {
          const { id } = effect.order
          this.#market.add(effect.order)
          inputs.push({ type: 'ack', orderId: id, at, ack: { outcome: 'accepted', brokerOrderId: id } })
        } else if (effect.type === 'cancel' && this.#market.cancel(effect.orderId)) {
          const news = { status: 'cancelled', filledQuantity: 0, averagePrice: null } as const
          inputs.push({ type: 'order', orderId: effect.orderId, at, ...news })
        } else if (effect.type === 'event') this.#note(at, effect.event)
        else if (effect.type === 'finished') this.#finish(effect, at)
        else if (effect.type === 'reply') this.#answer(effect.request, effect.reply)
      }
    }
    if (this.#run?.engine.state === 'finished') this.#close()
  }

  #answer(place: string, { error, note }: RunReply): void {
    if (error !== null) this.notes.push(`${place}: ${error}`)
    else if (note !== null) this.notes.push(`${place}: no effect (${note})`)
  }

  /** The daily loss limit of the next run counts only what this one realised since 03:00. */
  #finish({ reason, realized, sessionRealized }: Finished, at: number): void {
    if (!this.#run) return
    Object.assign(this.#run.record, { stopped: timeText(at), reason, pnl: toRupees(realized) })
    this.realized += realized
    this.#realizedToday += sessionRealized
  }

  #close(): void {
    this.#run = null
    this.#alarms = []
    this.#due = this.#nextMoment()
  }

  #note(at: number, { kind, legId, message, severity }: RunEvent): void {
    const run = this.#run?.record.run ?? null
    this.events.push({ time: timeText(at), run, kind, severity, leg_id: legId, message })
  }
}

function endOf({ intervalMs, series }: Recording): number {
  return series.reduce((end, { bars }) => Math.max(end, (bars.at(-1)?.time ?? 0) + intervalMs), 0)
}

/** References that are the same in every replay. */
function countedIds(): IdMaker {
  let [orders, positions] = [0, 0]
  return {
    order: () => `replay-${++orders}`,
    position: () => (++positions).toString(16).padStart(32, '0'),
  }
}
