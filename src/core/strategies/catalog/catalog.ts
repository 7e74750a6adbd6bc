import { ServiceError } from '../../errors/index.js'
import type { Tx } from '../../storage/index.js'
import { type Clock, mapInTurns, Pace } from '../../time/index.js'
import {
  type ConfigResult,
  invalidStrategy,
  type LotSizeOf,
  lotProblems,
  readStrategy,
  type StrategyConfig,
  type StrategyStatus,
} from '../config/index.js'
import type { EventKind } from '../config/vocabulary.js'
import { LATE_MS } from '../runs/store/run-store.js'
import {
  type PublishEvent,
  type StrategyEvent,
  type StrategyEventStore,
  storedEvent,
} from '../store/event-store.js'
import type { FinalizedRun, NewStrategyRow, StrategyRow, StrategyStore } from '../store/strategy-store.js'
import type { ListedVersion, StrategyVersionStore } from '../store/version-store.js'
import {
  type ChangeAuthor,
  type ChangeSource,
  changeMessage,
  eventSource,
  fileColumns,
  UNKNOWN_AUTHOR,
  versionSource,
} from './change-source.js'
import { changedFields, columnsOf, mergedFields } from './fields.js'
import { isRunning, type Strategy, strategyOf } from './strategy.js'
import { newWebhookToken, webhookTokenHash } from './token.js'

/** Most strategies of one user, so that a list stays a list. */
const MAX_STRATEGIES = 1000
/** The strategies whose configuration is read in one turn of the event loop. */
const STRATEGIES_A_TURN = 50

const REOPENED = 'The last run of the strategy squares off a fill that came late: wait until it is flat'

/** The event of a change. */
interface SetEvent {
  kind: EventKind
  message: string
}

/** The strategies that a list is limited to. `q` is a part of the name or of the underlying. */
export interface StrategyFilter {
  status?: StrategyStatus | undefined
  q?: string | undefined
}

export interface ListedStrategy {
  strategy: Strategy
  last: FinalizedRun | undefined
}

/** A strategy and its webhook token, which is shown only now. */
export interface WithToken {
  strategy: Strategy
  webhookToken: string
}

/** The version that a rollback restores, and the current one that the caller has seen. */
export interface Rollback {
  version: number
  expect?: number | undefined
}

interface CatalogParts {
  store: StrategyStore
  events: StrategyEventStore
  versions: StrategyVersionStore
  clock: Clock
  /** Without it no lot size is known. */
  lotSizeOf?: LotSizeOf
  /** Called with each event once it is durable. */
  publish?: PublishEvent
}

/**
 * The strategies of all users. Every change is one transaction with its event, and with its version if it changes the
 * configuration. It reads the strategy in that transaction, so it never meets a run that has begun since.
 */
export class StrategyCatalog {
  readonly #store: StrategyStore
  readonly #events: StrategyEventStore
  readonly #versions: StrategyVersionStore
  readonly clock: Clock
  readonly #lotSizeOf: LotSizeOf
  readonly #publish: PublishEvent
  /** The events of each transaction. They are published after its commit. */
  readonly #recorded = new WeakMap<Tx, StrategyEvent[]>()

  constructor(parts: CatalogParts) {
    const { store, events, versions, clock, lotSizeOf = () => undefined, publish = () => undefined } = parts
    this.#store = store
    this.#events = events
    this.#versions = versions
    this.clock = clock
    this.#lotSizeOf = lotSizeOf
    this.#publish = publish
  }

  /** A thousand configurations take long to read, so others go first in between. */
  #strategiesOf(rows: readonly StrategyRow[]): Promise<Strategy[]> {
    return mapInTurns(rows, new Pace(this.clock, STRATEGIES_A_TURN), strategyOf)
  }

  /** Returns a strategy as a list has it. @throws ServiceError `not_found` */
  async listed(userId: string, id: number): Promise<ListedStrategy> {
    const [strategy, last] = await Promise.all([this.get(userId, id), this.#store.lastFinalized(userId)])
    return { strategy, last: last.get(id) }
  }

  /** Returns the strategies of a user, newest first. */
  async list(userId: string, { status, q }: StrategyFilter = {}): Promise<ListedStrategy[]> {
    const [rows, last] = await Promise.all([this.#store.list(userId), this.#store.lastFinalized(userId)])
    const part = q?.toLowerCase() ?? ''
    const asked = rows.filter((row) => status === undefined || row.status === status)
    return (await this.#strategiesOf(asked))
      .filter(({ name, config }) =>
        [name, config.underlying].some((text) => text.toLowerCase().includes(part)),
      )
      .map((strategy) => ({ strategy, last: last.get(strategy.id) }))
  }

  /** @throws ServiceError `not_found`, also for a strategy of another user */
  async get(userId: string, id: number): Promise<Strategy> {
    return found(await this.#store.find(userId, id))
  }

  /** Returns the strategy of a webhook token; undefined for a text that is no token, and for one that was rotated. */
  async byToken(token: string): Promise<Strategy | undefined> {
    const hash = webhookTokenHash(token)
    const row = hash === undefined ? undefined : await this.#store.byTokenHash(hash)
    return row && strategyOf(row)
  }

  /** Stores a new strategy. @throws ServiceError `validation`, `conflict` */
  async create(userId: string, input: unknown, author: ChangeAuthor = UNKNOWN_AUTHOR): Promise<WithToken> {
    const config = this.#parse(input)
    return this.#write((tx) => this.createIn(tx, userId, config, { author, origin: 'edit' }))
  }

  /** Reads a configuration by its rules and by the lot sizes of its contracts. */
  read(input: unknown): ConfigResult {
    const read = readStrategy(input)
    const problems = read.config ? lotProblems(read.config, this.#lotSizeOf) : []
    return problems.length > 0 ? { problems } : read
  }

  #parse(input: unknown): StrategyConfig {
    const { config, problems } = this.read(input)
    if (config) return config
    throw invalidStrategy(problems)
  }

  async createIn(tx: Tx, userId: string, config: StrategyConfig, source: ChangeSource): Promise<WithToken> {
    await this.#refuseTakenName(tx, userId, config.name)
    if ((await this.#store.countIn(tx, userId)) >= MAX_STRATEGIES) {
      throw new ServiceError('refused', `A user may have at most ${MAX_STRATEGIES} strategies`)
    }
    const now = this.clock.now()
    const { token, hash } = newWebhookToken()
    const row = await this.#store.insertIn(tx, {
      ...columnsOf(config),
      ...fileColumns(source),
      userId,
      webhookTokenHash: hash,
      createdAt: now,
      updatedAt: now,
    })
    await this.#addVersion(tx, row, source)
    await this.#record(tx, row, 'strategy_created', `Strategy '${config.name}' created`, eventSource(source))
    return { strategy: strategyOf(row), webhookToken: token }
  }

  /** Changes the given fields; the whole result must be a valid configuration. @throws ServiceError `validation`, `conflict`, `not_found` */
  async change(
    userId: string,
    id: number,
    patch: unknown,
    author: ChangeAuthor = UNKNOWN_AUTHOR,
  ): Promise<Strategy> {
    return this.#write(async (tx) => {
      const before = found(await this.#store.findIn(tx, userId, id))
      const merged = this.#parse(mergedFields(before.config, patch))
      requireStopped(before)
      return this.changeIn(tx, before, merged, { author, origin: 'edit' })
    })
  }

  /**
   * Restores the configuration of an earlier version as a new version, by the rules of any other change. Returns the version
   * that is current then: an equal configuration makes none.
   * @throws ServiceError `not_found`, `validation`, `conflict`, also if the current version is not the expected one
   */
  async rollback(
    userId: string,
    id: number,
    { version, expect }: Rollback,
    author: ChangeAuthor = UNKNOWN_AUTHOR,
  ): Promise<{ strategy: Strategy; version: number }> {
    return this.#write(async (tx) => {
      const before = found(await this.#store.findIn(tx, userId, id))
      const current = await this.#currentIn(tx, id)
      if (expect !== undefined && current?.version !== expect) {
        const message = `Nothing was changed: the strategy has version ${current?.version ?? 0}, not ${expect}`
        throw new ServiceError('conflict', message)
      }
      const row = await this.#versions.find(id, version, tx)
      if (!row) throw new ServiceError('not_found', `Strategy ${id} has no version ${version}`)
      const config = this.#parse(JSON.parse(row.config))
      requireStopped(before)
      const source: ChangeSource = { author, origin: 'rollback', version, commit: row.commit }
      const strategy = await this.changeIn(tx, before, config, source)
      return { strategy, version: (await this.#currentIn(tx, id))?.version ?? version }
    })
  }

  async changeIn(tx: Tx, before: Strategy, config: StrategyConfig, source: ChangeSource): Promise<Strategy> {
    const { id, userId } = before
    const fields = changedFields(before.config, config)
    if (fields.length > 0) await this.#refuseReopened(tx, before)
    if (config.name !== before.name) await this.#refuseTakenName(tx, userId, config.name)
    const changes = { ...columnsOf(config), ...fileColumns(source), updatedAt: this.clock.now() }
    const row = await this.#store.updateIn(tx, id, changes)
    if (fields.length > 0) {
      await this.#addVersion(tx, row, source)
      const message = changeMessage(fields.join(', '), source)
      await this.#record(tx, row, 'strategy_updated', message, { fields, ...eventSource(source) })
    }
    return strategyOf(row)
  }

  async #currentIn(tx: Tx, id: number): Promise<ListedVersion | undefined> {
    return (await this.#versions.currentOf([id], tx)).get(id)
  }

  async #addVersion(tx: Tx, row: StrategyRow, source: ChangeSource): Promise<void> {
    const { config, id: strategyId, name, updatedAt: at, userId: by } = row
    const before = await this.#currentIn(tx, strategyId)
    const version = (before?.version ?? 0) + 1
    await this.#versions.insertIn(tx, {
      ...{ strategyId, version, at, by, name, config },
      ...versionSource(source, before),
    })
  }

  /**
   * Removes a strategy with its runs, orders and events. A live run that may still get a fill is only hidden.
   * @throws ServiceError `conflict`, `not_found`
   */
  async remove(userId: string, id: number): Promise<void> {
    await this.#store.write(async (tx) => {
      await this.removeIn(tx, found(await this.#store.findIn(tx, userId, id)))
    })
  }

  async removeIn(tx: Tx, strategy: Strategy): Promise<void> {
    if (isRunning(strategy)) throw new ServiceError('conflict', 'Stop the strategy before deleting it')
    await this.#refuseReopened(tx, strategy)
    // A broker may still report a fill of an order that it refused. Without its run nobody would square it off.
    const kept = await this.#store.noteOwnerIn(tx, strategy, this.clock.ago(LATE_MS))
    await this.#store.removeIn(tx, strategy.id, kept)
  }

  /** Replaces the webhook token. The old one is refused from now on. @throws ServiceError `not_found` */
  async rotateToken(userId: string, id: number): Promise<WithToken> {
    const { token, hash } = newWebhookToken()
    const strategy = await this.#set(userId, id, { webhookTokenHash: hash }, () => ({
      kind: 'webhook_token_rotated',
      message: 'Webhook token rotated',
    }))
    return { strategy, webhookToken: token }
  }

  /**
   * Allows or forbids live runs. Only the owner does this, never a webhook or an API key.
   * @throws ServiceError `conflict` while a run holds the strategy, `not_found`
   */
  setLive(userId: string, id: number, enabled: boolean): Promise<Strategy> {
    return this.#set(userId, id, { liveEnabled: enabled }, async (before, tx) => {
      if (isRunning(before)) throw new ServiceError('conflict', 'Stop the strategy before changing its mode')
      await this.#refuseReopened(tx, before)
      if (before.liveEnabled === enabled) return undefined
      return enabled
        ? { kind: 'live_enabled', message: 'Live trading enabled' }
        : { kind: 'live_disabled', message: 'Live trading disabled' }
    })
  }

  /** Locks the webhook. The caller stops the run next, and records the outcome of both. @throws ServiceError `not_found` */
  lockWebhook(userId: string, id: number): Promise<Strategy> {
    return this.#set(userId, id, { webhookLocked: true }, () => undefined)
  }

  /** Returns the strategies of all users whose lock a crash interrupted before it was recorded. */
  async unrecordedLocks(): Promise<Strategy[]> {
    return (await this.#store.unrecordedLocks()).map(strategyOf)
  }

  /** Records that the webhook was locked, with the outcome of stopping the run. */
  async recordLock({ id, userId }: Strategy, runId: number | null, message: string): Promise<void> {
    const ts = this.clock.now()
    const event = storedEvent({ strategyId: id, userId, runId, ts, kind: 'webhook_locked', message })
    await this.#events.append([event])
    this.#publish(event)
  }

  /** @throws ServiceError `not_found` */
  unlockWebhook(userId: string, id: number): Promise<Strategy> {
    return this.#set(userId, id, { webhookLocked: false }, (before) =>
      before.webhookLocked ? { kind: 'webhook_unlocked', message: 'Webhook unlocked' } : undefined,
    )
  }

  /** Returns the current versions of strategies: their number, and where they came from. */
  versions(strategies: readonly Pick<Strategy, 'id'>[], tx?: Tx): Promise<Map<number, ListedVersion>> {
    const ids = strategies.map(({ id }) => id)
    return this.#versions.currentOf(ids, tx)
  }

  /** Runs several changes that succeed or fail together, on the strategies as they are then. */
  together<T>(userId: string, act: (tx: Tx, strategies: Strategy[]) => Promise<T>): Promise<T> {
    return this.#write(async (tx) => act(tx, await this.#strategiesOf(await this.#store.listIn(tx, userId))))
  }

  /** Changes state besides the configuration, and records the event that `eventOf` gives. */
  async #set(
    userId: string,
    id: number,
    changes: Partial<NewStrategyRow>,
    eventOf: (before: Strategy, tx: Tx) => SetEvent | undefined | Promise<SetEvent | undefined>,
  ): Promise<Strategy> {
    return this.#write(async (tx) => {
      const before = found(await this.#store.findIn(tx, userId, id))
      const event = await eventOf(before, tx)
      const row = await this.#store.updateIn(tx, id, { ...changes, updatedAt: this.clock.now() })
      if (event) await this.#record(tx, row, event.kind, event.message)
      return strategyOf(row)
    })
  }

  /** Runs a change in one transaction. */
  async #write<T>(change: (tx: Tx) => Promise<T>): Promise<T> {
    const recorded: StrategyEvent[] = []
    const result = await this.#store.write((tx) => {
      this.#recorded.set(tx, recorded)
      return change(tx)
    })
    for (const event of recorded) this.#publish(event)
    return result
  }

  /** The rows of a run must stay as they are until its late fill is squared off. */
  async #refuseReopened(tx: Tx, { id }: Strategy): Promise<void> {
    if (await this.#store.isReopenedIn(tx, id)) throw new ServiceError('conflict', REOPENED)
  }

  async #refuseTakenName(tx: Tx, userId: string, name: string): Promise<void> {
    if ((await this.#store.idOfNameIn(tx, userId, name)) === undefined) return
    throw new ServiceError('conflict', `A strategy named '${name}' already exists`)
  }

  async #record(
    tx: Tx,
    { id, userId }: StrategyRow,
    kind: EventKind,
    message: string,
    payload?: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const event = storedEvent({ strategyId: id, userId, ts: this.clock.now(), kind, message, payload })
    await this.#events.appendIn(tx, event)
    this.#recorded.get(tx)?.push(event)
  }
}

function requireStopped(strategy: Strategy): void {
  if (isRunning(strategy)) throw new ServiceError('conflict', 'Stop the strategy before editing it')
}

function found(row: StrategyRow | undefined): Strategy {
  if (row) return strategyOf(row)
  throw new ServiceError('not_found', 'Strategy not found')
}
