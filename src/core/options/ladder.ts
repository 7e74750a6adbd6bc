import type { Instrument, InstrumentCatalog } from '../instruments/index.js'
import type { OptionType } from './pricing/black76.js'

/** One strike of an expiry; a side that is not listed is undefined. */
export interface Rung {
  strike: number
  CE: Instrument | undefined
  PE: Instrument | undefined
}

/** The listed strikes of one expiry (`DD-MON-YY`), ascending. */
export function strikeLadder(
  catalog: InstrumentCatalog,
  base: string,
  venue: string,
  expiry: string,
): Rung[] {
  const rungs = new Map<number, Rung>()
  for (const contract of catalog.contracts(base, venue, expiry)) {
    const { instrumentType: type, strike } = contract
    if (!isOptionType(type) || !(strike > 0)) continue
    const rung = rungs.get(strike) ?? { strike, CE: undefined, PE: undefined }
    rung[type] = contract
    rungs.set(strike, rung)
  }
  return [...rungs.values()].sort((a, b) => a.strike - b.strike)
}

/** The place of the strike nearest to a price, the lower one of two; -1 without strikes. */
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

/** `ATM`, `ITM3`, `OTM50` as steps up the strikes: a call is in the money below, a put above. */
export function stepsOf(offset: string, type: OptionType): number {
  if (offset === 'ATM') return 0
  const count = Number(offset.slice(3))
  const isBelow = offset.startsWith('ITM') === (type === 'CE')
  return isBelow ? -count : count
}

/** The name of a strike that lies `steps` above the one at the money. */
export function offsetLabel(steps: number, type: OptionType): string {
  if (steps === 0) return 'ATM'
  const isIn = steps < 0 === (type === 'CE')
  return `${isIn ? 'ITM' : 'OTM'}${Math.abs(steps)}`
}

export function isOptionType(type: string): type is OptionType {
  return type === 'CE' || type === 'PE'
}
