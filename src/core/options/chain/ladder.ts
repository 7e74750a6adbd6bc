import type { Instrument, InstrumentCatalog } from '../../instruments/index.js'
import type { OptionType } from '../pricing/black76.js'

/** One strike of an expiry. A side that is not listed is undefined. */
export interface Rung {
  readonly strike: number
  readonly CE: Instrument | undefined
  readonly PE: Instrument | undefined
}

/** The ladders kept of each master: a desk watches a few expiries at a time. */
const MAX_KEPT = 64
const kept = new WeakMap<object, Map<string, readonly Rung[]>>()

/** Returns the listed strikes of one expiry (`DD-MON-YY`), in ascending order. The ladder is kept with its master. */
export function strikeLadder(
  catalog: InstrumentCatalog,
  base: string,
  venue: string,
  expiry: string,
): readonly Rung[] {
  const ladders = kept.get(catalog.master) ?? new Map<string, readonly Rung[]>()
  kept.set(catalog.master, ladders)
  const key = `${venue}:${base}:${expiry}`
  const known = ladders.get(key)
  if (known) return known
  const ladder = buildLadder(catalog, base, venue, expiry)
  if (ladders.size >= MAX_KEPT) ladders.clear()
  ladders.set(key, ladder)
  return ladder
}

/** Strikes of a ladder, and their contracts as a list to ask for again. */
interface Strikes {
  readonly shown: readonly Rung[]
  readonly contracts: readonly Instrument[]
}

/** The ranges of strikes kept of each ladder: the money moves, and clients ask for different counts. */
const MAX_KEPT_RANGES = 32
const ranges = new WeakMap<readonly Rung[], Map<string, Strikes>>()

/** Returns the strikes from one place of a ladder up to another, exclusive. They are kept with the ladder. */
export function strikesWithin(ladder: readonly Rung[], from: number, to: number): Strikes {
  const ofLadder = ranges.get(ladder) ?? new Map<string, Strikes>()
  ranges.set(ladder, ofLadder)
  const key = `${from}:${to}`
  const known = ofLadder.get(key)
  if (known) return known
  const shown = ladder.slice(from, to)
  const contracts = shown.flatMap(({ CE, PE }) => [CE, PE].filter((side) => side !== undefined))
  const strikes = { shown, contracts: Object.freeze(contracts) }
  if (ofLadder.size >= MAX_KEPT_RANGES) ofLadder.clear()
  ofLadder.set(key, strikes)
  return strikes
}

function buildLadder(catalog: InstrumentCatalog, base: string, venue: string, expiry: string): Rung[] {
  const rungs = new Map<number, { -readonly [Side in keyof Rung]: Rung[Side] }>()
  for (const contract of catalog.contracts(base, venue, expiry)) {
    const { instrumentType: type, strike } = contract
    if (!isOptionType(type) || !(strike > 0)) continue
    const rung = rungs.get(strike) ?? { strike, CE: undefined, PE: undefined }
    rung[type] = contract
    rungs.set(strike, rung)
  }
  return [...rungs.values()].sort((a, b) => a.strike - b.strike)
}

/**
 * Returns the index of the strike nearest to a price. On a tie the lower strike wins. Returns -1 without
 * strikes.
 */
export function atTheMoney(strikes: readonly { strike: number }[], ltp: number): number {
  let best = -1
  let distance = Number.POSITIVE_INFINITY
  strikes.forEach(({ strike }, place) => {
    if (Math.abs(strike - ltp) >= distance) return
    best = place
    distance = Math.abs(strike - ltp)
  })
  return best
}

/**
 * Converts `ATM`, `ITM3` or `OTM50` to a number of strikes upwards. A call is in the money below the price, a
 * put above.
 */
export function stepsOf(offset: string, type: OptionType): number {
  if (offset === 'ATM') return 0
  const count = Number(offset.slice(3))
  const isBelow = offset.startsWith('ITM') === (type === 'CE')
  return isBelow ? -count : count
}

/** Returns the label of the strike that is `steps` above the at-the-money strike. */
export function offsetLabel(steps: number, type: OptionType): string {
  if (steps === 0) return 'ATM'
  const isIn = steps < 0 === (type === 'CE')
  return `${isIn ? 'ITM' : 'OTM'}${Math.abs(steps)}`
}

export function isOptionType(type: string): type is OptionType {
  return type === 'CE' || type === 'PE'
}
