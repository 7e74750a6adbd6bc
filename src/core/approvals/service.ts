import { messageOf, ServiceError, type Veto } from '../errors/index.js'
import type { EventBus } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { SymbolRef } from '../market/schema.js'
import type { Database, Tx } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { Approver } from './approver.js'
import { bookkeepingOf, checkedResult, shouldQueue } from './execution.js'
import { Expiry } from './expiry.js'
import { instrumentsOf, sideOf, withoutKey } from './payload.js'
import { priceColumn, pricesColumn } from './prices/drift.js'
import { LatePrices } from './prices/late-prices.js'
import type {
  ApprovalExecutor,
  ApprovalOutcome,
  ApprovalPayload,
  ApprovalQuery,
  ApprovalResult,
  ApprovalSettings,
  ApproveAllOutcome,
  Expectation,
  ExpectationOfAll,
  LastPrice,
  QueuedMode,
} from './schema.js'
import { type ApprovalStatistics, StatisticsBook } from './statistics.js'
import { ApprovalStore, type PendingOrderRow } from './store.js'
import { ApprovalList, type ApprovalPage, type PendingOrderView, viewOf } from './view.js'
import { type WaitingOrder, waitingOrders } from './waiting.js'

export interface ApprovalsOptions {
  database: Database
  clock: Clock
  settings: ApprovalSettings
  events: Pick<EventBus, 'publishPaced'>
  log: Logger
  lastPrice: LastPrice
  /** Reads the last prices of orders that were queued without one, by `symbolKey`; without it they keep none. */
  lastPrices?: (refs: readonly SymbolRef[]) => Promise<ReadonlyMap<string, number>>
  /** The user's order mode, from memory; undefined for an unknown user. */
  orderMode: (userId: string) => string | undefined
  /** Whether the user has an API key, from memory. */
  hasApiKey: (userId: string) => boolean
  /** The current trading mode. The queue stores it with each request, for the person who decides. */
  tradingMode: () => QueuedMode
  /** Whether the live orders of assistants wait for approval, whatever the order mode. */
  assistantsPropose: () => boolean
  /** Aborted when the service stops: orders that are not approved by then stay pending. */
  stopping: AbortSignal
}

interface EnqueueOptions {
  /** Last price in rupees of the request's single instrument, stored for the drift check. */
  ltp?: number | undefined
  /** The last prices of a request with several instruments, by `symbolKey`. */
  prices?: ReadonlyMap<string, number>
  /** Writes in the same transaction as the row. */
  alongside?: (tx: Tx, pendingOrderId: number) => Promise<void>
  /** The order of a strategy's run: the reference that it will have once it is approved, and the run's broker. */
  ofRun?: { orderRef: string; broker: string }
}

const DEFAULT_REASON = 'No reason provided'
const noVeto: Veto = () => undefined
const ANYTHING: Expectation = {}

/**
 * The approval queue (docs/api.md, "Action Center"). A row is decided once: approve, reject and expire are
 * each one conditional update from `pending`. When several callers race, exactly one wins, and only the
 * winner of an approval executes. Rows of other users count as not found.
 */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #store: ApprovalStore
  readonly #statistics = new StatisticsBook()
  readonly #list: ApprovalList
  readonly #expiry: Expiry
  readonly #latePrices: LatePrices | undefined
  readonly #running = new Set<Promise<unknown>>()
  #approver: Approver | undefined
  #onRejected: (ids: readonly number[]) => void = () => undefined

  private constructor(options: ApprovalsOptions, store: ApprovalStore) {
    this.#options = options
    this.#store = store
    this.#list = new ApprovalList(store, this.#statistics)
    const { clock, lastPrices, log } = options
    this.#expiry = new Expiry({
      clock,
      store,
      expired: (rows) => this.#expired(rows),
      failed: (fault) => log.error('approvals.expiry_failed', { message: messageOf(fault) }),
    })
    this.#latePrices =
      lastPrices &&
      new LatePrices({
        clock,
        lastPrices,
        store: (rows) => store.price(rows),
        failed: (fault) => log.warn('approvals.price_failed', { message: messageOf(fault) }),
      })
  }

  static async open(options: ApprovalsOptions): Promise<Approvals> {
    const store = await ApprovalStore.open(options.database)
    const approvals = new Approvals(options, store)
    for (const tally of await store.tallies()) approvals.#statistics.add(tally, tally.count)
    return approvals
  }

  /**
   * Sets the executor, asks it about every execution that a crash interrupted, and starts to expire rows.
   * Nothing can be approved before. Resolves with the number of rows that remain in doubt.
   */
  async start(executor: ApprovalExecutor): Promise<{ inDoubt: number }> {
    const approver = this.#approverWith(executor)
    let inDoubt = 0
    for (const row of await this.#store.interrupted()) {
      const result = await approver.resume(row)
      if (!result || !(await this.settle(row.id, result))) inDoubt += 1
    }
    this.#approver = approver
    await this.#expiry.start()
    return { inDoubt }
  }

  /** Stops expiring rows and waits for running executions. */
  async close(): Promise<void> {
    this.#expiry.stop()
    await this.#latePrices?.stop()
    await Promise.allSettled(this.#running)
  }

  /**
   * Returns whether this user's call waits for approval instead of executing: in semi-auto mode it may, and so may
   * the live order of an assistant (`source` is `mcp`).
   */
  shouldQueue(userId: string, operation: string, source?: string): boolean {
    const { assistantsPropose, orderMode, tradingMode } = this.#options
    const proposes = source === 'mcp' && tradingMode() === 'live' && assistantsPropose()
    return shouldQueue(() => (proposes ? 'semi_auto' : orderMode(userId)), operation)
  }

  /**
   * Stores a request for approval and resolves with its id once it is durable.
   * @throws ServiceError of the storage, or `internal` "Failed to queue order"
   */
  async enqueue(
    userId: string,
    operation: string,
    payload: ApprovalPayload,
    options: EnqueueOptions = {},
  ): Promise<number> {
    const { clock, settings, events, tradingMode } = this.#options
    const createdAt = clock.now()
    const expiresAt = settings.expirySeconds > 0 ? createdAt + settings.expirySeconds * 1000 : undefined
    const side = sideOf(operation, payload)
    const createdLtp = priceColumn(options.ltp)
    const id = await this.#store
      .insert(
        {
          userId,
          operation,
          orderData: JSON.stringify(withoutKey(payload)),
          createdAt,
          side,
          createdLtp,
          createdPrices: pricesColumn(options.prices),
          queuedMode: tradingMode(),
          expiresAt: expiresAt ?? null,
          executionRef: options.ofRun?.orderRef ?? null,
          broker: options.ofRun?.broker ?? null,
        },
        options.alongside,
      )
      .catch((error: unknown) => {
        if (error instanceof ServiceError) throw error
        throw new ServiceError('internal', 'Failed to queue order', { cause: error })
      })
    this.#statistics.add({ userId, status: 'pending', operation, side }, 1)
    if (expiresAt !== undefined) this.#expiry.add(id, expiresAt - createdAt)
    const [ref] = 'symbol' in payload ? instrumentsOf(payload) : []
    if (createdLtp === null && ref !== undefined) this.#latePrices?.add(id, ref)
    events.publishPaced('pending_order_created', {
      pending_order_id: id,
      user_id: userId,
      api_type: operation,
      message: `New ${operation} order queued for approval`,
    })
    return id
  }

  /**
   * Approves and executes one order. Its status is `approved` from the claim on, whatever the result of the
   * execution.
   * @param veto asked right before the claim
   * @param expected what the approver saw; compared inside the claim with what is sent
   * @throws ServiceError `not_found`, `not_pending`, `not_as_shown`, or the refusal of a check (the row then stays pending)
   */
  async approve(
    userId: string,
    id: number,
    approver: string,
    veto = noVeto,
    expected = ANYTHING,
  ): Promise<ApprovalOutcome> {
    const outcome = await this.#track(this.#approveOne(userId, id, approver, veto, expected))
    this.#updated('approved', userId, id)
    return outcome
  }

  /**
   * Approves and executes the rows that are pending now, oldest first. Rows that others decide during the run
   * do not count. When a row fails because no broker session exists, or the service stops, the remaining rows
   * stay pending.
   * @param upTo the newest order to approve, so that nobody approves an order that he has not seen
   * @param expected what the approver saw of them
   */
  approveAll(
    userId: string,
    approver: string,
    veto = noVeto,
    upTo = Number.MAX_SAFE_INTEGER,
    expected: ExpectationOfAll = ANYTHING,
  ): Promise<ApproveAllOutcome> {
    return this.#track(this.#approveEach(userId, approver, veto, upTo, expected))
  }

  /** @throws ServiceError `not_found`, or `not_pending` "Failed to reject order" */
  async reject(userId: string, id: number, rejector: string, reason?: string): Promise<void> {
    if (await this.withdraw(userId, id, rejector, reason?.trim() || DEFAULT_REASON)) return
    await this.#find(userId, id)
    throw new ServiceError('not_pending', 'Failed to reject order')
  }

  /** Rejects a request that still waits. Returns false when it was decided before. */
  async withdraw(userId: string, id: number, by: string, reason: string): Promise<boolean> {
    const decision = { id, userId, by, at: this.#options.clock.now() }
    if (!(await this.#store.reject(decision, reason))) return false
    this.#statistics.decided(userId, 'rejected')
    this.#updated('rejected', userId, id)
    this.#onRejected([id])
    return true
  }

  /**
   * Calls the listener with the ids of requests after they are rejected or have expired. Unlike the bus, it
   * never drops one.
   */
  onRejected(listener: (ids: readonly number[]) => void): void {
    this.#onRejected = listener
  }

  /**
   * Deletes a decided order. An order whose outcome at the broker is not known stays until it is settled.
   * @throws ServiceError `not_found`, or `refused` "Failed to delete order"
   */
  async remove(userId: string, id: number): Promise<void> {
    const removed = await this.#store.remove(userId, id)
    if (!removed) {
      await this.#find(userId, id)
      throw new ServiceError('refused', 'Failed to delete order')
    }
    this.#statistics.add(removed, -1)
    this.#updated('deleted', userId, id)
  }

  /**
   * Records the result that reconciliation found for an execution in doubt. Returns false when it was settled
   * before. The result `unknown` settles nothing and changes nothing.
   */
  async settle(id: number, result: ApprovalResult): Promise<boolean> {
    const row = result.outcome === 'unknown' ? undefined : await this.#store.findAny(id)
    if (!row) return false
    const settled = await this.#store.finish(id, bookkeepingOf(checkedResult(row.operation, result)))
    if (settled) this.#updated('approved', row.userId, id)
    return settled
  }

  /** Rejects every expired pending order and resolves with their number. */
  expireDue(): Promise<number> {
    return this.#expiry.expireDue()
  }

  #expired(rows: readonly { id: number; userId: string }[]): void {
    this.#onRejected(rows.map(({ id }) => id))
    for (const { userId, id } of rows) {
      this.#statistics.decided(userId, 'rejected')
      this.#updated('rejected', userId, id)
    }
  }

  /** Yields the waiting requests of a user in the order of approve-all, oldest first: all, or those with these ids. */
  waiting(userId: string, ids?: readonly number[]): AsyncGenerator<WaitingOrder> {
    const { lastPrice, settings } = this.#options
    return waitingOrders(
      { store: this.#store, maxDriftPercent: settings.maxDriftPercent, lastPrice },
      userId,
      ids,
    )
  }

  /** Returns the number of a user's pending orders. */
  count(userId: string): number {
    return this.#statistics.of(userId).total_pending
  }

  /** Returns the number of pending orders of all users. */
  get pending(): number {
    return this.#statistics.pending()
  }

  /** Returns the counts over all of the user's orders, independent of any list filter. */
  statistics(userId: string): ApprovalStatistics {
    return this.#statistics.of(userId)
  }

  /** Lists orders, newest first, with their total number. `nextBefore` is present when older orders exist. */
  list(userId: string, query: ApprovalQuery): Promise<ApprovalPage> {
    return this.#list.page(userId, query)
  }

  /** @throws ServiceError `not_found` */
  async view(userId: string, id: number): Promise<PendingOrderView> {
    return viewOf(await this.#find(userId, id))
  }

  /** Returns the stored row of a request; undefined if the user has none with this id. */
  record(userId: string, id: number): Promise<PendingOrderRow | undefined> {
    return this.#store.find(userId, id)
  }

  async #approveOne(
    userId: string,
    id: number,
    approver: string,
    veto: Veto,
    expected: Expectation,
  ): Promise<ApprovalOutcome> {
    return this.#readyApprover().approve(await this.#find(userId, id), approver, veto, expected)
  }

  #readyApprover(): Approver {
    if (!this.#approver) throw new ServiceError('unavailable', 'Approvals are not ready yet.')
    return this.#approver
  }

  async #approveEach(
    userId: string,
    approver: string,
    veto: Veto,
    upTo: number,
    expected: ExpectationOfAll,
  ): Promise<ApproveAllOutcome> {
    const isSeen = (id: number) => id <= upTo && (expected.legsOf?.has(id) ?? true)
    const ids = (await this.#store.pendingIds(userId)).filter(isSeen)
    const all = await this.#readyApprover().approveEach(userId, ids, approver, veto, expected)
    if (all.approvedCount > 0) {
      const payload = { action: 'batch_approved' as const, user_id: userId, count: all.approvedCount }
      this.#options.events.publishPaced('pending_order_updated', payload)
    }
    return all
  }

  #approverWith(executor: ApprovalExecutor): Approver {
    const { clock, settings, hasApiKey, lastPrice, log, stopping } = this.#options
    const claimed = (userId: string) => this.#statistics.decided(userId, 'approved')
    const parts = {
      store: this.#store,
      expiry: this.#expiry,
      clock,
      settings,
      hasApiKey,
      lastPrice,
      log,
      claimed,
      stopping,
    }
    return new Approver(parts, executor)
  }

  async #find(userId: string, id: number): Promise<PendingOrderRow> {
    const row = await this.#store.find(userId, id)
    if (!row) throw new ServiceError('not_found', 'Pending order not found')
    return row
  }

  #updated(action: 'approved' | 'rejected' | 'deleted', userId: string, id: number): void {
    this.#options.events.publishPaced('pending_order_updated', { action, order_id: id, user_id: userId })
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work)
    try {
      return await work
    } finally {
      this.#running.delete(work)
    }
  }
}
