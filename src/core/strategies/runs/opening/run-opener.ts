import { randomBytes } from 'node:crypto'
import { crashPoint, ServiceError } from '../../../errors/index.js'
import { fromMoney, type Money } from '../../../money/index.js'
import { istDate, sessionStart } from '../../../time/index.js'
import { readConfig } from '../../catalog/strategy.js'
import { exitMoment, type RunMode, type StrategyConfig } from '../../config/index.js'
import type { IdMaker } from '../../engine/index.js'
import { type RunDefinition, StrategyRun } from '../../engine/index.js'
import { type ResolvedLegs, runRisk } from '../../resolve/index.js'
import type { ActiveRun } from '../active-run.js'
import type { RunPorts } from '../ports.js'
import type { ReservedRuns } from '../reserved/reserved-runs.js'
import type { RunsInMemory } from '../runs-in-memory.js'
import type { SignalOrder, StartOrder } from '../schema.js'
import type { RunStore, StoredStrategy } from '../store/run-store.js'
import {
  ALREADY_RUNNING,
  type BrokerAccount,
  CHANGED,
  claimError,
  NOT_LIVE,
  refuseAfterExit,
  refuseAfterLosses,
  refuseEnded,
  refuseSwitched,
  refuseUnreviewed,
  refuseUnusable,
  resolveError,
  STILL_HOLDS,
} from './refusals.js'

const SIGNAL_KIND =
  'A signal strategy has no start. Its run opens on the first long_entry or short_entry signal after the session boundary.'
const ANALYZER_MODE =
  "The service is in Analyzer mode. Switch it to Live mode, or start the strategy with mode 'sandbox'."
const NO_API_KEY = 'No API key is configured for this user'

interface OpenerParts
  extends Pick<RunPorts, 'broker' | 'clock' | 'hasApiKey' | 'mode' | 'orders' | 'resolve'> {
  store: RunStore
  runs: Pick<RunsInMemory, 'activate' | 'isSquaringOff' | 'of'>
  reserved: Pick<ReservedRuns, 'refuse'>
}

/** A request for a run that passed all checks that come before its claim. */
interface Opening {
  strategy: StoredStrategy
  config: StrategyConfig
  resolved: ResolvedLegs
  order: StartOrder
  /** The broker and its account for which the legs were looked up. */
  account: BrokerAccount
}

/**
 * Opens runs: checks the request, looks up the contracts of the legs, claims the strategy in the database and adds the run
 * to those in memory. The caller then gives the run its `start`.
 */
export class RunOpener {
  readonly #parts: OpenerParts

  constructor(parts: OpenerParts) {
    this.#parts = parts
  }

  /** Opens the run of a batch strategy. @throws ServiceError the refusal; nothing is stored then */
  async open(strategyId: number, order: StartOrder): Promise<ActiveRun> {
    const strategy = await this.#found(strategyId)
    if (readConfig(strategy).strategy_kind !== 'batch') throw new ServiceError('validation', SIGNAL_KIND)
    return this.#begin(await this.#openable(strategy, order))
  }

  /** Opens the run of a signal strategy for an entry. @throws ServiceError the refusal; nothing is stored then */
  async openForEntry(
    strategyId: number,
    { configText, legId, webhookEventId }: SignalOrder,
  ): Promise<ActiveRun> {
    const strategy = await this.#found(strategyId)
    if (configText !== undefined && configText !== strategy.config)
      throw new ServiceError('conflict', CHANGED)
    const mode = strategy.liveEnabled ? 'live' : 'sandbox'
    const opening = await this.#openable(strategy, { mode, trigger: 'webhook', webhookEventId })
    refuseUnusable(opening.resolved, legId)
    return this.#begin(opening)
  }

  async #found(strategyId: number): Promise<StoredStrategy> {
    const strategy = await this.#parts.store.strategy(strategyId)
    if (!strategy) throw new ServiceError('not_found', 'Strategy not found')
    return strategy
  }

  /** Checks a new run in the order of the refusals that its caller gets. */
  async #openable(strategy: StoredStrategy, order: StartOrder): Promise<Opening> {
    const { broker, clock, hasApiKey, mode, resolve } = this.#parts
    const config = readConfig(strategy)
    if (order.mode === 'live' && !strategy.liveEnabled) throw new ServiceError('conflict', NOT_LIVE)
    if (!hasApiKey(strategy.userId)) throw new ServiceError('refused', NO_API_KEY)
    this.#refuseUnfinished(strategy)
    if (order.mode === 'live' && mode() !== 'live') throw new ServiceError('refused', ANALYZER_MODE)
    if (order.mode === 'live') broker.requireReady()
    const { accountId, brokerId } = broker
    refuseAfterExit(config, clock.now())
    const resolved = await resolve(config, order.mode)
    if ('failure' in resolved) {
      throw resolveError(resolved.failure)
    }
    refuseEnded(config, resolved, clock.now())
    return { strategy, config, resolved, order, account: { accountId, brokerId } }
  }

  #refuseUnfinished({ id, status }: StoredStrategy): void {
    const { reserved, runs } = this.#parts
    reserved.refuse(id)
    const isBusy = runs.of(id)?.hasEnded === false || status === 'running'
    if (isBusy) throw new ServiceError('conflict', ALREADY_RUNNING)
    if (runs.isSquaringOff(id)) throw new ServiceError('conflict', STILL_HOLDS)
  }

  /** Claims the strategy and stores the run. From here on the run survives a crash. */
  async #begin(opening: Opening): Promise<ActiveRun> {
    const { broker, clock, runs, store } = this.#parts
    const { account, config, order, resolved, strategy } = opening
    const { id: strategyId, userId } = strategy
    const at = clock.now()
    refuseAfterExit(config, at)
    refuseEnded(config, resolved, at)
    const earlier = await store.realizedSince(strategyId, order.mode, sessionStart(at))
    refuseAfterLosses(config, earlier)
    refuseUnreviewed(order, strategy, broker.brokerId)
    const { mode, trigger, webhookEventId } = order
    if (mode === 'live') refuseSwitched(account, broker)
    const { accountId, brokerId } = account
    const runBroker = mode === 'live' ? brokerId : 'sandbox'
    const claimed = await store.claim(
      {
        config: strategy.config,
        strategyId,
        mode,
        trigger,
        webhookEventId,
        expiries: resolved.expiries,
        at,
        broker: runBroker,
      },
      (runId) => definitionOf(opening, { runId, accountId, earlier, at }),
    )
    if ('refused' in claimed) throw claimError(claimed.refused)
    crashPoint('strategies.claim.afterCommit')
    const run = runs.activate(
      StrategyRun.start(claimed.definition, idsOf(this.#parts, mode), at, clock.monotonic()),
      {
        userId,
        broker: runBroker,
      },
    )
    if (resolved.events.length > 0) run.perform(resolved.events.map((event) => ({ type: 'event', event })))
    return run
  }
}

/** The facts about a run that are known at its claim. */
interface ClaimFacts {
  runId: number
  /** The account that is signed in at the broker. */
  accountId: string | undefined
  /** The realised profit of the runs of this session before it. */
  earlier: Money
  at: number
}

function definitionOf(
  { config, order: { mode, trigger }, resolved, strategy }: Opening,
  { accountId, at, earlier, runId }: ClaimFacts,
): RunDefinition {
  return {
    runId,
    strategyId: strategy.id,
    strategyName: strategy.name,
    kind: config.strategy_kind,
    mode,
    trigger,
    legs: resolved.legs,
    ...(resolved.unusable.length > 0 && { unusable: resolved.unusable }),
    risk: runRisk(config),
    earlierRealized: fromMoney(earlier),
    ...(mode === 'live' && { accountId }),
    exitAt: exitMoment(config, at),
    date: istDate(at),
  }
}

/** Returns the maker of the references under which a run of this mode stores its orders and positions. */
export function idsOf({ orders }: Pick<RunPorts, 'orders'>, mode: RunMode): IdMaker {
  return {
    order: () => orders.newReference(mode === 'live' ? 'live' : 'analyze'),
    position: () => randomBytes(16).toString('hex'),
  }
}
