import { HYBRID } from './categories/hybrid.js'
import { MOMENTUM } from './categories/momentum.js'
import { OSCILLATORS } from './categories/oscillators.js'
import { PRICE_TRANSFORM } from './categories/price-transform.js'
import { STATISTICAL } from './categories/statistical.js'
import { TREND } from './categories/trend.js'
import { UTILITY } from './categories/utility.js'
import { VOLATILITY } from './categories/volatility.js'
import { VOLUME } from './categories/volume.js'
import { type Bars, type Indicator, IndicatorError, type Line, type ParamValues } from './definition.js'
import { readParams } from './params.js'

export { type Bars, type Indicator, IndicatorError, type Line } from './definition.js'

export { readParams } from './params.js'

/**
 * The table of indicators. The averages and windows (SMA, EMA, WMA, Wilder's), the linear fit, ALMA, Chande's
 * momentum and the Chande Kroll stop come from the library `trading-signals`: it is ESM, typed and without
 * dependencies, its EMA begins with the first value and Wilder's average with a mean, as here. Its larger
 * indicators differ from ours in points that matter to a workflow: when the first value appears, the result
 * of a flat market, and which bar counts as first. Those are composed here from the same averages.
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

/** Names of known indicators that workflows cannot use, with the reason. */
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
 * Returns the indicator of a name, ignoring case.
 *
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

/** A computed indicator: its settings, and a line for each output. */
interface Computed {
  params: ParamValues
  lines: readonly Line[]
}

/**
 * Computes an indicator over bars with the given settings and defaults for the others.
 *
 * @throws IndicatorError for an unknown setting, or one that needs more bars
 */
export function computeIndicator(
  indicator: Indicator,
  bars: Bars,
  given: Readonly<Record<string, unknown>> = {},
): Computed {
  const params = readParams(indicator, given, bars.close.length)
  return { params, lines: indicator.compute(bars, params) }
}
