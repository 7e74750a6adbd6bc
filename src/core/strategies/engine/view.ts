import { fromMoney, type Money, toRupees } from '../../money/index.js'
import type { LegStatus } from '../config/vocabulary.js'
import { reportOf } from './acts/exits.js'
import type { ExitReport } from './messages.js'
import type { Checkpoint } from './records.js'
import type { LegState } from './state/leg.js'
import type { Position } from './state/position.js'
import type { RunState } from './state/run-state.js'
import type { Claim, Hedge, LegSnapshot, RunSnapshot } from './types.js'

/** Builds the view of a run for clients. */
export function snapshotOf(state: RunState): RunSnapshot {
  const { definition, realized, unrealized, total, peak, trough, floor } = state
  return {
    runId: definition.runId,
    strategyId: definition.strategyId,
    state: stateName(state),
    stopReason: state.ended ?? state.stop,
    realized: toRupees(realized),
    unrealized: toRupees(unrealized),
    total: toRupees(total),
    peak: toRupees(peak),
    trough: toRupees(trough),
    isLockArmed: floor !== null,
    lockFloor: floor === null ? null : toRupees(floor),
    isTrailToEntryActive: state.isTrailToEntryActive,
    isTickSourceDegraded: state.legs.some((leg) => !leg.isFlat && leg.source !== 'ws'),
    isPartial: state.legs.some((leg) => leg.positions.some(({ isPartial }) => isPartial)),
    legs: state.legs.map(legSnapshot),
  }
}

export function stateName({ stop, ended }: RunState): RunSnapshot['state'] {
  if (ended !== null) return 'finished'
  return stop === null ? 'running' : 'stop_pending'
}

/** Builds the checkpoint of a run. */
export function checkpointOf(state: RunState, at: number): Checkpoint {
  const { carried, realized, unrealized, total, peak, trough, floor } = state
  return {
    at,
    realized,
    unrealized,
    total,
    peak,
    trough,
    carried: carried === null ? null : fromMoney(carried),
    isLockArmed: floor !== null,
    lockFloor: floor,
    isTrailToEntryActive: state.isTrailToEntryActive,
    legs: state.legs.map((leg) => ({
      legId: leg.id,
      ltp: price(leg.ltp),
      source: leg.source,
      isReentryOff: leg.isReentryOff,
      positions: leg.positions.filter((one) => !one.isFlat).map((one) => one.checkpoint()),
    })),
  }
}

/** Returns the exits of all positions that are not flat. */
export function exitsOf({ legs }: RunState): ExitReport[] {
  return legs.flatMap((leg) =>
    leg.positions.filter((one) => !one.isFlat).map((position) => reportOf(leg, position)),
  )
}

/** Returns the positions that the run counts on. */
export function claimsOf({ legs }: RunState): Claim[] {
  return legs.flatMap((leg) => leg.held.map((position) => claimOf(leg, position)))
}

/** Returns the positions that the run may soon hold: an order of them works, and nothing of it has filled. */
export function openingOf({ legs }: RunState): Claim[] {
  return legs.flatMap((leg) =>
    leg.positions
      .filter((one) => one.net === 0 && !one.isFlat && !one.isGone)
      .map((position) => claimOf(leg, position)),
  )
}

/** Returns a position that the run has closed: its exits have filled, and nothing of it works or is held. */
export function closedClaimOf(state: RunState, positionRef: string): Claim | undefined {
  const position = state.positions.get(positionRef)
  const leg = position && state.leg(position.legId)
  const isClosed = leg && position.isFlat && !position.isGone
  return isClosed && position.orders.some(({ filled, isEntry }) => !isEntry && filled > 0)
    ? claimOf(leg, position)
    : undefined
}

/** See {@link Run.hedgeOf}. Entries after the first ones of their legs, and those of signals, have no common start. */
export function hedgeOf({ definition, legs, orders }: RunState, orderRef: string): Hedge | undefined {
  const one = orders.get(orderRef)
  const firsts = legs.flatMap(({ positions }) => positions[0] ?? [])
  const isOfStart = firsts.some(({ ref }) => ref === one?.order.positionRef)
  if (definition.kind !== 'batch' || !one?.isEntry || one.order.action !== 'SELL' || !isOfStart)
    return undefined
  const unfilled = firsts
    .flatMap((position) => position.orders)
    .filter(({ filled, isEntry, order }) => isEntry && order.action === 'BUY' && filled === 0)
  if (unfilled.some(({ isWorking }) => !isWorking)) return 'missing'
  if (unfilled.some(({ isInDoubt, isPlaced }) => isInDoubt || !isPlaced)) return 'waiting'
  return unfilled.length > 0 ? 'open' : undefined
}

function claimOf(leg: LegState, { closedElsewhere, contract, net, orders, ref, side }: Position): Claim {
  return {
    ...contract,
    positionRef: ref,
    legId: leg.id,
    product: leg.config.product,
    quantity: side > 0n ? net : -net,
    closedElsewhere,
    orders: orders.map(({ filled, isInDoubt, isWorking, order }) => ({
      id: order.id,
      filled,
      isInDoubt: isInDoubt && isWorking,
    })),
  }
}

function legSnapshot(leg: LegState): LegSnapshot {
  const { newest, ltp } = leg
  const { side, entry = null, best = null } = newest ?? {}
  return {
    legId: leg.id,
    symbol: leg.contract.symbol,
    exchange: leg.contract.exchange,
    position: side === undefined ? leg.config.position : side > 0n ? 'B' : 'S',
    quantity: newest?.isGone ? 0 : (newest?.held ?? 0),
    status: statusOf(leg),
    entryStatus: newest?.orders.findLast((one) => one.isEntry)?.status ?? null,
    exitKind: newest?.lastExit?.order.kind ?? null,
    ltp: price(ltp),
    entryAverage: price(entry),
    mtm: toRupees(leg.unrealized),
    realized: toRupees(leg.realized),
    effectiveStop: price(newest?.stop ?? null),
    effectiveTarget: price(newest?.target ?? null),
    isTrailActive: newest?.isTrailArmed ?? false,
    favorablePoints:
      side === undefined || entry === null || best === null ? 0 : fromMoney(side * (best - entry)),
    tickSource: leg.source,
    outgoingQuantity: leg.outgoing.reduce((sum, { held }) => sum + held, 0),
    isWaitingToReenter: leg.wait !== null,
  }
}

function statusOf({ newest, positions, isFlat }: LegState): LegStatus {
  if (!newest) return 'configured'
  if (!isFlat) return 'open'
  return positions.some((one) => one.hasFills) ? 'closed' : 'rejected'
}

function price(money: Money | null): number | null {
  return money === null ? null : fromMoney(money)
}
