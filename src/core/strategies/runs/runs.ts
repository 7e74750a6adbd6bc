import { publicMessageOf, ServiceError } from '../../errors/index.js'
import type { StrategyOrderState } from '../../orders/index.js'
import type { StopReason } from '../config/index.js'
import type { RunReply } from '../engine/index.js'
import { AccountCheck } from './account/account-check.js'
import type { ActiveRun } from './active-run.js'
import { PriceFeed } from './feed.js'
import { RunOpener } from './opening/run-opener.js'
import { RunSignals } from './opening/run-signals.js'
import { StopRequests, StrategyQueue } from './opening/strategy-queue.js'
import type { FeedSettings, RunPorts } from './ports.js'
import { ACCOUNT_RESET, followEnded, recoverRuns } from './recovery.js'
import { QueuedEntries } from './reserved/queued-entries.js'
import { ReservedRuns, refusalOf } from './reserved/reserved-runs.js'
import { Rounds, runLogged } from './rounds/rounds.js'
import { RunsInMemory } from './runs-in-memory.js'
import { RunScheduler } from './scheduler.js'
import type {
  ClosedLeg,
  ReservedRun,
  RunRelease,
  SignalledLeg,
  SignalOrder,
  StartedRun,
  StartOrder,
  StoppedRun,
  UnfinishedRun,
} from './schema.js'
import { LATE_MS, type RunStore } from './store/run-store.js'

const NOT_RUNNING = 'This strategy is not running'

/** The states of an order that ended, perhaps without a fill. */
const ENDED_UNFILLED: ReadonlySet<string> = new Set<StrategyOrderState['status']>([
  'cancelled',
  'rejected',
  'unsent',
])

/**
 * Runs strategies: connects the runs in memory with everything that opens, stops and follows them. Each strategy has at
 * most one unfinished run, which the database guarantees. See {@link ActiveRun} for one run. Errors are `ServiceError`s with
 * the texts the caller sees. A caller checks the owner first: the methods trust the id.
 */
export class RunService {
  readonly feed: PriceFeed
  readonly #ports: RunPorts
  readonly #store: RunStore
  readonly #runs: RunsInMemory
  readonly #turns = new StrategyQueue()
  readonly #stops = new StopRequests()
  readonly #opener: RunOpener
  readonly #signals: RunSignals
  readonly #rounds: Rounds
  readonly #scheduler: RunScheduler
  readonly #accounts: AccountCheck
  readonly #reserved: ReservedRuns
  readonly #queued: QueuedEntries
  /** Resolves when the runs of the last process are restored. */
  readonly #restored: Promise<void>
  #tellRestored: () => void = () => undefined

  constructor(ports: RunPorts, store: RunStore, feed: FeedSettings) {
    this.#ports = ports
    this.#store = store
    this.#restored = new Promise((resolve) => {
      this.#tellRestored = resolve
    })
    this.feed = new PriceFeed(ports, feed)
    const runs = new RunsInMemory({
      ...ports,
      store,
      feed: this.feed,
      restored: this.#restored,
      beforeExit: (exits) => this.#accounts.beforeExit(exits),
      onAdded: () => this.#rounds.schedule(),
      onFinished: (run) => this.#onFinished(run),
    })
    this.#runs = runs
    const reserved = new ReservedRuns({ ...ports, store })
    this.#reserved = reserved
    this.#queued = new QueuedEntries({ ...ports, store, runOf: (orderRef) => runs.ofOrder(orderRef) })
    this.#opener = new RunOpener({ ...ports, store, runs, reserved })
    this.#signals = new RunSignals({ ...ports, store, runs, reserved, opener: this.#opener })
    this.#accounts = new AccountCheck({
      ...ports,
      runs: () => runs.all().sort((a, b) => a.runId - b.runId),
      unmanaged: (account) => reserved.held(account),
      ofRuns: (orderRefs) => runs.knownOf(orderRefs),
    })
    this.#rounds = new Rounds({
      ...ports,
      runs,
      checkpoints: store.checkpoints,
      compareAccounts: () => this.#accounts.compare(),
    })
    this.#scheduler = new RunScheduler({
      ...ports,
      store,
      start: (id, mode) => this.start(id, { mode, trigger: 'scheduler' }),
      stop: (id) => this.stop(id, 'scheduler'),
      isActive: (id) => this.unfinished(id) !== undefined,
      isOpening: (id) => this.#turns.isBusy(id),
    })
  }

  /**
   * Restores the unfinished runs, then follows orders, prices and schedules. A part that fails is logged, and the others
   * still start.
   */
  async open(): Promise<void> {
    const { clock, log, orders } = this.#ports
    orders.changes.listen((states) => this.#onOrders(states))
    orders.changes.listenToOthers(() => this.#accounts.soon())
    orders.listenToResets((userIds) => this.#onReset(userIds))
    orders.listenToBroker({
      onSession: () => this.#onBroker(),
      onSessionEnd: (broker, nextStep) =>
        this.#runs.all().flatMap((run) => run.noteSessionEnd(broker, nextStep) ?? []),
      heldAt: (broker) => this.#runs.all().flatMap((run) => run.heldText(broker) ?? []),
    })
    this.#queued.guard()
    const recovery = { ports: this.#ports, store: this.#store, runs: this.#runs, reserved: this.#reserved }
    await runLogged(log, 'recovery', () => recoverRuns(recovery))
    await runLogged(log, 'deleted strategies', () => this.#store.removeDeleted(clock.ago(LATE_MS)))
    await runLogged(log, 'late fills', () => followEnded(recovery))
    // Not earlier: an account holds the positions of all runs, and a run that is missing would look like somebody else.
    this.#accounts.begin()
    this.#tellRestored()
    await runLogged(log, 'checkpoints', () => this.#store.checkpoints.pruneAll())
    await runLogged(log, 'queued entries', () => this.#queued.rejectUnwanted())
    await runLogged(log, 'scheduler', async () => this.#scheduler.start())
  }

  /** Stops following. Positions stay as they are: the next start takes them up again. */
  async close(): Promise<void> {
    // From here on nothing opens a run, and no round begins.
    const turns = this.#turns.stop()
    const rounds = this.#rounds.stop()
    await this.#scheduler.stop()
    await turns
    await rounds
    await this.feed.stop()
    await this.#ports.orders.changes.stop()
    await this.#accounts.stop()
    await this.#runs.settled()
  }

  /** Returns the unfinished run of a strategy in memory. */
  active(strategyId: number): ActiveRun | undefined {
    return this.#runs.of(strategyId)
  }

  /** Resolves when all inputs until now are stored and answered; for tests. */
  async settled(): Promise<void> {
    await this.#ports.orders.changes.settled()
    await this.#accounts.settled()
    await this.#runs.settled()
  }

  /** Starts a batch strategy. @throws ServiceError `validation` for a signal strategy, `conflict` if it runs or the mode is not allowed */
  async start(strategyId: number, order: StartOrder): Promise<StartedRun> {
    const { reply, run } = await this.#turns.take(strategyId, async () => {
      const run = await this.#opener.open(strategyId, order)
      return { run, reply: run.request((request, at) => ({ type: 'start', at, request })) }
    })
    const { entries, error, ok } = await reply
    if (!ok) throw new ServiceError('refused', error ?? 'Every entry order was rejected.')
    return { runId: run.runId, mode: order.mode, legs: entries }
  }

  /** Stores the stop, then closes every position of the run. @throws ServiceError `conflict` if nothing runs */
  async stop(strategyId: number, reason: StopReason): Promise<StoppedRun> {
    this.#stops.note(strategyId)
    await this.#opened(strategyId)
    await this.#reserved.noteStop(strategyId, reason)
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({ type: 'stop', reason, at, request }))
    return stoppedRun(run, reply)
  }

  /** Returns whether a run is open, or is about to open, that nobody has stopped yet. */
  needsStop(strategyId: number): boolean {
    return this.#turns.isBusy(strategyId) || this.#runs.of(strategyId)?.snapshot().state === 'running'
  }

  /** Closes every position at the request of the operator; with nothing left the run ends. */
  async closeAll(strategyId: number): Promise<StoppedRun> {
    this.#stops.note(strategyId)
    await this.#opened(strategyId)
    await this.#reserved.noteStop(strategyId, 'manual')
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({
      type: 'stop',
      reason: 'manual',
      closeAll: true,
      at,
      request,
    }))
    return stoppedRun(run, reply)
  }

  /** Closes the positions of one leg. @throws ServiceError `conflict` if nothing runs or the leg is not open */
  async closeLeg(strategyId: number, legId: number): Promise<ClosedLeg> {
    const run = this.#running(strategyId)
    const reply = await run.request((request, at) => ({ type: 'close_leg', legId, at, request }))
    if (!reply.ok) throw new ServiceError('conflict', reply.error ?? 'That leg is not open')
    const { definition, hasEnded: runStopped, runId } = run
    return { runId, mode: definition.mode, legId, runStopped, exits: reply.exits.map(exitOf) }
  }

  /** Stops the run, if there is one, after the webhook was locked. Undefined if nothing ran. Never throws for refused exits. */
  async kill(strategyId: number): Promise<StoppedRun | undefined> {
    this.#stops.note(strategyId)
    await this.#opened(strategyId)
    const reserved = await this.#reserved.noteStop(strategyId, 'manual')
    if (reserved) {
      const { runId } = reserved
      // Only live runs are reserved.
      const refused = refusalOf(reserved)
      return { runId, mode: 'live', stopPending: false, exits: [], refused, isReserved: true }
    }
    const run = this.#runs.of(strategyId)
    if (!run || run.hasEnded) return undefined
    const reply = await run.request((request, at) => ({ type: 'stop', reason: 'manual', at, request }))
    return stoppedRun(run, reply)
  }

  /** Returns the unfinished run of a strategy. */
  unfinished(strategyId: number): UnfinishedRun | undefined {
    const reserved = this.#reserved.of(strategyId)
    if (reserved) return { runId: reserved.runId, state: 'reserved' }
    const run = this.#runs.of(strategyId)
    if (!run || run.state === 'finished') return undefined
    return { runId: run.runId, state: run.state }
  }

  /** Returns the reserved runs of all strategies. */
  reserved(): ReservedRun[] {
    return this.#reserved.all()
  }

  /**
   * Reserves the live runs of a home that was restored from a backup. Called before {@link open}.
   * @returns whether that is durable
   */
  reserveRestored(source: string): Promise<boolean> {
    return this.#reserved.reserveRestored(source)
  }

  /** Ends a reserved run and frees its strategy. @throws ServiceError `conflict` while an order of it may still trade, or its account shows a position */
  async release(strategyId: number, runId: number, release: RunRelease): Promise<void> {
    await this.#turns.take(strategyId, async () => {
      await this.#queued.rejectUnwanted()
      await this.#reserved.release(strategyId, runId, release)
    })
  }

  /** Acts on a signal by the position of its leg. The first entry of a session opens the run. */
  async signal(strategyId: number, order: SignalOrder): Promise<SignalledLeg> {
    const isStopped = this.#stops.since(strategyId)
    const given = await this.#turns.take(strategyId, () => this.#signals.give(strategyId, order, isStopped))
    if (!given) return { runId: null, note: 'no_matching_position', refused: null }
    const { error, note, ok } = await given.reply
    return { runId: given.run.runId, note, refused: ok ? null : (error ?? 'The signal was refused') }
  }

  #onOrders(states: readonly StrategyOrderState[]): void {
    for (const state of states) {
      const run = this.#runs.ofOrder(state.orderRef)
      run?.order(state)
      if (run && state.filledQuantity > 0) this.#accounts.noteFill(run)
    }
    // A sale that waits for approval may have lost its hedge.
    if (states.some(({ status }) => ENDED_UNFILLED.has(status))) this.#rejectUnwanted()
  }

  #onReset(userIds: readonly string[]): void {
    for (const run of this.#runs.all()) {
      const { account } = run
      if (account.mode === 'analyze' && userIds.includes(account.userId)) run.lose(ACCOUNT_RESET)
    }
  }

  #onBroker(): void {
    for (const run of this.#runs.all()) run.noteBroker(this.#ports.broker.brokerId)
    this.#accounts.soon()
  }

  #onFinished(run: ActiveRun): void {
    this.feed.release(run)
    this.#rejectUnwanted()
  }

  #rejectUnwanted(): void {
    void runLogged(this.#ports.log, 'queued entries', async () => {
      // Not earlier: a run that is not restored yet would look like one that is over.
      await this.#restored
      await this.#queued.rejectUnwanted()
    })
  }

  #running(strategyId: number): ActiveRun {
    const run = this.#runs.of(strategyId)
    if (run && !run.hasEnded) return run
    this.#reserved.refuse(strategyId)
    throw new ServiceError('conflict', NOT_RUNNING)
  }

  /** Waits for a start that still looks up its contracts: it has no run in memory yet. */
  async #opened(strategyId: number): Promise<void> {
    if (!this.#runs.of(strategyId)) await this.#turns.take(strategyId, async () => undefined)
  }
}

function stoppedRun(run: ActiveRun, { error, exits, ok, stopPending }: RunReply): StoppedRun {
  const refused = ok ? null : (error ?? publicMessageOf(undefined))
  const { definition, runId } = run
  return { runId, mode: definition.mode, stopPending, exits: exits.map(exitOf), refused }
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
