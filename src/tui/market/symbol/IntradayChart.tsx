import { useMemo } from 'react'
import { Chart } from '../../components/chart/Chart.js'
import type { Quote } from '../../live/prices/quote.js'
import type { Area } from '../../terminal/size.js'
import { type Bar, pointsOf } from './intraday.js'

interface IntradayChartProps extends Area {
  bars: readonly Bar[]
  quote: Quote | undefined
  isStale: boolean
}

/** Fewer lines would show nothing: the title, the axis, and some for the line. */
const LEAST_LINES = 5

/** The prices of the last session, with the last one as it moves. */
export function IntradayChart({ bars, quote, isStale, width, height }: IntradayChartProps) {
  const series = useMemo(() => [{ name: 'price', points: pointsOf(bars, quote) }], [bars, quote])
  if (height < LEAST_LINES) return null
  return <Chart {...{ series, width, height, isStale }} title="The last session" />
}
