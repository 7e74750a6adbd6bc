import { fromMoney, type Money, toMoney } from '../../../money/index.js'
import type { ExitKind, TickSource } from '../../config/vocabulary.js'
import { hitsStop, hitsTarget, points } from '../risk/leg.js'
import type { LegState } from '../state/leg.js'
import { priceOf } from '../state/order.js'
import type { Position } from '../state/position.js'
import type { RunState } from '../state/run-state.js'
import { eventOf, priceText, stopHitText, targetHitText } from '../texts.js'
import type { Contract, Tick } from '../types.js'
import { judgeTotals } from './aggregate.js'
import { pursueExit, wantedExit } from './exits.js'
import { placeEntry } from './orders.js'

/** Judges a price for every leg on its contract. A price that changes nothing allocates nothing. */
export function applyTick(state: RunState, tick: Tick): void {
  if (priceOf(tick.price) === null) return
  let hasValueChanged = false
  for (const leg of state.legs) {
    if ((leg.price === tick.price && !leg.isDue) || !leg.isOn(tick.symbol, tick.exchange)) continue
    judgeLeg(state, leg, tick.price)
    hasValueChanged = true
  }
  if (!hasValueChanged) return
  state.sumUp()
  judgeTotals(state, tick)
}

/** Notes where the prices of a contract come from. A stale source is an event, never a price. */
export function applyFeed(state: RunState, { symbol, exchange }: Contract, source: TickSource): void {
  const legs = state.legs.filter((leg) => leg.isOn(symbol, exchange) && leg.source !== source)
  for (const leg of legs) leg.source = source
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

function judgeLeg(state: RunState, leg: LegState, price: number): void {
  const ltp = toMoney(price)
  leg.price = price
  leg.ltp = ltp
  leg.isDue = false
  if (leg.wait !== null) judgeWait(state, leg, ltp)
  for (const position of leg.held) {
    if (wantedExit(state, leg, position) === null) judgePosition(state, leg, position, ltp)
  }
  leg.revalue()
}

function judgeWait(state: RunState, leg: LegState, price: Money): void {
  const { wait } = leg
  if (wait === null || (wait.isRise ? price < wait.price : price > wait.price)) return
  leg.wait = null
  const side = leg.positions[0]?.side
  if (side !== undefined) placeEntry(state, leg, side)
}

function judgePosition(state: RunState, leg: LegState, position: Position, price: Money): void {
  const wasArmed = position.isTrailArmed
  if (position.follow(price)) tellTrail(state, leg, position, wasArmed)
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

/** Tells that the trail is armed, and then each step of it. A trail without steps is told once a trigger distance. */
function tellTrail(state: RunState, leg: LegState, position: Position, wasArmed: boolean): void {
  const { trail, stop, plan, side, entry, reportedTrail: told } = position
  if (trail === null || stop === null || entry === null || plan.trail === null) return
  const step = plan.trail.y === 0n ? points(plan, plan.trail.x, entry) : 1n
  if (told !== null && side * (trail - told) < step) return
  position.reportedTrail = trail
  const isArming = told === null && !wasArmed
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
