import { isDeepStrictEqual } from 'node:util'
import { messageOf } from '../../errors/index.js'
import { fromColumn, fromMoney } from '../../money/index.js'
import type { StrategyOrderState } from '../../orders/index.js'
import {
  type Checkpoint,
  type RunDefinition,
  type RunEffect,
  type RunOrder,
  StrategyRun,
} from '../engine/index.js'
import { eventOf } from '../engine/texts.js'
import { closedOf } from './active-run.js'
import { idsOf } from './opening/run-opener.js'
import { changeOfState, updateAtStart } from './order-news.js'
import type { RunPorts } from './ports.js'
import { type ReservedRuns, remainsOpen } from './reserved/reserved-runs.js'
import type { RunOwner, RunsInMemory } from './runs-in-memory.js'
import type { OrderRowChange, StoredOrder } from './store/run-rows.js'
import { LATE_MS, type RunStore, type StoredRun } from './store/run-store.js'
import { unstoredExits } from './unstored-exits.js'

export const ACCOUNT_RESET = 'its sandbox account was reset'

interface RecoveryParts {
  ports: RunPorts
  store: RunStore
  runs: Pick<RunsInMemory, 'activate' | 'has' | 'keepEnded' | 'ofOrder'>
  /** The runs that a person must look at. */
  reserved: ReservedRuns
}

/**
 * Restores every unfinished run from its rows, after the journal and the sandbox have settled what they can. One run
 * that cannot be restored does not stop the others.
 */
export async function recoverRuns(parts: RecoveryParts): Promise<void> {
  for (const run of await parts.store.unfinished()) {
    if (parts.reserved.isReserved(run)) {
      parts.reserved.keep(run)
      continue
    }
    try {
      await recoverRun(run, parts)
    } catch (error) {
      await giveUp(run, error, parts)
    }
  }
}

async function recoverRun(stored: StoredRun, parts: RecoveryParts): Promise<void> {
  const { ports, store } = parts
  const { clock } = ports
  const owner = await ownerOf(stored, store)
  const definition = definitionOf(stored)
  const isLost = await wasReset(stored, owner, parts)
  if (!isLost) await adoptUnstored(stored, definition, owner, parts)
  const rows = await store.ordersOf(stored.id)
  // After a reset the sandbox knows none of the orders, which says nothing about their fills.
  const before = isLost ? new Map<string, StrategyOrderState>() : await statesOf(rows, ports)
  const states = newsOf(rows, before, (row, state) => isNews(row, state) || isPriced(row, state))
  const { effects, outcome, run } = StrategyRun.restore(
    {
      definition,
      rows,
      stopRequested: stored.stopRequestedReason,
      checkpoint: await store.checkpoints.last(stored.id),
      news: states.map((state) => updateAtStart(state, clock.now())),
      closed: closedOf(definition, ports.calendar, owner.broker),
    },
    idsOf(ports, definition.mode),
    clock.now(),
    clock.monotonic(),
  )
  const changes = states.map(changeOfState)
  if (!run) {
    await endWithout(stored, owner.userId, effects, changes, parts)
    return
  }
  const active = parts.runs.activate(run, owner)
  active.adopt(rows)
  active.perform(effects, changes)
  if (isLost) {
    if (outcome !== 'finished') active.lose(ACCOUNT_RESET)
    return
  }
  // Orders may have changed while the rows were read: nothing is missed, because the orders are watched by now.
  for (const [ref, state] of await statesOf(rows, ports)) {
    if (!isDeepStrictEqual(state, before.get(ref))) active.order(state)
  }
  if (outcome !== 'finished') active.retry()
}

/**
 * Stores the rows of exits that the run sent while the disk refused them. Without them the run would send these exits
 * again.
 * @returns whether there were any
 */
async function adoptUnstored(
  { id: runId, startedAt, strategyId }: StoredRun,
  { mode, strategyName }: RunDefinition,
  { broker, userId }: RunOwner,
  { ports, store }: RecoveryParts,
): Promise<boolean> {
  const { clock, orders, publish } = ports
  const account = { userId, broker, mode: mode === 'live' ? ('live' as const) : ('analyze' as const) }
  const sent = await orders.sentBy({ ...account, strategy: strategyName, since: startedAt })
  const known = await store.knownOf(sent.map(({ orderRef }) => orderRef))
  const unknown = sent.filter(({ orderRef }) => !known.has(orderRef))
  if (unknown.length === 0) return false
  const rows = await store.ordersOf(runId)
  const refs = [...rows.map(({ id }) => id), ...unknown.map(({ orderRef }) => orderRef)]
  const states = new Map((await orders.statesOf(refs)).map((state) => [state.orderRef, state]))
  const exits = unstoredExits(rows, unknown, states)
  if (exits.length === 0) return false
  const at = clock.now()
  const events = exits.map((order) => ({ strategyId, runId, userId, ts: at, ...adoptedEvent(order) }))
  await store.apply({
    strategyId,
    runId,
    at,
    orders: exits,
    changes: [],
    closures: [],
    events,
    end: null,
    stop: null,
    reopenedAt: null,
    checkpoint: null,
  })
  for (const event of events) publish.event(userId, event)
  return true
}

function adoptedEvent({ action, id, legId, positionRef, quantity, symbol }: RunOrder) {
  const message = `Exit ${action} ${quantity} ${symbol} of leg ${legId} was sent before the restart while the disk refused its row; the run takes it up`
  const payload = { order_id: id, position_ref: positionRef }
  return eventOf('leg_exit_placed', message, { legId, severity: 'warn', payload })
}

/** Returns whether the sandbox account of a run was reset since the run began: its positions are gone. */
async function wasReset(
  { mode, startedAt }: StoredRun,
  { userId }: RunOwner,
  { ports }: RecoveryParts,
): Promise<boolean> {
  if (mode !== 'sandbox') return false
  const at = await ports.orders.resetAt(userId)
  return at !== undefined && at > startedAt
}

/** Reserves a run whose restore failed, and says so. */
async function giveUp(stored: StoredRun, error: unknown, parts: RecoveryParts): Promise<void> {
  const { ports, store } = parts
  const why = messageOf(error)
  ports.log.error('strategy_run.not_recovered', { run: stored.id, error: why })
  const message = remainsOpen(stored.id, why)
  parts.reserved.keep(stored, message)
  try {
    const strategy = await store.strategy(stored.strategyId)
    if (!strategy) return
    const effects = [
      { type: 'event', event: eventOf('recovery_failed', message, { payload: { why } }) },
    ] as const
    await tell(stored, strategy.userId, effects, [], parts, message)
  } catch (fault) {
    ports.log.error('strategy_run.not_stored', { run: stored.id, error: messageOf(fault) })
  }
}

/** Stores what a restore says about a run that is not in memory: it is over, or a person must look at it. */
async function endWithout(
  stored: StoredRun,
  userId: string,
  effects: readonly RunEffect[],
  changes: readonly OrderRowChange[],
  parts: RecoveryParts,
): Promise<void> {
  const eventText = effects.find((effect) => effect.type === 'event')?.event.message
  const isOver = effects.some(({ type }) => type === 'finished')
  const reason = isOver ? undefined : (eventText ?? remainsOpen(stored.id, 'it could not be restored'))
  if (reason !== undefined) parts.reserved.keep(stored, reason)
  await tell(stored, userId, effects, changes, parts, reason)
}

/**
 * Stores and publishes the events and the end of a run that is not in memory.
 * @param reservedReason the reason why a person must look at it
 */
async function tell(
  { id: runId, strategyId }: StoredRun,
  userId: string,
  effects: readonly RunEffect[],
  changes: readonly OrderRowChange[],
  { ports, store }: RecoveryParts,
  reservedReason?: string,
): Promise<void> {
  const at = ports.clock.now()
  const events = effects.flatMap((effect) =>
    effect.type === 'event' ? [{ strategyId, runId, userId, ts: at, ...effect.event }] : [],
  )
  const end = effects.find((effect) => effect.type === 'finished') ?? null
  await store.apply({
    strategyId,
    runId,
    at,
    orders: [],
    changes,
    closures: [],
    events,
    end,
    stop: null,
    reopenedAt: null,
    checkpoint: null,
    reservedReason,
  })
  for (const event of events) ports.publish.event(userId, event)
}

/**
 * Follows the runs that are over and may still get a fill. A fill that came while the service was down is squared off now;
 * a square-off that was not complete is tried again.
 */
export async function followEnded(parts: RecoveryParts): Promise<void> {
  const { ports, reserved, runs, store } = parts
  const ended = await store.ended(ports.clock.ago(LATE_MS))
  // A run that recovery took up and that has ended since is in memory already.
  const followed = ended.filter((run) => !reserved.isReserved(run) && !runs.has(run.id))
  const rows = new Map<number, StoredOrder[]>(followed.map(({ id }) => [id, []]))
  const all = await store.ordersOfAll([...rows.keys()])
  for (const row of all) rows.get(row.runId)?.push(row)
  const states = await statesOf(all, ports)
  for (const run of followed) {
    try {
      await followOne(run, rows.get(run.id) ?? [], states, parts)
    } catch (error) {
      ports.log.error('strategy_run.not_followed', { run: run.id, error: messageOf(error) })
    }
  }
  // Nobody watched the orders while their runs were restored.
  for (const [ref, state] of await statesOf(all, ports)) {
    if (!isDeepStrictEqual(state, states.get(ref))) runs.ofOrder(ref)?.order(state)
  }
}

async function statesOf(rows: readonly StoredOrder[], { orders }: RunPorts) {
  const states = await orders.statesOf(rows.map(({ id }) => id))
  return new Map(states.map((state) => [state.orderRef, state]))
}

async function followOne(
  stored: StoredRun,
  rows: readonly StoredOrder[],
  states: ReadonlyMap<string, StrategyOrderState>,
  parts: RecoveryParts,
): Promise<void> {
  const { ports, runs, store } = parts
  const owner = await ownerOf(stored, store)
  const isLost = await wasReset(stored, owner, parts)
  const definition = definitionOf(stored)
  const at = ports.clock.now()
  const late = isLost ? [] : newsOf(rows, states, isNews)
  const holdsAgain = stored.reopenedAt !== null || late.length > 0
  if (!isLost && holdsAgain && (await adoptUnstored(stored, definition, owner, parts))) {
    const all = await store.ordersOf(stored.id)
    await followOne(stored, all, await statesOf(all, ports), parts)
    return
  }
  const { effects, run } = StrategyRun.restore(
    {
      definition,
      rows,
      stopRequested: stored.stopRequestedReason,
      ended: stored.stopReason,
      checkpoint: amountsOf(stored),
      news: late.map((state) => updateAtStart(state, at)),
    },
    idsOf(ports, definition.mode),
    at,
    ports.clock.monotonic(),
  )
  if (!run) return
  const ended = runs.keepEnded(run, owner)
  ended.adopt(rows)
  ended.perform(effects, late.map(changeOfState))
  if (isLost) ended.lose(ACCOUNT_RESET)
}

/** Returns the states of those orders that `isNew` for their rows, in the order of the rows. */
function newsOf(
  rows: readonly StoredOrder[],
  states: ReadonlyMap<string, StrategyOrderState>,
  isNew: (row: StoredOrder, state: StrategyOrderState) => boolean,
): StrategyOrderState[] {
  return rows.flatMap((row) => {
    const state = states.get(row.id)
    return state && isNew(row, state) ? [state] : []
  })
}

/** Returns whether an order has a fill that its row does not have, or works. */
function isNews(row: StoredOrder, { filledQuantity }: StrategyOrderState): boolean {
  return isWorking(row) || filledQuantity > row.filledQuantity
}

/** Returns whether the price of a stored fill is known now. Without it the position has no stop. */
function isPriced(row: StoredOrder, { averagePrice }: StrategyOrderState): boolean {
  return row.filledQuantity > 0 && row.averagePrice === null && averagePrice !== null
}

/** Returns the amounts of a run that is over as its last checkpoint. */
function amountsOf({ pnlPeak, pnlRealized, pnlSession, pnlTrough, stoppedAt }: StoredRun): Checkpoint {
  const realized = fromColumn(pnlRealized)
  return {
    at: stoppedAt ?? 0,
    realized,
    unrealized: 0n,
    total: realized,
    carried: fromMoney(realized - fromColumn(pnlSession)),
    peak: fromColumn(pnlPeak),
    trough: fromColumn(pnlTrough),
    isLockArmed: false,
    lockFloor: null,
    isTrailToEntryActive: false,
    legs: [],
  }
}

async function ownerOf(run: StoredRun, store: RunStore): Promise<RunOwner> {
  const userId = await store.ownerOf(run)
  if (userId === undefined) throw new Error('its strategy is gone')
  return { userId, broker: run.broker }
}

function definitionOf({ definition }: StoredRun): RunDefinition {
  try {
    return JSON.parse(definition)
  } catch {
    throw new Error('its stored definition cannot be read')
  }
}

function isWorking({ status }: StoredOrder): boolean {
  return status === 'pending' || status === 'open'
}
