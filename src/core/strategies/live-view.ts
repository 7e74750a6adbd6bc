import { fromColumn, toRupees } from '../money/index.js'
import type { RunDefinition } from './engine/definition.js'
import type { LegSnapshot, RunSnapshot } from './engine/types.js'
import type { FinalizedRun } from './store/strategy-store.js'

/** Returns the lot size of a contract; undefined if it is not known. */
type LotSizeOf = (symbol: string, exchange: string) => number | undefined

/** A run in memory. */
interface LiveSource {
  readonly definition: Pick<RunDefinition, 'mode'>
  snapshot(): RunSnapshot
}

/** A run as it is now, with the members that clients see. Amounts and prices are rupees. */
export type LiveRun = ReturnType<typeof liveRunView>
export type LiveLeg = LiveRun['legs'][number]

export function liveRunView(source: LiveSource, lotSizeOf: LotSizeOf) {
  const run = source.snapshot()
  return {
    strategy_id: run.strategyId,
    run_id: run.runId,
    mode: source.definition.mode,
    state: run.state,
    stop_reason: run.stopReason,
    mtm_realized: run.realized,
    mtm_unrealized: run.unrealized,
    mtm_total: run.total,
    peak: run.peak,
    trough: run.trough,
    lock_armed: run.isLockArmed,
    lock_floor: run.lockFloor,
    trail_to_entry_active: run.isTrailToEntryActive,
    tick_source_degraded: run.isTickSourceDegraded,
    partial: run.isPartial,
    legs: run.legs.map((leg) => liveLegView(leg, lotSizeOf(leg.symbol, leg.exchange))),
  }
}

function liveLegView(leg: LegSnapshot, lotSize: number | undefined) {
  return {
    leg_id: leg.legId,
    symbol: leg.symbol,
    exchange: leg.exchange,
    position: leg.position,
    lots: lotSize === undefined ? null : leg.quantity / lotSize,
    qty: leg.quantity,
    status: leg.status,
    entry_status: leg.entryStatus,
    exit_kind: leg.exitKind,
    ltp: leg.ltp,
    entry_avg: leg.entryAverage,
    mtm: leg.mtm,
    realized_pnl: leg.realized,
    effective_sl: leg.effectiveStop,
    effective_target: leg.effectiveTarget,
    trail_active: leg.isTrailActive,
    favorable_points: leg.favorablePoints,
    tick_source: leg.tickSource,
    outgoing_qty: leg.outgoingQuantity,
    waiting_to_reenter: leg.isWaitingToReenter,
  }
}

/** Returns the last run of a strategy for a list. Amounts are rupees. */
export function lastRunView({ id, mode, pnlPeak, pnlRealized }: FinalizedRun) {
  return { id, mode, pnl: toRupees(fromColumn(pnlRealized)), peak: toRupees(fromColumn(pnlPeak)) }
}
