import { crashPoint, messageOf, ServiceError } from '../../../errors/index.js'
import type { AccountState, RunAccount, StrategyOrderState } from '../../../orders/index.js'
import type { PositionRef } from '../../../orders/schema.js'
import type { StopReason } from '../../config/index.js'
import type { RunEvent } from '../../engine/messages.js'
import { eventOf } from '../../engine/texts.js'
import type { HeldPosition } from '../account/compare.js'
import { changeOfState } from '../order-news.js'
import type { RunPorts } from '../ports.js'
import type { ReservedRun, RunRelease } from '../schema.js'
import type { RunWrite, StoredOrder } from '../store/run-rows.js'
import { LATE_MS, type RunStore, type StoredRun } from '../store/run-store.js'

interface ReservedParts extends Pick<RunPorts, 'clock' | 'log' | 'orders' | 'publish'> {
  store: RunStore
}

/** The advice about an order that may still trade. */
const REMEDIES: Readonly<
  Partial<Record<StrategyOrderState['status'], (state: StrategyOrderState) => string>>
> = {
  queued: () => 'waits for approval: reject it',
  sending: () => 'is being sent: try again',
  in_doubt: ({ orderRef }) => `is in doubt: svc order settle ${orderRef}`,
  lapsed: ({ orderRef }) => `has no known end: svc order settle ${orderRef}`,
  open: ({ orderId }) => `is open: svc order cancel ${orderId ?? ''}`.trim(),
}

/**
 * The unfinished runs that the service does not manage: nobody could restore them, or their home is a restored backup.
 * A reserved run stays reserved, also after a restart, until a person releases it. In between he may have closed its
 * positions by hand, so the service must never take it up again.
 */
export class ReservedRuns {
  readonly #parts: ReservedParts
  readonly #runs = new Map<number, ReservedRun>()
  /** The reason why this process resumes no live run. */
  #restored: string | undefined

  constructor(parts: ReservedParts) {
    this.#parts = parts
  }

  of(strategyId: number): ReservedRun | undefined {
    return this.#runs.get(strategyId)
  }

  all(): ReservedRun[] {
    return [...this.#runs.values()]
  }

  /** @throws ServiceError `conflict` if the unfinished run of a strategy is reserved */
  refuse(strategyId: number): void {
    const run = this.#runs.get(strategyId)
    if (run) throw new ServiceError('conflict', refusalOf(run))
  }

  /** Returns what the orders of reserved runs hold of an account, if no person has closed it by hand. */
  async held(account: RunAccount): Promise<HeldPosition[]> {
    const { orders, store } = this.#parts
    const held: HeldPosition[] = []
    for (const { runId, strategyId } of this.#runs.values()) {
      const run = await store.unfinishedOf(strategyId)
      if (!run || !(await this.#isOf(account, run))) continue
      const rows = await store.ordersOf(runId)
      const states = await orders.statesOf(rows.map(({ id }) => id))
      const filled = new Map(states.map(({ filledQuantity, orderRef }) => [orderRef, filledQuantity]))
      held.push(...rows.map((row) => heldBy(row, filled.get(row.id) ?? row.filledQuantity)))
    }
    return held
  }

  async #isOf(account: RunAccount, { broker, mode, strategyId }: StoredRun): Promise<boolean> {
    if (account.mode === 'live') return mode === 'live' && broker === account.broker
    if (mode === 'live') return false
    return (await this.#parts.store.strategy(strategyId))?.userId === account.userId
  }

  /** Returns whether the service must not manage a run any more, nor its late fills. */
  isReserved({ mode, reservedAt }: StoredRun): boolean {
    return reservedAt !== null || (this.#restored !== undefined && mode === 'live')
  }

  /** Keeps the strategy of an unfinished run for the person who releases it. */
  keep({ id: runId, reservedReason, strategyId }: StoredRun, reason?: string): void {
    const text = reason ?? reservedReason ?? remainsOpen(runId, this.#restored ?? 'it could not be restored')
    this.#runs.set(strategyId, { runId, strategyId, reason: text })
  }

  /**
   * Reserves the live runs of a home that was restored. The service does not know what happened since the backup: an exit
   * may open the reverse of a position that is closed already. It also squares off no late fill of a live run that is
   * over.
   * @param source what it was restored from, such as `the backup of 2026-11-20T05:00:00.000Z`
   * @returns whether that is durable; this process keeps to it either way
   */
  async reserveRestored(source: string): Promise<boolean> {
    const { clock, log, store } = this.#parts
    const why = `it was restored from ${source}, and its orders may have changed since`
    this.#restored = why
    try {
      const [open, ended] = [await store.unfinished(), await store.ended(clock.ago(LATE_MS))]
      const live = [...open, ...ended].filter(
        ({ mode, reservedAt }) => mode === 'live' && reservedAt === null,
      )
      await Promise.all(live.map((run) => this.#reserve(run, why)))
      return true
    } catch (error) {
      log.error('strategy_runs.not_reserved', { error: messageOf(error) })
      return false
    }
  }

  async #reserve(run: StoredRun, why: string): Promise<void> {
    const reservedReason = remainsOpen(run.id, why)
    const isOpen = run.stoppedAt === null || run.reopenedAt !== null
    const events = isOpen ? [eventOf('recovery_failed', reservedReason, { payload: { why } })] : []
    const userId = await this.#parts.store.ownerOf(run)
    await this.#write(run.strategyId, run.id, events, { reservedReason, userId })
  }

  /** Tells that a stop does not reach a reserved run. Returns the run; undefined if none is reserved. */
  async noteStop(strategyId: number, reason: StopReason): Promise<ReservedRun | undefined> {
    const run = this.#runs.get(strategyId)
    if (!run) return undefined
    const message = `Stop refused (${reason}): ${refusalOf(run)}`
    const event = eventOf('run_stop_failed', message, { payload: { reason, reserved: true } })
    try {
      await this.#write(strategyId, run.runId, [event])
    } catch (error) {
      this.#parts.log.error('strategy_run.not_stored', { run: run.runId, error: messageOf(error) })
    }
    return run
  }

  /**
   * Ends a reserved run, after a person has closed its positions by hand, and frees its strategy. Nothing is sent, and no
   * late fill of its orders is squared off.
   * @throws ServiceError `conflict` while an order may still trade, or while the account shows a position in its contracts
   */
  async release(strategyId: number, runId: number, release: RunRelease): Promise<void> {
    const { orders, store } = this.#parts
    const stored = await store.unfinishedOf(strategyId)
    if (this.#runs.get(strategyId)?.runId !== runId || stored?.id !== runId) {
      throw new ServiceError('conflict', `Run ${runId} is not reserved: it is managed, or it is over`)
    }
    const rows = await store.ordersOf(runId)
    const states = await orders.statesOf(rows.map(({ id }) => id))
    refuseOpenOrders(runId, states)
    if (!release.positionsChecked) await this.#refusePositions(stored, rows)
    const checkpoint = await store.checkpoints.last(runId)
    const { realized, peak, trough } = checkpoint ?? { realized: 0n, peak: 0n, trough: 0n }
    const { by, positionsChecked, reason } = release
    const event = eventOf('run_stopped', `Run ${runId} released by ${by}: ${reason}`, {
      payload: {
        reason: 'recovery_failed',
        by,
        said: reason,
        closed_by_hand: true,
        positions_checked: positionsChecked,
      },
    })
    crashPoint('strategies.end.beforeCommit')
    await this.#write(strategyId, runId, [event], {
      changes: states.map(changeOfState),
      end: { reason: 'recovery_failed', realized, peak, trough },
    })
    this.#runs.delete(strategyId)
  }

  async #refusePositions(run: StoredRun, rows: readonly StoredOrder[]): Promise<void> {
    const refs = positionsOf(rows)
    const holds = await this.#holds(run, refs)
    const held = refs.flatMap((ref) => {
      const quantity = holds(ref)
      return quantity === 0 ? [] : [`${quantity} ${ref.exchange}:${ref.symbol} ${ref.product}`]
    })
    if (held.length === 0) return
    const text = `The account still holds ${held.join(', ')}. Close it first. If it belongs to somebody else, ${CHECKED}`
    throw new ServiceError('conflict', text)
  }

  /** Reads the account of a run. Returns what it holds of a position, whatever day that was bought on. */
  async #holds(
    { broker, definition, mode, strategyId }: StoredRun,
    positions: readonly PositionRef[],
  ): Promise<AccountState['held']> {
    const { orders, store } = this.#parts
    try {
      const account: RunAccount =
        mode === 'live'
          ? { mode, broker, accountId: accountIn(definition) }
          : { mode: 'analyze', userId: (await store.strategy(strategyId))?.userId ?? '' }
      const question = { positions, orderRefs: [], ofRuns: async () => NONE }
      return (await orders.positions.read(account, question)).held
    } catch (error) {
      const text = `The positions at ${broker} cannot be read (${messageOf(error)}). Try again. If you have looked yourself, ${CHECKED}`
      throw new ServiceError('conflict', text)
    }
  }

  /** Stores and publishes events of a run that is not in memory, with what they tell of. */
  async #write(
    strategyId: number,
    runId: number,
    events: readonly RunEvent[],
    {
      userId: owner,
      ...more
    }: Partial<Pick<RunWrite, 'changes' | 'end' | 'reservedReason'>> & { userId?: string | undefined } = {},
  ): Promise<void> {
    const { clock, publish, store } = this.#parts
    const at = clock.now()
    const userId = owner ?? (await store.strategy(strategyId))?.userId ?? ''
    const stored = events.map((event) => ({ strategyId, runId, userId, ts: at, ...event }))
    await store.apply({
      strategyId,
      runId,
      at,
      orders: [],
      changes: [],
      closures: [],
      events: stored,
      stop: null,
      end: null,
      reopenedAt: null,
      checkpoint: null,
      ...more,
    })
    for (const event of stored) publish.event(userId, event)
  }
}

const NONE: ReadonlySet<string> = new Set()
const CHECKED = 'say so: positions_checked, or --positions-checked'

/** Returns why a run is reserved, as its event and every refusal say it. */
export function remainsOpen(runId: number, why: string): string {
  return `Run ${runId} remains open for manual reconciliation: ${why}`
}

/** Returns the refusal of every act on a reserved run. */
export function refusalOf({ reason, strategyId }: ReservedRun): string {
  return `${reason}. Nobody manages it: close its positions by hand, then run svc strategy release ${strategyId}`
}

/** Returns the sentence about reserved runs that follows the news of the kill switch; empty if there are none. */
export function reservedText(runs: readonly ReservedRun[]): string {
  if (runs.length === 0) return ''
  const list = runs.map(({ runId, strategyId }) => `run ${runId} of strategy ${strategyId}`).join(', ')
  return ` Reserved, so nobody manages their positions: ${list}.`
}

function heldBy({ action, closedElsewhere, exchange, product, symbol }: StoredOrder, filled: number) {
  const units = filled - (closedElsewhere ?? 0)
  return { symbol, exchange, product, quantity: action === 'BUY' ? units : -units }
}

function refuseOpenOrders(runId: number, states: readonly StrategyOrderState[]): void {
  const open = states.flatMap((state) => {
    const remedy = REMEDIES[state.status]
    return remedy ? [`${state.orderRef} ${remedy(state)}`] : []
  })
  if (open.length === 0) return
  throw new ServiceError('conflict', `Orders of run ${runId} may still trade. ${open.join('. ')}`)
}

/** Returns the account of a run at its broker. The definition of a reserved run may be unreadable. */
function accountIn(definition: string): string | undefined {
  try {
    const account: unknown = JSON.parse(definition)?.accountId
    return typeof account === 'string' ? account : undefined
  } catch {
    return undefined
  }
}

/** Returns each position that orders have traded, once. */
function positionsOf(rows: readonly StoredOrder[]): PositionRef[] {
  const refs = rows.map(({ exchange, product, symbol }) => ({ symbol, exchange, product }))
  return [...new Map(refs.map((ref) => [JSON.stringify(ref), ref])).values()]
}
