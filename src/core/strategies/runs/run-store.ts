import { and, desc, eq, gte, isNull, ne, sql } from 'drizzle-orm'
import { fromColumn, fromMoney, type Money, toColumn, toMoney } from '../../money/index.js'
import type { Database, Tx } from '../../storage/index.js'
import {
  strategies,
  strategyCheckpoints,
  strategyEvents,
  strategyOrders,
  strategyRuns,
} from '../../storage/tables/svc/strategies.js'
import {
  type EventKind,
  LEG_EXCHANGES,
  type RunMode,
  type RunTrigger,
  type Severity,
  STRATEGY_PRODUCTS,
  type StopReason,
  type StrategyOrderStatus,
} from '../config/index.js'
import type { Checkpoint, RunDefinition, RunOrder, RunOrderRow } from '../engine/types.js'

export type StoredStrategy = typeof strategies.$inferSelect
export type StoredRun = typeof strategyRuns.$inferSelect

/** The facts of a run that is about to begin. */
export interface NewRun {
  strategyId: number
  mode: RunMode
  broker: string
  trigger: RunTrigger
  webhookEventId: number | undefined
  expiries: Readonly<Record<string, string>>
  at: number
}

/** An event of a run before it is stored. */
export interface NewRunEvent {
  strategyId: number
  runId: number
  userId: string
  ts: number
  kind: EventKind
  severity: Severity
  legId: number | null
  message: string
  payload: Readonly<Record<string, unknown>> | null
}

/** News about one order. An absent member keeps its value. */
export interface OrderRowChange {
  orderRef: string
  status: StrategyOrderStatus
  filledQuantity: number
  averagePrice: number | null
  orderId: string | null
  reason: string | null
  pendingOrderId?: number | undefined
}

/** The end of a run. */
export interface RunEnd {
  reason: StopReason
  realized: Money
  peak: Money
  trough: Money
}

/** Everything that one input of a run stores, in one transaction. */
export interface RunWrite {
  strategyId: number
  runId: number
  at: number
  orders: readonly RunOrder[]
  changes: readonly OrderRowChange[]
  events: readonly NewRunEvent[]
  stop: { reason: StopReason; at: number } | null
  end: RunEnd | null
}

/** A stored order with the request of the approval queue that it waits in. */
export interface StoredOrder extends RunOrderRow {
  pendingOrderId: number | null
}

/** The newest checkpoints of a run that are kept. */
export const KEPT_CHECKPOINTS = 200

/**
 * News only move an order forward: an ended order stays ended, unless it turns out to be filled further. Old news
 * about the quantity change nothing.
 */
const CHANGE_ORDER = `update strategy_orders set
    status = case
      when status in ('complete', 'cancelled', 'rejected') and not (?2 = 'complete' and ?3 > filled_qty) then status
      when ?2 = 'pending' then status
      else ?2 end,
    avg_fill_price = case when ?4 is not null and ?3 >= filled_qty then ?4 else avg_fill_price end,
    filled_at = case when ?3 > 0 and ?3 >= quantity then coalesce(filled_at, ?7) else filled_at end,
    filled_qty = max(filled_qty, ?3),
    broker_order_id = coalesce(broker_order_id, ?5),
    reject_reason = coalesce(reject_reason, ?6),
    pending_order_id = coalesce(pending_order_id, ?8)
  where order_ref = ?1`

/** True for a configuration with a schedule or an exit time. A row that is no JSON has neither. */
const SCHEDULED = sql`case when json_valid(${strategies.config}) then
    ${strategies.config} ->> '$.scheduler.enabled' = 1 or ${strategies.config} ->> '$.exit_time' is not null
  else 0 end`

const PRUNE_CHECKPOINTS = `delete from strategy_checkpoints where run_id = ? and id <=
  (select id from strategy_checkpoints where run_id = ? order by id desc limit 1 offset ${KEPT_CHECKPOINTS})`

/** The SQL that changes runs, with their orders and checkpoints. */
export class RunStore {
  constructor(private readonly db: Database) {}

  async strategy(id: number): Promise<StoredStrategy | undefined> {
    const [row] = await this.db.read.select().from(strategies).where(eq(strategies.id, id))
    return row
  }

  /**
   * Claims the strategy and stores the run. Of several callers one wins. The look-up of contracts takes time, so the
   * claim reads the switch for live runs and the lock of the webhook again.
   * @returns the definition; undefined if a run is unfinished, or one of the two forbids it now
   */
  claim(run: NewRun, definitionOf: (runId: number) => RunDefinition): Promise<RunDefinition | undefined> {
    return this.db.write(async (tx) => {
      const { strategyId, at } = run
      const claimed = await tx
        .update(strategies)
        .set({ status: 'running', updatedAt: at })
        .where(
          and(
            eq(strategies.id, strategyId),
            ne(strategies.status, 'running'),
            isNull(strategies.currentRunId),
            run.mode === 'live' ? eq(strategies.liveEnabled, true) : undefined,
            run.trigger === 'webhook' ? eq(strategies.webhookLocked, false) : undefined,
          ),
        )
        .returning()
      if (claimed.length !== 1) return undefined
      const [row] = await tx
        .insert(strategyRuns)
        .values({
          ...{ strategyId, mode: run.mode, broker: run.broker, startedAt: at, triggerSource: run.trigger },
          webhookEventId: run.webhookEventId ?? null,
          resolvedExpiries: JSON.stringify(run.expiries),
        })
        .returning()
      if (!row) throw new Error('the run was not stored')
      const definition = definitionOf(row.id)
      await tx
        .update(strategyRuns)
        .set({ definition: JSON.stringify(definition) })
        .where(eq(strategyRuns.id, row.id))
      await tx.update(strategies).set({ currentRunId: row.id }).where(eq(strategies.id, strategyId))
      return definition
    })
  }

  /** Stores everything that one input of a run asks for, or nothing of it. */
  apply(write: RunWrite): Promise<void> {
    return this.db.write((tx) => this.#applyIn(tx, write))
  }

  async #applyIn(
    tx: Tx,
    { strategyId, runId, at, orders, changes, events, stop, end }: RunWrite,
  ): Promise<void> {
    if (orders.length > 0) {
      await tx
        .insert(strategyOrders)
        .values(orders.map((order) => rowOf(order, strategyId, runId, at)))
        .onConflictDoNothing()
    }
    for (const change of changes) await tx.exec(CHANGE_ORDER, changeParameters(change, at))
    if (events.length > 0) await tx.insert(strategyEvents).values(events.map(eventRow))
    if (stop) {
      await tx
        .update(strategyRuns)
        .set({ stopRequestedAt: stop.at, stopRequestedReason: stop.reason })
        .where(and(eq(strategyRuns.id, runId), isNull(strategyRuns.stopRequestedAt)))
    }
    if (end) await this.#endIn(tx, strategyId, runId, end, at)
  }

  /** Ends the run and frees its strategy. A late fill may correct the amounts of a run that is over. */
  async #endIn(tx: Tx, strategyId: number, runId: number, end: RunEnd, at: number): Promise<void> {
    const amounts = {
      pnlRealized: toColumn(end.realized),
      pnlPeak: toColumn(end.peak),
      pnlTrough: toColumn(end.trough),
    }
    await tx.update(strategyRuns).set(amounts).where(eq(strategyRuns.id, runId))
    await tx
      .update(strategyRuns)
      .set({ stoppedAt: at, stopReason: end.reason })
      .where(and(eq(strategyRuns.id, runId), isNull(strategyRuns.stoppedAt)))
    await tx
      .update(strategies)
      .set({ status: 'stopped', currentRunId: null, updatedAt: at })
      .where(and(eq(strategies.id, strategyId), eq(strategies.currentRunId, runId)))
  }

  /** Returns the runs that have not ended, oldest first. */
  unfinished(): Promise<StoredRun[]> {
    return this.db.read
      .select()
      .from(strategyRuns)
      .where(isNull(strategyRuns.stoppedAt))
      .orderBy(strategyRuns.id)
  }

  /** Returns the unfinished run of a strategy. */
  async unfinishedOf(strategyId: number): Promise<StoredRun | undefined> {
    const [row] = await this.db.read
      .select()
      .from(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, strategyId), isNull(strategyRuns.stoppedAt)))
    return row
  }

  /** Returns the orders of a run, oldest first. */
  async ordersOf(runId: number): Promise<StoredOrder[]> {
    const rows = await this.db.read
      .select()
      .from(strategyOrders)
      .where(eq(strategyOrders.runId, runId))
      .orderBy(strategyOrders.id)
    return rows.map((row) => ({
      ...{ id: row.orderRef, legId: row.legId, kind: row.kind, positionRef: row.positionRef },
      ...{ symbol: row.symbol, exchange: row.exchange, action: row.action, quantity: row.quantity },
      ...{ status: row.status, filledQuantity: row.filledQuantity, brokerOrderId: row.brokerOrderId },
      averagePrice: row.averagePrice === null ? null : fromMoney(fromColumn(row.averagePrice)),
      pendingOrderId: row.pendingOrderId,
    }))
  }

  /** Returns what the finished runs of a strategy have realised since an instant. */
  async realizedSince(strategyId: number, since: number): Promise<Money> {
    const [row] = await this.db.read
      .select({ total: sql<number>`coalesce(sum(${strategyRuns.pnlRealized}), 0)`.as('total') })
      .from(strategyRuns)
      .where(and(eq(strategyRuns.strategyId, strategyId), gte(strategyRuns.stoppedAt, since)))
    return fromColumn(row?.total ?? 0)
  }

  /** Returns whether the scheduler has started a run of the strategy since an instant. */
  async wasStartedByScheduler(strategyId: number, since: number): Promise<boolean> {
    const [row] = await this.db.read
      .select({ id: strategyRuns.id })
      .from(strategyRuns)
      .where(
        and(
          eq(strategyRuns.strategyId, strategyId),
          eq(strategyRuns.triggerSource, 'scheduler'),
          gte(strategyRuns.startedAt, since),
        ),
      )
      .limit(1)
    return row !== undefined
  }

  /** Returns the strategies that have a schedule or an exit time. */
  scheduled(): Promise<StoredStrategy[]> {
    return this.db.read.select().from(strategies).where(SCHEDULED)
  }

  /** Stores checkpoints of several runs in one transaction. */
  async saveCheckpoints(
    checkpoints: readonly { definition: RunDefinition; checkpoint: Checkpoint }[],
  ): Promise<void> {
    if (checkpoints.length === 0) return
    await this.db.write(async (tx) => {
      await tx
        .insert(strategyCheckpoints)
        .values(checkpoints.map(({ definition, checkpoint }) => checkpointRow(definition, checkpoint)))
    })
  }

  /** Removes all but the newest checkpoints of a run. */
  async pruneCheckpoints(runIds: readonly number[]): Promise<void> {
    await this.db.write(async (tx) => {
      for (const runId of runIds) await tx.exec(PRUNE_CHECKPOINTS, [runId, runId])
    })
  }

  /** Returns the newest checkpoint of a run that can be read. */
  async lastCheckpoint(runId: number): Promise<Checkpoint | null> {
    const [row] = await this.db.read
      .select()
      .from(strategyCheckpoints)
      .where(eq(strategyCheckpoints.runId, runId))
      .orderBy(desc(strategyCheckpoints.id))
      .limit(1)
    return row ? checkpointOf(row) : null
  }

  /** Appends an event outside any run's change. */
  async append(event: Omit<NewRunEvent, 'runId'> & { runId: number | null }): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.insert(strategyEvents).values(eventRow(event))
    })
  }
}

function rowOf(order: RunOrder, strategyId: number, runId: number, at: number) {
  const { id: orderRef, exitOwner, exchange, product, ...rest } = order
  return {
    ...rest,
    ...{ strategyId, runId, orderRef, placedAt: at, exitOwner: exitOwner ?? ('live' as const) },
    exchange: memberOf(LEG_EXCHANGES, exchange, 'exchange'),
    product: memberOf(STRATEGY_PRODUCTS, product, 'product'),
  }
}

function memberOf<const T extends string>(set: readonly T[], value: string, name: string): T {
  const found = set.find((one) => one === value)
  if (found === undefined) throw new Error(`an order has the ${name} ${value}`)
  return found
}

function changeParameters(change: OrderRowChange, at: number) {
  const { orderRef, status, filledQuantity, averagePrice, orderId, reason, pendingOrderId } = change
  const price = averagePrice === null || averagePrice <= 0 ? null : toColumn(toMoney(averagePrice))
  return [orderRef, status, filledQuantity, price, orderId, reason, at, pendingOrderId ?? null]
}

function eventRow(event: Omit<NewRunEvent, 'runId'> & { runId: number | null }) {
  const { payload, ...rest } = event
  return {
    ...rest,
    payload: payload === null ? null : JSON.stringify(payload),
  }
}

function checkpointRow({ strategyId, runId }: RunDefinition, checkpoint: Checkpoint) {
  const { at, realized, unrealized, total, peak, trough, lockFloor, isLockArmed, legs } = checkpoint
  return {
    ...{ strategyId, runId, ts: at, trailToEntryActive: checkpoint.isTrailToEntryActive },
    pnlRealized: toColumn(realized),
    pnlUnrealized: toColumn(unrealized),
    pnlTotal: toColumn(total),
    pnlPeak: toColumn(peak),
    pnlTrough: toColumn(trough),
    lockFloor: lockFloor === null ? null : toColumn(lockFloor),
    legState: JSON.stringify({ isLockArmed, legs }),
  }
}

function checkpointOf(row: typeof strategyCheckpoints.$inferSelect): Checkpoint | null {
  try {
    const { isLockArmed, legs }: Pick<Checkpoint, 'isLockArmed' | 'legs'> = JSON.parse(row.legState)
    return {
      ...{ at: row.ts, isLockArmed, legs, isTrailToEntryActive: row.trailToEntryActive },
      realized: fromColumn(row.pnlRealized),
      unrealized: fromColumn(row.pnlUnrealized),
      total: fromColumn(row.pnlTotal),
      peak: fromColumn(row.pnlPeak),
      trough: fromColumn(row.pnlTrough),
      lockFloor: row.lockFloor === null ? null : fromColumn(row.lockFloor),
    }
  } catch {
    // A run is restored from its orders without one.
    return null
  }
}
