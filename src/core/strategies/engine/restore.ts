import { type Money, toMoney } from '../../money/index.js'
import { sessionStart } from '../../time/index.js'
import { finish, finishIfFlat, isDone, mayEnterAgain, settlePosition, waitOf } from './acts/settle.js'
import { applyUpdate } from './acts/updates.js'
import { followWatches } from './acts/watches.js'
import type { OrderUpdate, RunEffect } from './messages.js'
import type { Checkpoint, LegCheckpoint, PositionCheckpoint, RunOrderRow, RunRecord } from './records.js'
import { faultOf, type RowFault } from './row-faults.js'
import type { LegState } from './state/leg.js'
import { OrderState } from './state/order.js'
import type { Position } from './state/position.js'
import { RunState } from './state/run-state.js'
import { eventOf, NO_ENTRY, NOT_DISPATCHED } from './texts.js'
import type { IdMaker, Restored } from './types.js'

interface RestoredState {
  outcome: Restored['outcome']
  state: RunState | null
  effects: readonly RunEffect[]
}

/** Builds the state of a run from its stored facts, and returns the outcome. */
export function restoreState(
  record: RunRecord,
  ids: IdMaker,
  { at, elapsed }: { at: number; elapsed: number },
): RestoredState {
  const fault = faultOf(record)
  if (fault !== null) return unusable(record, fault)
  const state = new RunState(record.definition, ids, at, elapsed)
  state.hasStarted = true
  state.closed = record.closed ?? state.closed
  state.stop = record.stopRequested
  const saved = savedPositions(record.checkpoint)
  for (const row of record.rows) addRow(state, row, saved.get(row.positionRef))
  for (const leg of state.legs) {
    restoreLeg(
      state,
      leg,
      record.checkpoint?.legs.find(({ legId }) => legId === leg.id),
      saved,
    )
  }
  restoreTotals(state, record.checkpoint)
  state.ended = record.ended ?? null
  state.isReopened = state.ended !== null && !state.isFlat
  applyNews(state, record.news ?? [])
  const outcome = end(state, record)
  followWatches(state)
  if (outcome === 'resumed') tellResumed(state, record)
  return { outcome, state, effects: state.takeEffects() }
}

/** Applies all news first, and then their consequences, so that each of these knows everything. */
function applyNews(state: RunState, news: readonly OrderUpdate[]): void {
  state.isRestoring = true
  for (const one of news) applyUpdate(state, one)
  state.isRestoring = false
  const refs = new Set(news.map(({ orderId }) => state.orders.get(orderId)?.order.positionRef ?? ''))
  for (const ref of refs) {
    const position = state.positions.get(ref)
    const leg = position && state.leg(position.legId)
    if (leg) settlePosition(state, leg, position)
  }
}

/** A run whose rows contradict each other stays reserved if they hold anything. */
function unusable({ definition, news = [], rows }: RunRecord, { legId, why }: RowFault): RestoredState {
  const newest = new Map(news.map((one) => [one.orderId, one]))
  const isExposed = rows.some((row) => {
    const one = newest.get(row.id)
    const status = one && one.status !== 'pending' ? one.status : row.status
    const isDead = status === 'rejected' || status === 'cancelled'
    return !isDead || row.filledQuantity !== 0 || (one?.filledQuantity ?? 0) !== 0
  })
  const message = isExposed
    ? `Run ${definition.runId} remains open for manual reconciliation: ${why}`
    : `Run ${definition.runId} could not be recovered and was closed: ${why}`
  const effects: RunEffect[] = [
    {
      type: 'event',
      event: eventOf('recovery_failed', message, { payload: { why }, ...(legId !== null && { legId }) }),
    },
  ]
  if (isExposed) return { outcome: 'reserved', state: null, effects }
  effects.push({
    type: 'finished',
    reason: 'recovery_failed',
    realized: 0n,
    sessionRealized: 0n,
    peak: 0n,
    trough: 0n,
    isAgain: false,
  })
  return { outcome: 'failed', state: null, effects }
}

function savedPositions(checkpoint: Checkpoint | null): Map<string, PositionCheckpoint> {
  const positions = checkpoint?.legs.flatMap((leg) => leg.positions) ?? []
  return new Map(positions.map((one) => [one.positionRef, one]))
}

function addRow(state: RunState, row: RunOrderRow, saved: PositionCheckpoint | undefined): void {
  const leg = state.leg(row.legId)
  if (!leg) return
  const { symbol, exchange, action, status } = row
  leg.contract = { symbol, exchange }
  const position =
    state.positions.get(row.positionRef) ?? leg.open(row.positionRef, action === 'BUY' ? 1n : -1n)
  const { id, legId, kind, positionRef, quantity, filledQuantity, averagePrice, brokerOrderId } = row
  const exitOwner = kind === 'entry' ? null : 'live'
  const { product } = leg.config
  const one = new OrderState({
    id,
    legId,
    kind,
    positionRef,
    exitOwner,
    symbol,
    exchange,
    action,
    quantity,
    product,
  })
  one.isAnswered = true
  one.isPlaced = brokerOrderId !== null || (status !== 'pending' && status !== 'rejected')
  one.apply({ status, filledQuantity, averagePrice, brokerOrderId })
  const known = saved?.orders.find((order) => order.id === id)
  // A checkpoint may know a fill that the row lacks. It never takes a fill away.
  if (known && one.isWorking) one.apply({ status: one.status, ...known })
  state.addOrder(one, position)
  position.closedElsewhere += row.closedElsewhere ?? 0
}

function restoreLeg(
  state: RunState,
  leg: LegState,
  saved: LegCheckpoint | undefined,
  positions: ReadonlyMap<string, PositionCheckpoint>,
): void {
  for (const position of leg.positions) restorePosition(state, leg, position, positions.get(position.ref))
  leg.isReentryOff = saved?.isReentryOff ?? false
  if (typeof saved?.ltp === 'number') {
    leg.price = saved.ltp
    leg.ltp = toMoney(saved.ltp)
    leg.isPriceOld = true
  }
  const intent = leg.newest?.intent
  leg.isOver = intent === 'exit_expiry' || (intent === 'exit_eod' && state.stop === null)
  const { newest } = leg
  const exit = newest?.lastExit?.order.kind
  const isOver = state.stop !== null || !newest?.isFlat || exit === undefined
  // An immediate entry is stored together with the fill before it. Only the wait for a price resumes.
  if (
    !isOver &&
    leg.config.reentry?.mode === 'cost' &&
    newest.hasFills &&
    mayEnterAgain(state, leg, newest, exit)
  ) {
    leg.wait = waitOf(leg, newest)
  }
  leg.refresh()
}

function restorePosition(
  state: RunState,
  leg: LegState,
  position: Position,
  saved: PositionCheckpoint | undefined,
): void {
  position.recount()
  if (saved) position.restoreLevels(saved)
  position.intent = position.intentOfOrders(state.stop !== null || leg.isOutgoing(position))
  position.isSettled = position.isFlat
}

function restoreTotals(state: RunState, checkpoint: Checkpoint | null): void {
  if (checkpoint) {
    state.peak = checkpoint.peak
    state.trough = checkpoint.trough
    state.floor = checkpoint.lockFloor
    state.reportedFloor = checkpoint.lockFloor
    state.isTrailToEntryActive = checkpoint.isTrailToEntryActive
    state.carried = carriedOf(state, checkpoint)
  }
  state.sumUp()
}

/**
 * A run that was carried over the end of a session begins the next one at its last known total. A session that goes back is
 * none: the clock was set back.
 */
function carriedOf(state: RunState, { at, carried, total }: Checkpoint): Money | null {
  if (sessionStart(at) < sessionStart(state.now)) return total
  return carried === undefined || carried === null ? null : toMoney(carried)
}

/** Ends a run that is flat, unless it is a signal run without a stop. */
function end(state: RunState, { definition, rows }: RunRecord): Restored['outcome'] {
  if (state.ended !== null) {
    finishIfFlat(state)
    return 'ended'
  }
  if (!state.isFlat) return 'resumed'
  if (state.stop !== null) {
    finish(state, state.stop, `Run stopped (${state.stop}); recovery confirmed it was flat`)
  } else if (!isDone(state)) {
    return 'resumed'
  } else if (state.legs.some((leg) => leg.positions.some((one) => one.hasFills))) {
    const message = 'Recovered flat: every leg had already closed, so the run was finished'
    state.event(eventOf('recovery_succeeded', message, { payload: { run_id: definition.runId } }))
    finish(state, 'manual', 'All legs closed')
  } else {
    finish(state, 'error', rows.length === 0 ? NOT_DISPATCHED : NO_ENTRY)
  }
  return 'finished'
}

function tellResumed(state: RunState, { definition, checkpoint }: RunRecord): void {
  const { legs, watched } = state
  const open = legs.filter((leg) => !leg.isFlat).length
  const unpriced = [...state.orders.values()]
    .filter(({ value }) => value === null)
    .map(({ order }) => order.id)
  const notes = [
    `Run ${definition.runId} recovered: ${open} open of ${legs.length} legs, ${watched.length} instruments resubscribed`,
    ...(checkpoint ? [] : ['no checkpoint was found, so trailing levels start again from the entries']),
    ...(unpriced.length === 0 ? [] : [`${unpriced.length} fills have no price: reconcile the P&L by hand`]),
  ]
  state.event(
    eventOf('recovery_succeeded', notes.join('; '), {
      severity: unpriced.length === 0 ? 'info' : 'critical',
      payload: { open_legs: open, legs: legs.length, instruments: watched.length, unpriced_orders: unpriced },
    }),
  )
}
