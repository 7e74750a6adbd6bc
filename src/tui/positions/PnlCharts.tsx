import { Box } from 'ink'
import { useMemo } from 'react'
import { Chart } from '../components/chart/Chart.js'
import { Notice } from '../components/Notice.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../terminal/size.js'
import type { PnlDay } from './feeds.js'

interface PnlChartsProps extends Area {
  day: Live<PnlDay | undefined>
  /** Draws the charts beside each other instead of below each other. */
  isWide: boolean
}

/** The parts of the profit and of the drawdown in a common area. */
const [PNL_SHARE, BOTH] = [3, 5]

/** The profit and loss of the day, and how far it is below its highest. */
export function PnlCharts({ day, isWide, width, height }: PnlChartsProps) {
  const { content, problem } = day
  const series = useMemo(
    () => ({
      pnl: [{ name: 'P&L', points: content?.pnl_series ?? [], tone: 'accent' as const }],
      drawdown: [{ name: 'Drawdown', points: content?.drawdown_series ?? [], tone: 'danger' as const }],
    }),
    [content],
  )
  if (content === undefined) {
    return <Notice width={width} height={height} text={`Profit and loss: ${problem ?? 'reading …'}`} />
  }
  if (content.pnl_series.length === 0) {
    return <Notice width={width} height={height} text="No profit or loss to draw yet today." />
  }
  const first = Math.ceil(((isWide ? width : height) * PNL_SHARE) / BOTH)
  const rest = (isWide ? width : height) - first
  const [one, other] = isWide
    ? [
        { width: first, height },
        { width: rest, height },
      ]
    : [
        { width, height: first },
        { width, height: rest },
      ]
  const isStale = problem !== undefined
  return (
    <Box flexDirection={isWide ? 'row' : 'column'} height={height}>
      <Chart {...one} title="P&L ₹" series={series.pnl} hasZero isStale={isStale} />
      <Chart {...other} title="Drawdown ₹" series={series.drawdown} hasZero isStale={isStale} />
    </Box>
  )
}
