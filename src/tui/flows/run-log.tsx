import { Box, Text } from 'ink'
import { useContext, useEffect, useMemo } from 'react'
import { textMember } from '../../client/answers/json.js'
import type { ClientEvent, SvcClient } from '../../client/index.js'
import { cellText, visible } from '../../views/table/cells.js'
import { ScrolledText, type TextLine } from '../components/ScrolledText.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'
import { Store } from '../live/store.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { cut } from '../terminal/fit.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext, type Tone } from '../terminal/theme.js'
import type { Run } from './open-flow.js'

/** A line of the log of a run. */
export interface LogLine {
  time: string
  level: string
  message: string
  node?: string | undefined
  label?: string | undefined
}

/** The lines of a running run as the daemon sent them, from its first one. */
interface SentLines {
  run: number
  lines: readonly LogLine[]
}

/** Lines that come in so many milliseconds are drawn together. */
const GATHER_MS = 66

/** A run with its log, live: while it runs, the daemon sends each line. */
export class RunLogFeed extends Feed<Run | undefined> {
  readonly sent = new Store<SentLines | undefined>(undefined)
  readonly #reader: RunReader
  #stream: { run: number; left: AbortController } | undefined
  #isHeld = false

  constructor(daemon: LiveDaemon, reader = new RunReader()) {
    super(daemon, reader, undefined)
    this.#reader = reader
    this.subscribe(() => this.#follow())
  }

  /** Reads this run from now on. */
  choose(id: number): void {
    if (this.#reader.chosen === id) return
    this.#reader.chosen = id
    void this.refresh()
  }

  protected override start(): void {
    this.#isHeld = true
    super.start()
  }

  protected override stop(): void {
    this.#isHeld = false
    super.stop()
    this.#leave()
  }

  /** Follows the chosen run while it runs. A stream that broke is opened again after the next good read. */
  #follow(): void {
    const { content: run, problem } = this.state()
    const isFollowed = run?.status === 'running' && run.id === this.#reader.chosen
    if (!this.#isHeld || problem !== undefined) return
    if (run !== undefined && isFollowed && this.#stream?.run === run.id) return
    this.#leave()
    if (run === undefined || !isFollowed) return
    const left = new AbortController()
    this.#stream = { run: run.id, left }
    // Without the stream the reads of the run bring the lines.
    void this.#read(run, left.signal)
      .catch(() => undefined)
      .finally(() => this.#end(left))
  }

  async #read({ id, workflow_id }: Run, signal: AbortSignal): Promise<void> {
    const request = { params: { id: String(workflow_id) } }
    const client = this.daemon.reader()
    const lines: LogLine[] = []
    let timer: NodeJS.Timeout | undefined
    const show = () => {
      timer = undefined
      if (!signal.aborted) this.sent.set({ run: id, lines: [...lines] })
    }
    for await (const event of client.lines('GET /flow/api/workflows/:id/follow', request, { signal })) {
      if (event.execution_id !== id) continue
      if (event.type === 'finished') break
      if (event.type !== 'log') continue
      lines.push(logLine(event))
      if (timer === undefined) timer = setTimeout(show, GATHER_MS)
    }
    void this.refresh()
  }

  #end(left: AbortController): void {
    if (this.#stream?.left === left) this.#stream = undefined
  }

  #leave(): void {
    this.#stream?.left.abort()
    this.#stream = undefined
  }
}

class RunReader implements Source<Run | undefined> {
  chosen: number | undefined
  readonly pauseMs = 5000
  readonly gatherMs = 250

  isChangedBy({ event, data }: ClientEvent): boolean {
    return event === 'flow_execution' && data.execution_id === this.chosen
  }

  async read(client: SvcClient): Promise<Run | undefined> {
    if (this.chosen === undefined) return undefined
    return client.request('GET /flow/api/executions/:id', { params: { id: String(this.chosen) } })
  }
}

function logLine(event: object): LogLine {
  const text = (key: string) => textMember(event, key)
  return {
    time: text('time') ?? '',
    level: text('level') ?? '',
    message: text('message') ?? '',
    node: text('node'),
    label: text('label'),
  }
}

/** Returns the lines of a run: what it stored, or while it runs what was sent, if that is more. */
export function logLines(run: Run, sent: SentLines | undefined): readonly LogLine[] {
  if (run.status !== 'running' || sent?.run !== run.id) return run.logs
  return sent.lines.length > run.logs.length ? sent.lines : run.logs
}

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
