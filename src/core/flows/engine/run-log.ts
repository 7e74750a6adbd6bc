import { istDateTime } from '../../time/index.js'
import { LIMITS } from '../graph.js'
import type { LogLevel } from '../nodes/definition.js'

/** One line of a run: when (ISO 8601 with India's offset), what, how grave. */
export interface LogEntry {
  time: string
  message: string
  level: LogLevel
}

/** An instant as log lines and rows of executions show it. */
export function istIso(ms: number): string {
  const millis = String(((ms % 1000) + 1000) % 1000).padStart(3, '0')
  return `${istDateTime(ms).replace(' ', 'T')}.${millis}+05:30`
}

/** The lines of one run, in order, bounded in number and length. Values of secrets never get in. */
export class RunLog {
  readonly entries: LogEntry[] = []
  #secrets: string[] = []

  constructor(
    private readonly now: () => number,
    private readonly onEntry?: (entry: LogEntry) => void,
  ) {}

  add(message: string, level: LogLevel = 'info'): void {
    if (this.entries.length > LIMITS.logEntries) return
    const full = this.entries.length === LIMITS.logEntries
    const text = full ? `The log is full: ${LIMITS.logEntries} lines` : this.masked(message)
    const entry = { time: istIso(this.now()), message: cut(text), level: full ? 'warning' : level }
    this.entries.push(entry)
    this.onEntry?.(entry)
  }

  /** From now on this value is hidden wherever it appears. */
  hide(secret: string): void {
    if (secret !== '' && !this.#secrets.includes(secret)) this.#secrets.push(secret)
  }

  /** The text without the values of secrets the run has read. */
  masked(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
  }
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= LIMITS.logMessageBytes) return text
  return `${Buffer.from(text).subarray(0, LIMITS.logMessageBytes).toString('utf8')}…`
}
