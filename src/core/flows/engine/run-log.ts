import { istDateTime } from '../../time/index.js'
import { LIMITS } from '../graph/graph.js'
import type { LogLevel } from '../nodes/definition.js'

/** One line of a run: when (epoch milliseconds), what, how grave. */
export interface LogEntry {
  at: number
  message: string
  level: LogLevel
}

/** Many lines are written within one second, and its text is what costs most of a line. */
let written = { second: Number.NaN, text: '' }

/** An instant as log lines and rows of executions show it. */
export function istIso(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== written.second) written = { second, text: istDateTime(ms).replace(' ', 'T') }
  return `${written.text}.${String(ms - second * 1000).padStart(3, '0')}+05:30`
}

/** A log as it is stored: a list without names, since most rows are written and never read. */
export function encodeLog(entries: readonly LogEntry[]): string {
  const lines = entries.map(({ at, message, level }) => `[${at},"${level}",${JSON.stringify(message)}]`)
  return `[${lines.join()}]`
}

/** The entries of a stored log. */
export function decodeLog(stored: string): LogEntry[] {
  const lines: [at: number, level: LogLevel, message: string][] = JSON.parse(stored)
  return lines.map(([at, level, message]) => ({ at, message, level }))
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
    const entry: LogEntry = { at: this.now(), message: cut(text), level: full ? 'warning' : level }
    this.entries.push(entry)
    this.onEntry?.(entry)
  }

  /** From now on this value is hidden wherever it appears. */
  hide(secret: string): void {
    // As it is, and as it reads inside JSON and addresses; the longest first, for one may hold another.
    const forms = new Set([
      ...this.#secrets,
      secret,
      JSON.stringify(secret).slice(1, -1),
      ...inAddress(secret),
    ])
    this.#secrets = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length)
  }

  /** The same of everything in an object. */
  maskedValues(values: Record<string, unknown>): Record<string, unknown> {
    if (this.#secrets.length === 0) return values
    return JSON.parse(JSON.stringify(values, (_key, value: unknown) => this.#maskedValue(value)))
  }

  /** A number may be a secret that was reckoned with. */
  #maskedValue(value: unknown): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return value
    const masked = this.masked(String(value))
    return masked === String(value) ? value : masked
  }

  /** The text without the values of secrets the run has read. */
  masked(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
  }
}

/** How a text reads in an address: as part of it, as a path, and as a value of its query. */
function inAddress(text: string): string[] {
  const url = new URL('http://host/')
  url.pathname = text
  return [
    // Through bytes: half a letter has no form in an address.
    encodeURIComponent(Buffer.from(text).toString()),
    url.pathname.slice(1),
    new URLSearchParams({ '': text }).toString().slice(1),
  ]
}

const ELLIPSIS = '…'

/** At most so many bytes, and never half a letter. */
function cut(text: string): string {
  // No letter takes more than three bytes for each unit of a text's length.
  if (text.length * 3 <= LIMITS.logMessageBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= LIMITS.logMessageBytes) return text
  let end = LIMITS.logMessageBytes - Buffer.byteLength(ELLIPSIS)
  // Bytes 10xxxxxx go on with a letter.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end) + ELLIPSIS
}
