import { randomBytes } from 'node:crypto'
import { crashPoint, messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import { fromMoney } from '../../money/index.js'
import type { StrategyOrderState } from '../../orders/index.js'
import { sessionDate, sessionStart } from '../../time/index.js'
import { readStrategy, type StopReason, type StrategyConfig } from '../config/index.js'
import { type IdMaker, type Run, type RunDefinition, type RunReply, StrategyRun } from '../engine/index.js'
import { eventOf } from '../engine/texts.js'
import type {
  ClosedLeg,
  SignalledLeg,
  SignalOrder,
  StartedRun,
  StartOrder,
  StoppedRun,
  StrategyRuns,
} from '../ports.js'
import { exitMoment, type ResolvedLegs, runRisk } from '../resolve/index.js'
import { ActiveRun } from './active-run.js'
import { PriceFeed } from './feed.js'
import type { FeedSettings, RunPorts } from './ports.js'
import { recoverRuns } from './recovery.js'
import type { RunStore, StoredStrategy } from './run-store.js'
import { RunScheduler } from './scheduler.js'

/** The pause between two rounds of retries, sweeps and checkpoints. */
export const ROUND_MS = 5_000
/** Checkpoints are pruned once in so many rounds. */
const PRUNE_EVERY = 120
/** Finished runs that may still get a late fill. */
const KEPT_FINISHED = 1_000

const NOT_RUNNING = 'This strategy is not running'
const ALREADY_RUNNING = 'This strategy is already running'
const SIGNAL_KIND =
  'A signal strategy has no start. Its run opens on the first long_entry or short_entry signal after the session boundary.'
const NOT_LIVE =
  "This strategy is not enabled for live trading. Enable it on the strategy page, or start it with mode 'sandbox'."
const ANALYZER_MODE =
  "The service is in Analyzer mode. Switch it to Live mode, or start the strategy with mode 'sandbox'."
const NO_API_KEY = 'No API key is configured for this user'

/** A request for a run that passed all checks. */
interface Opening {
  strategy: StoredStrategy
  config: StrategyConfig
  resolved: ResolvedLegs
  order: StartOrder
}

/**
 * Runs strategies. Each strategy has at most one unfinished run, which the database guarantees. See {@link ActiveRun} for
 * one run.
 */
export class RunService implements StrategyRuns {
  readonly feed: PriceFeed
  readonly #ports: RunPorts
  readonly #store: RunStore
  readonly #scheduler: RunScheduler
  readonly #active = new Map<number, ActiveRun>()
  readonly #byOrder = new Map<string, ActiveRun>()
  readonly #finished: ActiveRun[] = []
  /** Starts and signals of one strategy, one after another. */
  readonly #openings = new Map<number, Promise<unknown>>()
  /** The reasons of unfinished runs that could not be restored: a person must look at them. */
  readonly #reserved = new Map<number, string>()
  #stopRounds: () => void = () => undefined
  #round: Promise<void> | undefined
  #rounds = 0
  #isRoundDue = false
  #isStopped = false

  constructor(ports: RunPorts, store: RunStore, feed: FeedSettings) {
    this.#ports = ports
    this.#store = store
    this.feed = new PriceFeed(ports, feed)
    this.#scheduler = new RunScheduler({
      ...ports,
      store,
      start: (id, mode) => this.start(id, { mode, trigger: 'scheduler' }),
      stop: (id) => this.stop(id, 'scheduler'),
      isActive: (id) => this.#active.has(id),
    })
  }

  /**
   * Restores the unfinished runs, then follows orders, prices and schedules. A part that fails is logged, and the others
   * still start.
   */
  async open(): Promise<void> {
    this.#ports.orders.changes.listen((states) => this.#onOrders(states))
    await this.#guarded('recovery', () =>
      recoverRuns({
        ...{ ports: this.#ports, store: this.#store, ids: (live) => this.#ids(live) },
        activate: (run, owner) => this.#activate(run, owner),
        reserve: (strategyId, why) => this.#reserved.set(strategyId, why),
      }),
    )
    await this.#guarded('scheduler', async () => this.#scheduler.start())
  }

  /** Stops following. Positions stay as they are: the next start takes them up again. */
  async close(): Promise<void> {
    this.#isStopped = true
    this.#stopRounds()
    await this.#scheduler.stop()
    await Promise.all(this.#openings.values())
    await this.#round
    await this.feed.stop()
    await this.#ports.orders.changes.stop()
    await Promise.all([...this.#active.values()].map((run) => run.settled()))
  }

  /** Returns the run of a strategy in memory. */
  active(strategyId: number): ActiveRun | undefined {
    return this.#active.get(strategyId)
  }

  /** Resolves when all inputs until now are stored and answered; for tests. */
  async settled(): Promise<void> {
    await this.#ports.orders.changes.settled()
    await Promise.all([...this.#active.values(), ...this.#finished].map((run) => run.settled()))
  }

  async start(strategyId: number, order: StartOrder): Promise<StartedRun> {
    return this.#inTurn(strategyId, async () => {
      const opening = await this.#startable(strategyId, order)
      const run = await this.#begin(opening)
      const reply = await run.request((request, at) => ({ type: 'start', at, request }))
      const { entries, error, ok } = reply
      if (!ok) throw new ServiceError('refused', error ?? 'Every entry order was rejected.')
      return { runId: run.runId, mode: order.mode, legs: entries }
    })
  }

  async stop(strategyId: number, reason: StopReason): Promise<StoppedRun> {
    await this.#opened(strategyId)
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({ type: 'stop', reason, at, request }))
    return stoppedRun(run, reply)
  }

  async closeAll(strategyId: number): Promise<StoppedRun> {
    await this.#opened(strategyId)
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({
      ...{ type: 'stop', reason: 'manual', closeAll: true, at, request },
    }))
    return stoppedRun(run, reply)
  }

  async closeLeg(strategyId: number, legId: number): Promise<ClosedLeg> {
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({ type: 'close_leg', legId, at, request }))
    if (!reply.ok) throw new ServiceError('conflict', reply.error ?? 'That leg is not open')
    return { runId: run.runId, legId, runStopped: run.hasEnded, exits: reply.exits.map(exitOf) }
  }

  async kill(strategyId: number): Promise<StoppedRun | undefined> {
    await this.#opened(strategyId)
    const run = this.#active.get(strategyId)
    if (!run || run.hasEnded) return undefined
    const reply = await run.request((request, at) => ({ type: 'stop', reason: 'manual', at, request }))
    return stoppedRun(run, reply)
  }

  async signal(strategyId: number, order: SignalOrder): Promise<SignalledLeg> {
    return this.#inTurn(strategyId, async () => {
      const reserved = this.#reserved.get(strategyId)
      if (reserved !== undefined) throw new ServiceError('conflict', reserved)
      const run = (await this.#runOfToday(strategyId)) ?? (await this.#openBySignal(strategyId, order))
      if (!run) return { runId: null, note: 'no_matching_position', refused: null }
      const { legId, signal } = order
      const reply = await run.request((request, at) => ({ type: 'signal', legId, signal, at, request }))
      return {
        runId: run.runId,
        note: reply.note,
        refused: reply.ok ? null : (reply.error ?? 'The signal was refused'),
      }
    })
  }

  /** Returns the run that takes a signal now. A run of an earlier day is closed first. */
  async #runOfToday(strategyId: number): Promise<ActiveRun | undefined> {
    const run = this.#active.get(strategyId)
    if (!run || run.hasEnded) return undefined
    const { clock } = this.#ports
    const stored = await this.#store.unfinishedOf(strategyId)
    if (!stored || sessionDate(stored.startedAt) === sessionDate(clock.now())) return run
    const message = "Previous day's run closed on the first signal of a new day"
    run.perform([{ type: 'event', event: eventOf('eod_squareoff', message) }])
    const reply = await run.request((request, at) => ({ type: 'stop', reason: 'eod', at, request }))
    if (!reply.stopPending) return undefined
    throw new ServiceError('conflict', "The previous day's run is still closing its positions")
  }

  async #openBySignal(strategyId: number, order: SignalOrder): Promise<ActiveRun | undefined> {
    if (!order.signal.endsWith('entry')) return undefined
    const strategy = await this.#found(strategyId)
    const mode = strategy.liveEnabled ? ('live' as const) : ('sandbox' as const)
    const { webhookEventId } = order
    const opening = await this.#openable(strategy, { mode, trigger: 'webhook', webhookEventId })
    const run = await this.#begin(opening)
    await run.request((request, at) => ({ type: 'start', at, request }))
    return run
  }

  async #startable(strategyId: number, order: StartOrder): Promise<Opening> {
    const strategy = await this.#found(strategyId)
    if (configOf(strategy).strategy_kind !== 'batch') throw new ServiceError('validation', SIGNAL_KIND)
    return this.#openable(strategy, order)
  }

  /** Checks a new run in the order of the refusals that its caller gets. */
  async #openable(strategy: StoredStrategy, order: StartOrder): Promise<Opening> {
    const { broker, clock, hasApiKey, mode, resolve } = this.#ports
    const config = configOf(strategy)
    if (order.mode === 'live' && !strategy.liveEnabled) throw new ServiceError('conflict', NOT_LIVE)
    if (!hasApiKey(strategy.userId)) throw new ServiceError('refused', NO_API_KEY)
    this.#refuseUnfinished(strategy)
    if (order.mode === 'live' && mode() !== 'live') throw new ServiceError('conflict', ANALYZER_MODE)
    if (order.mode === 'live') broker.requireReady()
    const exitAt = exitMoment(config, clock.now())
    if (exitAt !== null && exitAt <= clock.now()) {
      throw new ServiceError('conflict', `The exit time ${config.exit_time} of today has passed`)
    }
    const resolved = await resolve(config)
    if ('failure' in resolved) {
      const { legId, message } = resolved.failure
      throw new ServiceError('refused', legId === null ? message : `Leg ${legId}: ${message}`)
    }
    return { strategy, config, resolved, order }
  }

  #refuseUnfinished({ id, status }: StoredStrategy): void {
    const why = this.#reserved.get(id)
    if (why !== undefined) throw new ServiceError('conflict', why)
    const isBusy = this.#active.get(id)?.hasEnded === false || status === 'running'
    if (isBusy) throw new ServiceError('conflict', ALREADY_RUNNING)
  }

  /** Claims the strategy and stores the run. From here on the run survives a crash. */
  async #begin({ strategy, config, resolved, order }: Opening): Promise<ActiveRun> {
    const { broker, clock } = this.#ports
    const { id: strategyId, name, userId } = strategy
    const at = clock.now()
    const earlier = await this.#store.realizedSince(strategyId, sessionStart(at))
    const limit = config.daily_loss_limit_inr
    if (limit && fromMoney(earlier) <= -limit) {
      throw new ServiceError(
        'conflict',
        `The daily loss limit of ${limit} is reached: no run starts in this session`,
      )
    }
    const { mode, trigger, webhookEventId } = order
    const runBroker = mode === 'live' ? broker.brokerId : 'sandbox'
    const definition = await this.#store.claim(
      {
        ...{ strategyId, mode, trigger, webhookEventId, expiries: resolved.expiries, at },
        broker: runBroker,
      },
      (runId): RunDefinition => ({
        ...{ runId, strategyId, strategyName: name, kind: config.strategy_kind, mode, trigger },
        legs: resolved.legs,
        risk: runRisk(config),
        earlierRealized: fromMoney(earlier),
        exitAt: exitMoment(config, at),
      }),
    )
    if (!definition) throw new ServiceError('conflict', ALREADY_RUNNING)
    crashPoint('strategies.claim.afterCommit')
    const run = this.#activate(StrategyRun.start(definition, this.#ids(mode === 'live'), at), {
      userId,
      broker: runBroker,
    })
    if (resolved.events.length > 0) run.perform(resolved.events.map((event) => ({ type: 'event', event })))
    return run
  }

  #activate(run: Run, owner: { userId: string; broker: string }): ActiveRun {
    const { clock, log, orders, publish } = this.#ports
    const active = new ActiveRun(run, {
      ...{ clock, log, orders, publish, ...owner, store: this.#store, feed: this.feed },
      onOrder: (orderRef) => this.#byOrder.set(orderRef, active),
      onFinished: () => this.#onFinished(active),
    })
    this.#active.set(active.strategyId, active)
    this.#scheduleRound()
    return active
  }

  #onFinished(run: ActiveRun): void {
    if (this.#active.get(run.strategyId) === run) this.#active.delete(run.strategyId)
    this.feed.release(run)
    this.#finished.push(run)
    if (this.#finished.length > KEPT_FINISHED) this.#forget(this.#finished.shift())
  }

  #forget(run: ActiveRun | undefined): void {
    if (!run) return
    for (const ref of run.orderRefs) this.#byOrder.delete(ref)
    this.#ports.orders.changes.forget(run.orderRefs)
  }

  #onOrders(states: readonly StrategyOrderState[]): void {
    for (const state of states) this.#byOrder.get(state.orderRef)?.order(state)
  }

  #ids(live: boolean): IdMaker {
    const mode = live ? 'live' : 'analyze'
    return {
      order: () => this.#ports.orders.newReference(mode),
      position: () => randomBytes(16).toString('hex'),
    }
  }

  #running(strategyId: number): ActiveRun {
    const run = this.#active.get(strategyId)
    if (run && !run.hasEnded) return run
    throw new ServiceError('conflict', this.#reserved.get(strategyId) ?? NOT_RUNNING)
  }

  async #found(strategyId: number): Promise<StoredStrategy> {
    const strategy = await this.#store.strategy(strategyId)
    if (!strategy) throw new ServiceError('not_found', 'Strategy not found')
    return strategy
  }

  /** Waits for a start that still looks up its contracts: it has no run in memory yet. */
  async #opened(strategyId: number): Promise<void> {
    if (!this.#active.has(strategyId)) await this.#inTurn(strategyId, async () => undefined)
  }

  /** Runs the openings of one strategy one after another. */
  #inTurn<T>(strategyId: number, work: () => Promise<T>): Promise<T> {
    if (this.#isStopped) throw new ServiceError('unavailable', 'The service is stopping')
    const before = this.#openings.get(strategyId) ?? Promise.resolve()
    const result = before.then(work)
    const tail = result
      .catch(() => undefined)
      .finally(() => {
        if (this.#openings.get(strategyId) === tail) this.#openings.delete(strategyId)
      })
    this.#openings.set(strategyId, tail)
    return result
  }

  /** Schedules the next round. A service without runs has none. */
  #scheduleRound(): void {
    const hasRuns = this.#active.size + this.#finished.length > 0
    if (this.#isStopped || this.#isRoundDue || !hasRuns) return
    this.#isRoundDue = true
    const { clock } = this.#ports
    const timer = clock.setTimeout(() => {
      this.#round = this.#guarded('round', () => this.#doRound()).finally(() => {
        this.#isRoundDue = false
        this.#scheduleRound()
      })
    }, ROUND_MS)
    this.#stopRounds = () => clock.clear(timer)
  }

  /** Retries and sweeps every run, and stores the checkpoints of those that changed. */
  async #doRound(): Promise<void> {
    const runs = [...this.#active.values()]
    for (const run of runs) await run.sweep()
    for (const run of this.#finished) await run.sweep()
    await this.#store.saveCheckpoints(runs.flatMap((run) => run.takeCheckpoint() ?? []))
    this.#rounds += 1
    if (this.#rounds % PRUNE_EVERY === 0) await this.#store.pruneCheckpoints(runs.map(({ runId }) => runId))
  }

  async #guarded(part: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#ports.log.error('strategy_runs.failed', { part, error: messageOf(error) })
    }
  }
}

function configOf({ config, id }: StoredStrategy): StrategyConfig {
  const read = readStrategy(JSON.parse(config))
  if (read.config) return read.config
  throw new Error(`strategy ${id} cannot be read: ${read.problems[0]?.message}`)
}

function stoppedRun(run: ActiveRun, { error, exits, ok, stopPending }: RunReply): StoppedRun {
  const refused = ok ? null : (error ?? publicMessageOf(undefined))
  return { runId: run.runId, stopPending, exits: exits.map(exitOf), refused }
}

function exitOf({
  brokerOrderId,
  error,
  exitOwner,
  legId,
  ok,
  positionRef,
  symbol,
}: RunReply['exits'][number]) {
  return { legId, ok, positionRef, exitOwner, error, symbol, brokerOrderId }
}
