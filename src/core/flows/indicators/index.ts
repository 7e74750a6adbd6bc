import { type Bars, type Indicator, IndicatorError, type Line, type ParamValues } from './definition.js'
import { HYBRID } from './hybrid.js'
import { MOMENTUM } from './momentum.js'
import { OSCILLATORS } from './oscillators.js'
import { readParams } from './params.js'
import { PRICE_TRANSFORM } from './price-transform.js'
import { STATISTICAL } from './statistical.js'
import { TREND } from './trend.js'
import { UTILITY } from './utility.js'
import { VOLATILITY } from './volatility.js'
import { VOLUME } from './volume.js'

export { type Bars, type Indicator, IndicatorError, type Line, type ParamValues } from './definition.js'

/**
 * The table of indicators (contract of flows, section 2.4). The averages and windows under them (SMA, EMA, WMA,
 * Wilder's), the linear fit, ALMA, Chande's momentum and the Chande Kroll stop are those of the library `trading-signals`: ESM, typed,
 * without dependencies, its EMA begins with the first value and Wilder's with a mean, as here. Its larger
 * indicators differ from the conventions here where it matters to a flow: when the first value appears, what a
 * flat market gives, which bar counts as first. Those are put together from the same averages.
 */
export const INDICATORS: ReadonlyMap<string, Indicator> = new Map(
  [
    ...TREND,
    ...MOMENTUM,
    ...VOLATILITY,
    ...VOLUME,
    ...OSCILLATORS,
    ...STATISTICAL,
    ...HYBRID,
    ...PRICE_TRANSFORM,
    ...UTILITY,
  ].map((indicator) => [indicator.name, indicator]),
)

const TWO_SERIES = 'compares two series, and the node has one'
const UNUSABLE = 'cannot be computed by the node'

/** Names people look for that no flow can use, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  crossover: `${TWO_SERIES}: compare two indicators in a condition instead`,
  crossunder: `${TWO_SERIES}: compare two indicators in a condition instead`,
  cross: `${TWO_SERIES}: compare two indicators in a condition instead`,
  correlation: TWO_SERIES,
  beta: TWO_SERIES,
  exrem: TWO_SERIES,
  flip: TWO_SERIES,
  valuewhen: TWO_SERIES,
  median_bands: UNUSABLE,
  ulcerindex: UNUSABLE,
  vi: UNUSABLE,
}

/**
 * The row of a name, whatever its case.
 * @throws IndicatorError for a name that is not in the table
 */
export function indicatorNamed(given: string): Indicator {
  const name = given.trim().toLowerCase()
  const found = INDICATORS.get(name)
  if (found) return found
  const reason = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined
  throw new IndicatorError(
    reason === undefined ? `unknown indicator '${name}'` : `Indicator '${name}' ${reason}`,
  )
}

/** A computed indicator: the settings it was computed with, and a line for each output. */
export interface Computed {
  params: ParamValues
  lines: readonly Line[]
}

/**
 * Computes an indicator over bars with the given settings, defaults for the rest.
 * @throws IndicatorError for a setting it does not have, or one it cannot use with so many bars
 */
export function computeIndicator(
  indicator: Indicator,
  bars: Bars,
  given: Readonly<Record<string, unknown>> = {},
): Computed {
  const params = readParams(indicator, given, bars.close.length)
  return { params, lines: indicator.compute(bars, params) }
}
