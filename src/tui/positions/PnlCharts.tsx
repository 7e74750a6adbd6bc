import { Box } from 'ink'
import { useMemo } from 'react'
import { Chart, type ChartSeries, isFlat } from '../components/chart/Chart.js'
import { Notice } from '../components/Notice.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../terminal/size.js'
import type { PnlDay } from './feeds.js'

interface PnlChartsProps extends Area {
  day: Live<PnlDay | undefined>
  /** Draws the charts beside each other instead of below each other. */
  isWide: boolean
}

/** A chart of the day, with its title. */
export interface DayChart {
  title: string
  series: readonly ChartSeries[]
}

/** The parts of the profit and of the drawdown in a common area. */
const [PNL_SHARE, BOTH] = [3, 5]

/** The profit and loss of the day, and how far it is below its highest. A flat chart leaves its room to the other. */
export function PnlCharts({ day, isWide, width, height }: PnlChartsProps) {
  const { content, problem } = day
  const charts = useMemo(() => chartsOf(content), [content])
  if (content === undefined) {
    return <Notice width={width} height={height} text={`Profit and loss: ${problem ?? 'reading …'}`} />
  }
  if (content.pnl_series.length === 0) {
    return <Notice width={width} height={height} text={NO_PNL} />
  }
  const isStale = problem !== undefined
  const drawn = charts.filter(({ series }) => !isFlat(series))
  const flat = charts.filter(({ series }) => isFlat(series))
  const isRow = isWide && drawn.length === charts.length
  const room = height - flat.length
  const share = (size: number, at: number) => {
    const first = Math.ceil((size * PNL_SHARE) / BOTH)
    return drawn.length === 1 ? size : at === 0 ? first : size - first
  }
  return (
    <Box flexDirection={isRow ? 'row' : 'column'} height={height}>
      {drawn.map((chart, at) => (
        <Chart
          key={chart.title}
          {...chart}
          width={isRow ? share(width, at) : width}
          height={isRow ? room : share(room, at)}
          hasZero
          isStale={isStale}
        />
      ))}
      {flat.map((chart) => (
        <Chart key={chart.title} {...chart} width={width} height={1} isStale={isStale} />
      ))}
    </Box>
  )
}

/** The words in place of a chart. */
export const NO_PNL = 'No profit or loss to draw yet today. The charts begin with the first trade.'

/** Returns the lines that the charts of a day need, of those that there are. */
export function pnlLines(day: PnlDay | undefined, room: number): number {
  const charts = chartsOf(day)
  if (day === undefined || day.pnl_series.length === 0) return 1
  return charts.every(({ series }) => isFlat(series)) ? charts.length : room
}

function chartsOf(day: PnlDay | undefined): readonly DayChart[] {
  const points = sinceFirstTrade(day, day?.drawdown_series)
  return [pnlChart(day), { title: 'Drawdown ₹', series: [{ name: 'Drawdown', points, tone: 'danger' }] }]
}

/** Returns the chart of the profit of the day, from the first trade on. */
export function pnlChart(day: PnlDay | undefined): DayChart {
  const points = sinceFirstTrade(day, day?.pnl_series)
  return { title: 'P&L ₹', series: [{ name: 'P&L', points, tone: 'accent' }] }
}

/** Returns a series without its beginning, in which nothing was held: hours at zero leave the chart to the trades. */
function sinceFirstTrade(day: PnlDay | undefined, series: PnlDay['pnl_series'] = []): PnlDay['pnl_series'] {
  const first = day?.pnl_series.findIndex(({ value }) => value !== 0) ?? -1
  const from = day?.pnl_series[first - 1]?.time
  return from === undefined ? series : series.filter(({ time }) => time >= from)
}
