import { fromMoney, type Money, toMoney } from '../../../money/index.js'
import type { ExitKind, TickSource } from '../../config/vocabulary.js'
import type { Contract } from '../definition.js'
import type { Tick } from '../messages.js'
import { hitsStop, hitsTarget, points } from '../risk/leg.js'
import type { LegState } from '../state/leg.js'
import { priceOf } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, priceText, stopHitText, targetHitText } from '../texts.js'
import { isTooSoon, judgeTotals, tellFloor } from './aggregate.js'
import { pursueExit, wantedExit } from './exits.js'
import { placeEntry } from './orders.js'

/** Judges a price for every leg on its contract. A price that changes nothing allocates nothing. */
export function applyTick(state: RunState, tick: Tick): void {
  if (priceOf(tick.price) === null) return
  let hasValueChanged = false
  for (const leg of state.legs) {
    if ((leg.price === tick.price && !leg.isDue && !leg.isPriceOld) || !leg.isOn(tick.symbol, tick.exchange))
      continue
    judgeLeg(state, leg, tick)
    hasValueChanged = true
  }
  if (!hasValueChanged) return
  state.sumUp()
  judgeTotals(state, tick)
}

/** Notes where the prices of a contract come from. A stale source is an event, never a price. */
export function applyFeed(state: RunState, { symbol, exchange }: Contract, source: TickSource): void {
  const legs = state.legs.filter((leg) => leg.isOn(symbol, exchange) && leg.source !== source)
  for (const leg of legs) {
    leg.source = source
    if (source === 'stale') leg.isPriceOld = true
  }
  const isWatched = state.watched.some((one) => one.symbol === symbol && one.exchange === exchange)
  if (legs.length === 0 || !isWatched) return
  state.emit({ type: 'checkpoint' })
  const payload = { symbol, exchange }
  if (source === 'ws') {
    state.event(eventOf('tick_source_switched_to_ws', `Prices of ${symbol} are streamed again`, { payload }))
  } else if (source === 'polling') {
    const message = `No streamed price of ${symbol}; its quotes are polled`
    state.event(eventOf('tick_source_switched_to_polling', message, { payload }))
  } else {
    const message = `No price of ${symbol} from any source; its levels are not watched until one arrives`
    state.event(eventOf('tick_source_stale', message, { payload }))
  }
}

/**
 * Nobody can trade at a price of a closed exchange, or at one from before its opening: it is kept, and the levels wait for
 * the first one after the opening.
 */
function judgeLeg(state: RunState, leg: LegState, { isOld, price }: Tick): void {
  const ltp = toMoney(price)
  leg.price = price
  leg.ltp = ltp
  leg.isPriceOld = isOld === true || state.closed.has(leg.contract.exchange)
  leg.isDue = leg.isPriceOld
  if (!leg.isDue) judgeLevels(state, leg, ltp)
  leg.revalue()
}

function judgeLevels(state: RunState, leg: LegState, price: Money): void {
  if (leg.wait !== null) judgeWait(state, leg, price)
  for (const position of leg.held) {
    if (wantedExit(state, leg, position) === null) judgePosition(state, leg, position, price)
  }
}

/** Reports the levels that moved within a second after their last event. */
export function tellMovedLevels(state: RunState): void {
  if (state.stop !== null || state.ended !== null) return
  for (const leg of state.legs) {
    for (const position of leg.held) if (position.isTrailUnreported) tellTrail(state, leg, position, true)
  }
  tellFloor(state)
}

function judgeWait(state: RunState, leg: LegState, price: Money): void {
  const { wait } = leg
  if (wait === null || (wait.isRise ? price < wait.price : price > wait.price)) return
  const side = leg.positions[0]?.side
  // A late fill of an older position goes out first.
  if (side === undefined || !leg.mayOpen(side)) return
  leg.wait = null
  placeEntry(state, leg, side)
}

function judgePosition(state: RunState, leg: LegState, position: Position, price: Money): void {
  const wasArmed = position.isTrailArmed
  if (position.follow(price) || position.isTrailUnreported) tellTrail(state, leg, position, wasArmed)
  const { side, stop, target } = position
  if (stop !== null && hitsStop(side, price, stop)) {
    const kind = position.isTrailArmed ? 'exit_trail' : 'exit_sl'
    const payload = { ltp: fromMoney(price), stop: fromMoney(stop), kind }
    state.event(eventOf('leg_sl_hit', stopHitText(side, price, stop), { legId: leg.id, payload }))
    leave(state, leg, position, kind)
  } else if (target !== null && hitsTarget(side, price, target)) {
    const payload = { ltp: fromMoney(price), target: fromMoney(target), kind: 'exit_target' }
    state.event(eventOf('leg_target_hit', targetHitText(side, price, target), { legId: leg.id, payload }))
    leave(state, leg, position, 'exit_target')
  }
}

function leave(state: RunState, leg: LegState, position: Position, kind: ExitKind): void {
  position.wantExit(kind)
  pursueExit(state, leg, position)
}

/**
 * Reports the arming of a trail, then its steps: a fast market makes one event a second for the newest level, and the rest
 * follows with a later tick or the next retry. A trail without steps is reported once for each trigger distance.
 */
function tellTrail(state: RunState, leg: LegState, position: Position, wasArmed: boolean): void {
  const { trail, stop, plan, side, entry, reportedTrail: reported } = position
  if (trail === null || stop === null || entry === null || plan.trail === null) return
  const step = plan.trail.y === 0n ? points(plan, plan.trail.x, entry) : 1n
  if (reported !== null && side * (trail - reported) < step) return
  position.isTrailUnreported = isTooSoon(position.reportedTrailAt, state.elapsed)
  if (position.isTrailUnreported) return
  position.reportedTrail = trail
  position.reportedTrailAt = state.elapsed
  const isArming = reported === null && !wasArmed
  const payload = { stop: fromMoney(stop) }
  state.event(
    isArming
      ? eventOf('leg_trail_armed', `Trailing stop armed on leg ${leg.id} at ${priceText(stop)}`, {
          legId: leg.id,
          payload,
        })
      : eventOf('leg_trail_advanced', `Trailing stop on leg ${leg.id} advanced to ${priceText(stop)}`, {
          legId: leg.id,
          payload,
        }),
  )
  state.emit({ type: 'checkpoint' })
}
