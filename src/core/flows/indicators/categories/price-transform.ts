import { period, rowsOf } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Price Transform')

export const PRICE_TRANSFORM = [
  row(
    'avgprice',
    'Average of open, high, low and close',
    'ohlc',
    {},
    ['price'],
    ({ open, high, low, close }) => [s.scale(s.add(s.add(open, high), s.add(low, close)), 1 / 4)],
  ),
  row('medprice', 'Middle of high and low', 'hl', {}, ['price'], (bars) => [s.hl2(bars)]),
  row(
    'midpoint',
    'Middle of the highest and the lowest close',
    'c*',
    { period: period(14) },
    ['price'],
    ({ close }, p) => [s.midOfRange({ high: close, low: close }, p.period)],
  ),
  row(
    'midprice',
    'Middle of the highest high and the lowest low',
    'hl',
    { period: period(14) },
    ['price'],
    (bars, p) => [s.midOfRange(bars, p.period)],
  ),
  row('typprice', 'Average of high, low and close', 'hlc', {}, ['price'], (bars) => [s.hlc3(bars)]),
  row(
    'wclprice',
    'Average of high, low and close, the close twice',
    'hlc',
    {},
    ['price'],
    ({ high, low, close }) => [s.scale(s.add(s.add(high, low), s.scale(close, 2)), 1 / 4)],
  ),
]
