import { period, rowsOf } from '../definition.js'
import * as s from '../series.js'

const row = rowsOf('Price Transform')

export const PRICE_TRANSFORM = [
  row('avgprice', 'ohlc', {}, ['price'], ({ open, high, low, close }) => [
    s.scale(s.add(s.add(open, high), s.add(low, close)), 1 / 4),
  ]),
  row('medprice', 'hl', {}, ['price'], (bars) => [s.hl2(bars)]),
  row('midpoint', 'c*', { period: period(14) }, ['price'], ({ close }, p) => [
    s.midOfRange({ high: close, low: close }, p.period),
  ]),
  row('midprice', 'hl', { period: period(14) }, ['price'], (bars, p) => [s.midOfRange(bars, p.period)]),
  row('typprice', 'hlc', {}, ['price'], (bars) => [s.hlc3(bars)]),
  row('wclprice', 'hlc', {}, ['price'], ({ high, low, close }) => [
    s.scale(s.add(s.add(high, low), s.scale(close, 2)), 1 / 4),
  ]),
]
