import { Box, Text } from 'ink'
import { useContext, useEffect, useMemo } from 'react'
import { cellText, visible } from '../../views/table/cells.js'
import { ScrolledText, type TextLine } from '../components/ScrolledText.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext, type Tone } from '../terminal/theme.js'
import type { Run } from './open-flow.js'
import { type LogLine, logLines, RunLogFeed } from './run-log.js'

interface RunLogViewProps extends Area {
  run: Run
  now: number
  isStale: boolean
}

/** The log of a run, to its end while it runs. */
export function RunLogView({ run: listed, width, height, now, isStale }: RunLogViewProps) {
  const { utc } = useContext(ThemeContext)
  const feed = useDaemon().part(RunLogFeed)
  useEffect(() => feed.choose(listed.id), [feed, listed.id])
  const { content, problem } = useFeed(feed)
  const sent = useStore(feed.sent)
  const run = content?.id === listed.id ? content : listed
  const lines = logLines(run, sent)
  // The day of the log is in the heading, so a line needs only its time of day.
  const texts = useMemo(() => lines.map((line) => textLine(line, utc)), [lines, utc])
  return (
    <Box flexDirection="column" height={height}>
      <Text bold>{cut(runHeading(run, { human: true, utc, now }), width)}</Text>
      <ScrolledText
        lines={texts}
        width={width}
        height={height - 1}
        isGrowing
        isStale={isStale || problem !== undefined}
      />
    </Box>
  )
}

function runHeading(run: Run, style: { human: boolean; utc: boolean; now: number }): string {
  const { id, status, trigger, version, started_at, error, logs } = run
  const end = error === null ? status : `${status}: ${error}`
  const empty = logs.length === 0 && status !== 'running' ? ', the log is empty' : ''
  const begin = `${cellText(started_at, 'time', style)} by ${trigger}, version ${version}`
  return visible(`Run ${id} ${begin}: ${end}${empty}`)
}

const TONES: Readonly<Record<string, Tone>> = { error: 'danger', warn: 'warning', warning: 'warning' }

function textLine({ time, level, node, label, message }: LogLine, utc: boolean): TextLine {
  const at = cellText(time, 'time', { human: true, utc, zone: false, now: Date.parse(time) })
  const about = node === undefined ? '' : `${node}${label === undefined ? '' : ` (${label})`}: `
  const shown = level === 'info' ? '' : `${level} `
  return { text: `${at} ${visible(`${shown}${about}${message}`)}`, tone: TONES[level] }
}
