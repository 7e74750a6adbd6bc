import { type Bars, IndicatorError, type Line } from '../definition.js'

/**
 * Returns Wilder's stop and reverse, which starts long at the low of the first bar. Each bar moves it a share
 * of the way to the extreme price since the last reversal, but never beyond the two bars before.
 */
export function parabolic(
  { high, low }: Pick<Bars, 'high' | 'low'>,
  acceleration: number,
  maximum: number,
): Line {
  if (acceleration <= 0 || maximum <= 0) {
    throw new IndicatorError('acceleration and maximum must be positive')
  }
  if (acceleration > maximum) throw new IndicatorError('acceleration cannot be greater than maximum')
  let long = true
  let share = acceleration
  let furthest = high[0] ?? Number.NaN
  let level = low[0] ?? Number.NaN
  return high.map((top, at) => {
    if (at === 0) return level
    const bottom = low[at] ?? Number.NaN
    const [ahead, behind, backs] = long ? [top, bottom, low] : [-bottom, -top, high.map((h) => -h)]
    const sign = long ? 1 : -1
    const next = sign * (level + share * (furthest - level))
    if (behind <= next) {
      level = furthest
      long = !long
      share = acceleration
      furthest = long ? top : bottom
      return level
    }
    if (ahead > sign * furthest) {
      furthest = sign * ahead
      share = Math.min(share + acceleration, maximum)
    }
    const [one = Number.NaN, two = one] = [backs[at - 1], backs[at - 2]]
    level = sign * Math.min(next, one, two)
    return level
  })
}
