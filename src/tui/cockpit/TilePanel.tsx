import { Box } from 'ink'
import { Chart, isFlat } from '../components/chart/Chart.js'
import { PlainRows } from '../components/list/PlainRows.js'
import { Panel, type PanelLine, panelParts } from '../components/Panel.js'
import type { Live } from '../live/feed.js'
import { useIsStale, useStaleText } from '../live/use-daemon.js'
import { PaintedLine } from '../terminal/PaintedLine.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import type { Tile, TileContent } from './tile.js'

interface TilePanelProps extends Area {
  tile: Tile
  isSelected: boolean
}

/** An age changes each second; the times of other content change their form at midnight. */
const [STALE_MS, CURRENT_MS] = [1000, 60_000]
const CURRENT: Live<unknown> = { content: undefined, problem: undefined, readAt: 0 }

/** A tile under its title. Whatever of it cannot be read it says by itself: the other tiles go on. */
export function TilePanel({ tile, isSelected, width, height }: TilePanelProps) {
  const content = tile.use()
  const failed = content.live.find(({ problem }) => problem !== undefined)
  const isRead = content.live.some(({ readAt }) => readAt > 0)
  const now = useNow(failed === undefined ? CURRENT_MS : STALE_MS)
  const stale = useStaleText(failed ?? CURRENT, now)
  const isDim = useIsStale() || failed !== undefined
  const shown = isRead ? withProblem(content, failed) : { lines: [unread(failed?.problem)] }
  return (
    <Panel
      title={tile.title}
      stale={isRead ? stale : ''}
      isSelected={isSelected}
      width={width}
      height={height}
    >
      {(area) => <TileBody {...area} {...shown} now={now} isStale={isRead && isDim} />}
    </Panel>
  )
}

function unread(problem: string | undefined): PanelLine {
  return problem === undefined ? { text: 'Reading …' } : { text: `Not read: ${problem}`, tone: 'danger' }
}

/** A part that was never read says why, below what is there. */
function withProblem(content: TileContent, failed: Live<unknown> | undefined): TileContent {
  if (failed === undefined || failed.readAt > 0 || failed.problem === undefined) return content
  return { ...content, lines: [...content.lines, { text: `Not read: ${failed.problem}`, tone: 'danger' }] }
}

interface TileBodyProps extends Area, Omit<TileContent, 'live'> {
  now: number
  isStale: boolean
}

/** The cells of the lines beside a chart. */
const LINES_WIDTH = 26
const CHART_GAP = 2
/** A smaller chart says nothing. */
const [LEAST_CHART_WIDTH, LEAST_CHART_LINES] = [24, 4]

function TileBody({ chart, ...body }: TileBodyProps) {
  const { width, height, isStale } = body
  const room = width - LINES_WIDTH - CHART_GAP
  if (chart === undefined || room < LEAST_CHART_WIDTH || height < LEAST_CHART_LINES)
    return <Lines {...body} />
  if (isFlat(chart.series)) {
    const hasLine = chart.series.some(({ points }) => points.length > 0)
    if (!hasLine) return <Lines {...body} />
    return (
      <>
        <Lines {...body} height={Math.min(panelParts(body.lines, width).length, height - 1)} />
        <Chart {...chart} width={width} height={1} isStale={isStale} />
      </>
    )
  }
  return (
    <Box height={height}>
      <Box width={LINES_WIDTH + CHART_GAP}>
        <Lines {...body} width={LINES_WIDTH} />
      </Box>
      <Chart {...chart} width={room} height={height} hasZero isStale={isStale} />
    </Box>
  )
}

/** The lines of a tile, and its list in the room that they leave. */
function Lines({ lines, list, width, height, now, isStale }: Omit<TileBodyProps, 'chart'>) {
  const parts = panelParts(lines, width).slice(0, height)
  const room = height - parts.length
  return (
    <Box flexDirection="column" width={width} height={height}>
      {parts.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <PaintedLine key={index} parts={line} width={width} isDim={isStale} />
      ))}
      {list !== undefined && room > 0 && (
        <PlainRows {...list} width={width} height={room} now={now} isStale={isStale} />
      )}
    </Box>
  )
}
