import { randomBytes } from 'node:crypto'
import { crashPoint, messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import { fromMoney } from '../../money/index.js'
import type { StrategyOrderState } from '../../orders/index.js'
import { istDate, sessionDate, sessionStart } from '../../time/index.js'
import { readConfig } from '../catalog/strategy.js'
import { RUN_MODES, type StopReason, type StrategyConfig } from '../config/index.js'
import { type IdMaker, type Run, type RunDefinition, type RunReply, StrategyRun } from '../engine/index.js'
import { eventOf } from '../engine/texts.js'
import type {
  ClosedLeg,
  ReservedRun,
  RunRelease,
  SignalledLeg,
  SignalOrder,
  StartedRun,
  StartOrder,
  StoppedRun,
  StrategyRuns,
  UnfinishedRun,
} from '../ports.js'
import { exitMoment, limitsOf, type ResolvedLegs, runRisk } from '../resolve/index.js'
import { AccountCheck } from './account/account-check.js'
import { ActiveRun } from './active-run.js'
import { CheckpointWriter } from './checkpoint-writer.js'
import { PriceFeed } from './feed.js'
import type { FeedSettings, RunPorts } from './ports.js'
import { ACCOUNT_RESET, followEnded, recoverRuns } from './recovery.js'
import {
  ALREADY_RUNNING,
  claimError,
  NOT_LIVE,
  refuseAfterExit,
  refuseAfterLosses,
  refuseEnded,
  refuseUnreviewed,
  refuseUnusable,
  resolveError,
} from './refusals.js'
import { QueuedEntries } from './reserved/queued-entries.js'
import { ReservedRuns, refusalOf } from './reserved/reserved-runs.js'
import { RunScheduler } from './scheduler.js'
import { SessionWatch } from './session-watch.js'
import { KEPT_FINISHED, type RunStore, type StoredStrategy } from './store/run-store.js'

/** The pause between two rounds of retries, sweeps and checkpoints. */
export const ROUND_MS = 5_000
/** A signal waits so long for the exits of the day before: senders give up after some seconds. */
const FILLS_WITHIN_MS = 2_500

const NOT_RUNNING = 'This strategy is not running'
const SIGNAL_KIND =
  'A signal strategy has no start. Its run opens on the first long_entry or short_entry signal after the session boundary.'
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
  readonly #checkpoints: CheckpointWriter
  readonly #accounts: AccountCheck
  readonly #active = new Map<number, ActiveRun>()
  readonly #byOrder = new Map<string, ActiveRun>()
  readonly #finished: ActiveRun[] = []
  readonly #starts = new WeakMap<ActiveRun, number>()
  /** The openings of runs by starts and signals of one strategy, one after another. They wait for no broker. */
  readonly #openings = new Map<number, Promise<unknown>>()
  readonly #reserved: ReservedRuns
  readonly #sessions: SessionWatch
  readonly #queued: QueuedEntries
  /** Resolves when the runs of the last process are restored. */
  readonly #restored: Promise<void>
  #tellRestored: () => void = () => undefined
  #stopRounds: () => void = () => undefined
  #round: Promise<void> | undefined
  #isRoundDue = false
  #isStopped = false

  constructor(ports: RunPorts, store: RunStore, feed: FeedSettings) {
    this.#ports = ports
    this.#store = store
    this.#restored = new Promise((resolve) => {
      this.#tellRestored = resolve
    })
    this.#sessions = new SessionWatch(ports.broker)
    this.#queued = new QueuedEntries({ ...ports, store, runOf: (orderRef) => this.#byOrder.get(orderRef) })
    this.#reserved = new ReservedRuns({ ...ports, store })
    this.feed = new PriceFeed(ports, feed)
    this.#checkpoints = new CheckpointWriter(store.checkpoints)
    this.#accounts = new AccountCheck({
      ...ports,
      runs: () => [...this.#active.values(), ...this.#finished].sort((a, b) => a.runId - b.runId),
      unmanaged: (account) => this.#reserved.held(account),
      ofRuns: (orderRefs) => this.#ofRuns(orderRefs),
    })
    this.#scheduler = new RunScheduler({
      ...ports,
      store,
      start: (id, mode) => this.start(id, { mode, trigger: 'scheduler' }),
      stop: (id) => this.stop(id, 'scheduler'),
      isActive: (id) => this.unfinished(id) !== undefined,
    })
  }

  /**
   * Restores the unfinished runs, then follows orders, prices and schedules. A part that fails is logged, and the others
   * still start.
   */
  async open(): Promise<void> {
    const { orders } = this.#ports
    orders.changes.listen((states) => this.#onOrders(states))
    orders.changes.listenToOthers(() => this.#accounts.soon())
    orders.listenToResets((userIds) => this.#onReset(userIds))
    orders.listenToBroker(() => this.#onBroker())
    this.#queued.guard()
    const recovery: Parameters<typeof recoverRuns>[0] = {
      ...{ ports: this.#ports, store: this.#store, ids: (live) => this.#ids(live) },
      activate: (run, owner) => this.#activate(run, owner),
      keepEnded: (run, owner) => this.#keepEnded(run, owner),
      isTaken: (id) => [...this.#active.values(), ...this.#finished].some(({ runId }) => runId === id),
      reserved: this.#reserved,
    }
    await this.#guarded('recovery', () => recoverRuns(recovery))
    await this.#guarded('late fills', () => followEnded(recovery))
    // Not earlier: an account holds the positions of all runs, and a run that is missing would look like somebody else.
    this.#accounts.begin()
    this.#tellRestored()
    await this.#guarded('checkpoints', () => this.#store.checkpoints.pruneAll())
    await this.#guarded('queued entries', () => this.#queued.rejectUnwanted())
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
    await this.#accounts.stop()
    await Promise.all([...this.#active.values(), ...this.#finished].map((run) => run.settled()))
  }

  /** Returns the run of a strategy in memory. */
  active(strategyId: number): ActiveRun | undefined {
    return this.#active.get(strategyId)
  }

  /** Resolves when all inputs until now are stored and answered; for tests. */
  async settled(): Promise<void> {
    await this.#ports.orders.changes.settled()
    await this.#accounts.settled()
    await Promise.all([...this.#active.values(), ...this.#finished].map((run) => run.settled()))
  }

  async start(strategyId: number, order: StartOrder): Promise<StartedRun> {
    const { reply, run } = await this.#inTurn(strategyId, async () => {
      const opening = await this.#startable(strategyId, order)
      const run = await this.#begin(opening)
      return { run, reply: run.request((request, at) => ({ type: 'start', at, request })) }
    })
    const { entries, error, ok } = await reply
    if (!ok) throw new ServiceError('refused', error ?? 'Every entry order was rejected.')
    return { runId: run.runId, mode: order.mode, legs: entries }
  }

  async stop(strategyId: number, reason: StopReason): Promise<StoppedRun> {
    await this.#opened(strategyId)
    await this.#reserved.noteStop(strategyId, reason)
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({ type: 'stop', reason, at, request }))
    return stoppedRun(run, reply)
  }

  needsStop(strategyId: number): boolean {
    return this.#openings.has(strategyId) || this.#active.get(strategyId)?.snapshot().state === 'running'
  }

  async closeAll(strategyId: number): Promise<StoppedRun> {
    await this.#opened(strategyId)
    await this.#reserved.noteStop(strategyId, 'manual')
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
    const reserved = await this.#reserved.noteStop(strategyId, 'manual')
    if (reserved) {
      const { runId } = reserved
      return { runId, stopPending: false, exits: [], refused: refusalOf(reserved), isReserved: true }
    }
    const run = this.#active.get(strategyId)
    if (!run || run.hasEnded) return undefined
    const reply = await run.request((request, at) => ({ type: 'stop', reason: 'manual', at, request }))
    return stoppedRun(run, reply)
  }

  unfinished(strategyId: number): UnfinishedRun | undefined {
    const reserved = this.#reserved.of(strategyId)
    if (reserved) return { runId: reserved.runId, state: 'reserved' }
    const run = this.#active.get(strategyId)
    if (!run || run.state === 'finished') return undefined
    return { runId: run.runId, state: run.state }
  }

  reserved(): ReservedRun[] {
    return this.#reserved.all()
  }

  /**
   * Reserves the live runs of a home that was restored from a backup. Called before {@link open}.
   * @returns whether that is durable
   */
  reserveRestored(madeAt: string): Promise<boolean> {
    return this.#reserved.reserveRestored(madeAt)
  }

  async release(strategyId: number, runId: number, release: RunRelease): Promise<void> {
    await this.#inTurn(strategyId, async () => {
      await this.#queued.rejectUnwanted()
      await this.#reserved.release(strategyId, runId, release)
    })
  }

  async signal(strategyId: number, order: SignalOrder): Promise<SignalledLeg> {
    const { reply, run } = await this.#inTurn(strategyId, () => this.#giveSignal(strategyId, order))
    if (!run) return { runId: null, note: 'no_matching_position', refused: null }
    const { error, note, ok } = await reply
    return { runId: run.runId, note, refused: ok ? null : (error ?? 'The signal was refused') }
  }

  /** Finds or opens the run of a signal, and gives it the signal. The next signal of the strategy does not wait for the reply. */
  async #giveSignal(strategyId: number, order: SignalOrder) {
    this.#refuseReserved(strategyId)
    const run = (await this.#runOfToday(strategyId, order)) ?? (await this.#openBySignal(strategyId, order))
    if (!run) return { run }
    const { first, legId, signal } = order
    // Only an entry of a run that holds nothing shares its commit: the engine sends an exit although the disk refuses its row.
    const isShared = signal.endsWith('entry') && !run.isOpen
    if (!isShared) await storeCall(order)
    const request = (id: string, at: number) => ({ type: 'signal', legId, signal, at, request: id }) as const
    return { run, reply: run.request(request, isShared ? first : undefined) }
  }

  /** Returns the run that takes a signal now. A run of an earlier day is closed first. */
  async #runOfToday(strategyId: number, order: SignalOrder): Promise<ActiveRun | undefined> {
    const run = this.#active.get(strategyId)
    if (!run || run.hasEnded) return undefined
    const { clock } = this.#ports
    const startedAt = await this.#startOf(run)
    if (startedAt === undefined || sessionDate(startedAt) === sessionDate(clock.now())) return run
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
    const stored = await this.#store.unfinishedOf(run.strategyId)
    if (stored) this.#starts.set(run, stored.startedAt)
    return stored?.startedAt
  }

  /** Waits for the fills of market orders. Returns whether the run has ended. */
  async #endsSoon(run: ActiveRun): Promise<boolean> {
    const waiting = new AbortController()
    const slept = this.#ports.clock.sleep(FILLS_WITHIN_MS, waiting.signal).catch(() => undefined)
    await Promise.race([run.ended, slept])
    waiting.abort()
    return run.hasEnded
  }

  async #openBySignal(strategyId: number, order: SignalOrder): Promise<ActiveRun | undefined> {
    if (!order.signal.endsWith('entry')) return undefined
    await storeCall(order)
    const strategy = await this.#found(strategyId)
    const mode = strategy.liveEnabled ? ('live' as const) : ('sandbox' as const)
    const { webhookEventId } = order
    const opening = await this.#openable(strategy, { mode, trigger: 'webhook', webhookEventId })
    refuseUnusable(opening.resolved, order.legId)
    const run = await this.#begin(opening)
    await run.request((request, at) => ({ type: 'start', at, request }))
    return run
  }

  async #startable(strategyId: number, order: StartOrder): Promise<Opening> {
    const strategy = await this.#found(strategyId)
    if (readConfig(strategy).strategy_kind !== 'batch') throw new ServiceError('validation', SIGNAL_KIND)
    return this.#openable(strategy, order)
  }

  /** Checks a new run in the order of the refusals that its caller gets. */
  async #openable(strategy: StoredStrategy, order: StartOrder): Promise<Opening> {
    const { broker, clock, hasApiKey, mode, resolve } = this.#ports
    const config = readConfig(strategy)
    if (order.mode === 'live' && !strategy.liveEnabled) throw new ServiceError('conflict', NOT_LIVE)
    if (!hasApiKey(strategy.userId)) throw new ServiceError('refused', NO_API_KEY)
    this.#refuseUnfinished(strategy)
    if (order.mode === 'live' && mode() !== 'live') throw new ServiceError('refused', ANALYZER_MODE)
    if (order.mode === 'live') broker.requireReady()
    refuseAfterExit(config, clock.now())
    const resolved = await resolve(config, order.mode)
    if ('failure' in resolved) {
      throw resolveError(resolved.failure)
    }
    refuseEnded(config, resolved, clock.now())
    return { strategy, config, resolved, order }
  }

  #refuseUnfinished({ id, status }: StoredStrategy): void {
    this.#refuseReserved(id)
    const isBusy = this.#active.get(id)?.hasEnded === false || status === 'running'
    if (isBusy) throw new ServiceError('conflict', ALREADY_RUNNING)
  }

  /** Claims the strategy and stores the run. From here on the run survives a crash. */
  async #begin({ strategy, config, resolved, order }: Opening): Promise<ActiveRun> {
    const { broker, clock } = this.#ports
    const { id: strategyId, name, userId } = strategy
    const at = clock.now()
    refuseAfterExit(config, at)
    refuseEnded(config, resolved, at)
    const earlier = await this.#store.realizedSince(strategyId, order.mode, sessionStart(at))
    refuseAfterLosses(config, earlier)
    refuseUnreviewed(order, strategy, broker.brokerId)
    const { mode, trigger, webhookEventId } = order
    const { accountId } = broker
    const runBroker = mode === 'live' ? broker.brokerId : 'sandbox'
    const claimed = await this.#store.claim(
      {
        config: strategy.config,
        ...{ strategyId, mode, trigger, webhookEventId, expiries: resolved.expiries, at },
        broker: runBroker,
      },
      (runId): RunDefinition => ({
        ...{ runId, strategyId, strategyName: name, kind: config.strategy_kind, mode, trigger },
        legs: resolved.legs,
        ...(resolved.unusable.length > 0 && { unusable: resolved.unusable }),
        risk: runRisk(config),
        earlierRealized: fromMoney(earlier),
        ...(mode === 'live' && { accountId }),
        exitAt: exitMoment(config, at),
        date: istDate(at),
      }),
    )
    if ('refused' in claimed) throw claimError(claimed.refused)
    crashPoint('strategies.claim.afterCommit')
    const run = this.#activate(StrategyRun.start(claimed.definition, this.#ids(mode === 'live'), at), {
      userId,
      broker: runBroker,
    })
    if (resolved.events.length > 0) run.perform(resolved.events.map((event) => ({ type: 'event', event })))
    return run
  }

  #activate(run: Run, owner: { userId: string; broker: string }): ActiveRun {
    const active = this.#inMemory(run, owner, false)
    this.#active.set(active.strategyId, active)
    this.#scheduleRound()
    return active
  }

  #keepEnded(run: Run, owner: { userId: string; broker: string }): ActiveRun {
    const ended = this.#inMemory(run, owner, true)
    this.#keep(ended)
    return ended
  }

  #inMemory(run: Run, owner: { userId: string; broker: string }, hasEnded: boolean): ActiveRun {
    const { calendar, clock, compareSoon, log, orders, publish } = this.#ports
    const made = new ActiveRun(run, {
      ...{ calendar, clock, compareSoon, log, orders, publish, ...owner, hasEnded },
      ...{ store: this.#store, feed: this.feed, restored: this.#restored },
      onOrder: (orderRef) => this.#byOrder.set(orderRef, made),
      beforeExit: (exits) => this.#accounts.beforeExit(exits),
      onFinished: () => this.#onFinished(made),
    })
    return made
  }

  #onFinished(run: ActiveRun): void {
    if (this.#active.get(run.strategyId) === run) this.#active.delete(run.strategyId)
    this.feed.release(run)
    this.#keep(run)
    void this.#guarded('queued entries', () => this.#queued.rejectUnwanted())
  }

  /** Keeps a run that is over, for its late fills. The oldest flat one makes room. */
  #keep(run: ActiveRun): void {
    this.#finished.push(run)
    this.#scheduleRound()
    if (this.#finished.length <= KEPT_FINISHED) return
    const oldest = this.#finished.findIndex(({ isOpen }) => !isOpen)
    if (oldest >= 0) this.#forget(this.#finished.splice(oldest, 1)[0])
  }

  #forget(run: ActiveRun | undefined): void {
    if (!run) return
    for (const ref of run.orderRefs) this.#byOrder.delete(ref)
    this.#ports.orders.changes.forget(run.orderRefs)
  }

  #onOrders(states: readonly StrategyOrderState[]): void {
    for (const state of states) {
      const run = this.#byOrder.get(state.orderRef)
      run?.order(state)
      if (run && state.filledQuantity > 0) this.#accounts.noteFill(run)
    }
  }

  /** An exit has a row later than an order at the broker if the disk refused it. */
  async #ofRuns(orderRefs: readonly string[]): Promise<Set<string>> {
    const inMemory = orderRefs.filter((ref) => this.#byOrder.has(ref))
    const others = orderRefs.filter((ref) => !this.#byOrder.has(ref))
    const stored = others.length === 0 ? [] : await this.#store.knownOf(others)
    return new Set([...inMemory, ...stored])
  }

  #onReset(userIds: readonly string[]): void {
    for (const run of [...this.#active.values(), ...this.#finished]) {
      const { account } = run
      if (account.mode === 'analyze' && userIds.includes(account.userId)) run.lose(ACCOUNT_RESET)
    }
  }

  #onBroker(): void {
    for (const run of [...this.#active.values(), ...this.#finished])
      run.noteBroker(this.#ports.broker.brokerId)
    this.#accounts.soon()
  }

  #refuseReserved(strategyId: number): void {
    const run = this.#reserved.of(strategyId)
    if (run) throw new ServiceError('conflict', refusalOf(run))
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
    this.#refuseReserved(strategyId)
    throw new ServiceError('conflict', NOT_RUNNING)
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

  /** Gives every run its limits of now, retries and sweeps it, and stores the checkpoints of those that changed. */
  async #doRound(): Promise<void> {
    const runs = [...this.#active.values()]
    await this.#guarded('limits', () => this.#limit(runs))
    this.#sessions.look([...runs, ...this.#finished.filter(({ isOpen }) => isOpen)])
    for (const run of runs) await run.sweep()
    for (const run of this.#finished) await run.sweep()
    // A slow broker must not hold up the retries of the next round.
    void this.#accounts.compare()
    await this.#guarded('checkpoints', () => this.#checkpoints.save(runs))
  }

  /** The calendar, the square-off times and the freeze quantities may change while a run is open. */
  async #limit(runs: readonly ActiveRun[]): Promise<void> {
    const { clock, limits } = this.#ports
    for (const mode of RUN_MODES) {
      const open = runs.filter(({ definition }) => definition.mode === mode)
      if (open.length === 0) continue
      const sources = await limits(mode)
      for (const run of open) {
        run.apply({ type: 'limits', at: clock.now(), legs: limitsOf(run.definition, sources) })
      }
    }
  }

  async #guarded(part: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#ports.log.error('strategy_runs.failed', { part, error: messageOf(error) })
    }
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
