import { messageOf } from '../../errors/index.js'
import type { StrategyOrderState } from '../../orders/index.js'
import { type IdMaker, type Run, type RunDefinition, type RunRecord, StrategyRun } from '../engine/index.js'
import type { ActiveRun } from './active-run.js'
import { changeOfState } from './order-news.js'
import type { RunPorts } from './ports.js'
import type { RunStore, StoredOrder, StoredRun } from './run-store.js'

interface RecoveryParts {
  ports: RunPorts
  store: RunStore
  ids(live: boolean): IdMaker
  activate(run: Run, owner: { userId: string; broker: string }): ActiveRun
  /** Keeps the strategy of a run that nobody can restore: a person must look at it. */
  reserve(strategyId: number, why: string): void
}

/**
 * Restores every unfinished run from its rows, after the journal and the sandbox have settled what they can. One run
 * that cannot be restored does not stop the others.
 */
export async function recoverRuns(parts: RecoveryParts): Promise<void> {
  for (const run of await parts.store.unfinished()) {
    try {
      await recoverRun(run, parts)
    } catch (error) {
      parts.ports.log.error('strategy_run.not_recovered', { run: run.id, error: messageOf(error) })
      parts.reserve(run.strategyId, `Run ${run.id} remains open for manual reconciliation`)
    }
  }
}

async function recoverRun(stored: StoredRun, parts: RecoveryParts): Promise<void> {
  const { ports, store } = parts
  const { clock, orders } = ports
  const strategy = await store.strategy(stored.strategyId)
  if (!strategy) throw new Error('its strategy is gone')
  const definition: RunDefinition = JSON.parse(stored.definition)
  await bringUpToDate(stored, parts)
  const rows = await store.ordersOf(stored.id)
  const record: RunRecord = {
    ...{ definition, rows, stopRequested: stored.stopRequestedReason },
    checkpoint: await store.lastCheckpoint(stored.id),
  }
  const at = clock.now()
  const { effects, outcome, run } = StrategyRun.restore(record, parts.ids(definition.mode === 'live'), at)
  if (!run) {
    await endWithout(stored, strategy.userId, effects, parts)
    return
  }
  const active = parts.activate(run, { userId: strategy.userId, broker: stored.broker })
  active.adopt(rows.map(({ id }) => id))
  active.perform(effects)
  if (outcome === 'finished') return
  // Orders may have changed while the rows were read: nothing is missed, because the orders are watched by now.
  for (const state of await orders.statesOf(working(rows).map(({ id }) => id))) active.order(state)
  active.apply({ type: 'retry', at: clock.now() })
}

/** Brings the rows of working orders to what the journal, the approval queue or the sandbox says. */
async function bringUpToDate(stored: StoredRun, { ports, store }: RecoveryParts): Promise<void> {
  const rows = working(await store.ordersOf(stored.id))
  const states: StrategyOrderState[] = await ports.orders.statesOf(rows.map(({ id }) => id))
  if (states.length === 0) return
  await store.apply({
    ...{ strategyId: stored.strategyId, runId: stored.id, at: ports.clock.now() },
    ...{ orders: [], events: [], stop: null, end: null, changes: states.map(changeOfState) },
  })
}

/** Stores what a restore says about a run that is not in memory: it is over, or a person must look at it. */
async function endWithout(
  stored: StoredRun,
  userId: string,
  effects: readonly ReturnType<Run['apply']>[number][],
  { ports, reserve, store }: RecoveryParts,
): Promise<void> {
  const { id: runId, strategyId } = stored
  const at = ports.clock.now()
  const events = effects.flatMap((effect) =>
    effect.type === 'event' ? [{ strategyId, runId, userId, ts: at, ...effect.event }] : [],
  )
  const end = effects.find((effect) => effect.type === 'finished') ?? null
  await store.apply({ strategyId, runId, at, orders: [], changes: [], events, stop: null, end })
  for (const event of events) ports.publish.event(userId, event)
  if (!end) reserve(strategyId, events[0]?.message ?? `Run ${runId} remains open for manual reconciliation`)
}

function working(rows: readonly StoredOrder[]): StoredOrder[] {
  return rows.filter(({ status }) => status === 'pending' || status === 'open')
}
