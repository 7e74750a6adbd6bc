import { textMember } from '../../client/answers/json.js'
import type { ClientEvent, SvcClient } from '../../client/index.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'
import { Store } from '../live/store.js'
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
