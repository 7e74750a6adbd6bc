import type { z } from 'zod'
import { choice, distance, object, optional, optionalMagnitude, price, symbol, whole } from './fields.js'
import {
  ATM_OFFSETS,
  EXPIRY_RANKS,
  LEG_EXCHANGES,
  LEG_SIDES,
  OPTION_TYPES,
  POSITIONS,
  QUANTITY_MODES,
  REENTRY_EXITS,
  REENTRY_MODES,
  RISK_UNITS,
  SEGMENTS,
  SIGNAL_SEGMENTS,
  STRIKE_MODES,
} from './vocabulary.js'

export const MAX_LEGS = 10
/** Lots of one leg of derivatives. */
export const MAX_LOTS = 50
/** Shares of one cash leg, and units of one signal leg. */
export const MAX_UNITS = 1_000_000
export const MAX_SIGNAL_LOTS = 10_000

const id = () => optional(whole(1, MAX_LEGS))

/** The stop follows the price: every `x` in favour moves it by `y`; with `y` 0 it stays `x` behind the best price. */
const trail = object({ x: distance(), y: distance() })
  .nullish()
  .transform((trail) => (trail && (trail.x > 0 || trail.y > 0) ? trail : null))

const risk = {
  sl_pts: optionalMagnitude(distance()),
  target_pts: optionalMagnitude(distance()),
  trail,
  risk_unit: choice(RISK_UNITS)
    .nullish()
    .transform((unit) => unit ?? 'points'),
}

/** A new entry after an exit by stop loss or target. */
const reentry = object({ on: choice(REENTRY_EXITS), mode: choice(REENTRY_MODES), max: whole(1, 10) })

export const batchLeg = object({
  id: id(),
  segment: choice(SEGMENTS),
  position: choice(POSITIONS),
  lots: whole(1, MAX_UNITS),
  option_type: optional(choice(OPTION_TYPES)),
  strike_mode: optional(choice(STRIKE_MODES)),
  atm_offset: optional(choice(ATM_OFFSETS)),
  strike: optional(price()),
  expiry: optional(choice(EXPIRY_RANKS)),
  ...risk,
  reentry: optional(reentry),
})

export const signalLeg = object({
  id: id(),
  symbol: symbol(100),
  exchange: choice(LEG_EXCHANGES),
  segment: choice(SIGNAL_SEGMENTS)
    .nullish()
    .transform((segment) => segment ?? 'cash'),
  side: choice(LEG_SIDES)
    .nullish()
    .transform((side) => side ?? 'both'),
  qty: whole(1, MAX_UNITS),
  qty_mode: optional(choice(QUANTITY_MODES)),
  expiry: optional(choice(EXPIRY_RANKS)),
  ...risk,
})

/** A leg of a batch strategy, in canonical form: a field that does not apply to its segment is null. */
export interface BatchLeg extends z.output<typeof batchLeg> {
  id: number
}

/** A leg of a signal strategy, in canonical form. */
export interface SignalLeg extends z.output<typeof signalLeg> {
  id: number
  qty_mode: (typeof QUANTITY_MODES)[number]
}
