import { type Line, period, rowsOf } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Utility')

/** 1 where the condition holds, 0 elsewhere, also on the first bars, which have no value to compare with. */
const flags = (line: Line, holds: (move: number) => boolean): Line =>
  s.map(line, (move) => (holds(move) ? 1 : 0))

export const UTILITY = [
  row(
    'change',
    'Change of the close over some bars',
    'c*',
    { length: period(1) },
    ['change'],
    ({ close }, p) => [s.change(close, p.length)],
  ),
  row('falling', 'Whether the close fell', 'c*', { length: period(1) }, ['1 or 0'], ({ close }, p) => [
    flags(s.change(close, p.length), (move) => move < 0),
  ]),
  row('highest', 'Highest close', 'c*', { period: period(14) }, ['highest'], ({ close }, p) => [
    s.highest(close, p.period),
  ]),
  row('lowest', 'Lowest close', 'c*', { period: period(14) }, ['lowest'], ({ close }, p) => [
    s.lowest(close, p.period),
  ]),
  row('rising', 'Whether the close rose', 'c*', { length: period(1) }, ['1 or 0'], ({ close }, p) => [
    flags(s.change(close, p.length), (move) => move > 0),
  ]),
  row('stdev', 'Standard deviation', 'c*', { period: period(14) }, ['deviation'], ({ close }, p) => [
    s.stdev(close, p.period),
  ]),
]
