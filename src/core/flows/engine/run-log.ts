import { istDateTime } from '../../time/index.js'
import { type FlowNode, LIMITS } from '../graph/graph.js'
import type { LogLevel } from '../nodes/definition.js'

/** A line of a run's log. `at` is epoch milliseconds. */
export interface LogEntry {
  at: number
  message: string
  level: LogLevel
  /** The id of the node that the line is about; undefined for a line about the whole run. */
  node?: string
  /** The label of the node, if it has one. */
  label?: string
}

/**
 * The text of the last second, cached: a run writes many lines per second, and this text is most of their
 * cost.
 */
let written = { second: Number.NaN, text: '' }

/** Returns an instant as logs and rows of runs show it. */
export function istIso(ms: number): string {
  const second = Math.floor(ms / 1000)
  if (second !== written.second) written = { second, text: istDateTime(ms).replace(' ', 'T') }
  return `${written.text}.${String(ms - second * 1000).padStart(3, '0')}+05:30`
}

/** Returns the stored form of a log: a list without member names, since most logs are never read. */
export function encodeLog(entries: readonly LogEntry[]): string {
  const lines = entries.map(({ at, message, level, node, label }) => {
    const about = [node, label].filter((text) => text !== undefined).map((text) => `,${JSON.stringify(text)}`)
    return `[${at},"${level}",${JSON.stringify(message)}${about.join('')}]`
  })
  return `[${lines.join()}]`
}

/** Returns the entries of a stored log. */
export function decodeLog(stored: string): LogEntry[] {
  const lines: [at: number, level: LogLevel, message: string, node?: string, label?: string][] =
    JSON.parse(stored)
  return lines.map(([at, level, message, node, label]) => ({ at, message, level, ...about(node, label) }))
}

function about(node: string | undefined, label: string | undefined): Pick<LogEntry, 'node' | 'label'> {
  return { ...(node !== undefined && { node }), ...(label !== undefined && { label }) }
}

/** The log of one run, limited in lines and line length. Values of secrets never appear in it. */
export class RunLog {
  readonly entries: LogEntry[] = []
  #secrets: string[] = []
  #about: Pick<LogEntry, 'node' | 'label'> = {}

  constructor(
    private readonly now: () => number,
    private readonly onEntry?: (entry: LogEntry) => void,
  ) {}

  /** Attributes the following lines to a node; without one, to the whole run. */
  attribute(node?: FlowNode): void {
    const label = node?.data.label
    const hasLabel = typeof label === 'string' && label.trim() !== ''
    this.#about = about(node?.id, hasLabel ? label.trim() : undefined)
  }

  add(message: string, level: LogLevel = 'info'): void {
    if (this.entries.length > LIMITS.logEntries) return
    const full = this.entries.length === LIMITS.logEntries
    const text = full ? `The log is full: ${LIMITS.logEntries} lines` : this.masked(message)
    const severity = full ? 'warning' : level
    const entry: LogEntry = { at: this.now(), message: cut(text), level: severity, ...this.#about }
    this.entries.push(entry)
    this.onEntry?.(entry)
  }

  /** Hides a value in all later lines. */
  hide(secret: string): void {
    // Hides the plain value and its forms in JSON and URLs. Sorts the longest first, because one form may
    // contain another.
    const forms = new Set([
      ...this.#secrets,
      secret,
      JSON.stringify(secret).slice(1, -1),
      ...inAddress(secret),
    ])
    this.#secrets = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length)
  }

  /** Returns the values with all secrets masked. */
  maskedValues(values: Record<string, unknown>): Record<string, unknown> {
    if (this.#secrets.length === 0) return values
    return JSON.parse(JSON.stringify(values, (_key, value: unknown) => this.#maskedValue(value)))
  }

  /** A number may be a secret that the run computed with. */
  #maskedValue(value: unknown): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return value
    const masked = this.masked(String(value))
    return masked === String(value) ? value : masked
  }

  /** Returns the text with all values of secrets masked. */
  masked(text: string): string {
    return this.#secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
  }
}

/** Returns the forms of a text inside a URL: encoded, as a path, and as a query value. */
function inAddress(text: string): string[] {
  const url = new URL('http://host/')
  url.pathname = text
  return [
    // Through bytes, because half a surrogate pair cannot be URL-encoded.
    encodeURIComponent(Buffer.from(text).toString()),
    url.pathname.slice(1),
    new URLSearchParams({ '': text }).toString().slice(1),
  ]
}

const ELLIPSIS = '…'

/** Cuts a text to the byte limit, never inside a character. */
function cut(text: string): string {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= LIMITS.logMessageBytes) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= LIMITS.logMessageBytes) return text
  let end = LIMITS.logMessageBytes - Buffer.byteLength(ELLIPSIS)
  // Bytes of the form 10xxxxxx continue a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end) + ELLIPSIS
}
