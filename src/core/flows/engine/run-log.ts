import { istDateTime, type Pace } from '../../time/index.js'
import { isObject } from '../../validation/index.js'
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
  /** The forms of the hidden values, the longest first. */
  #secrets: string[] = []
  #length = 0
  #full = false
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
    if (this.#full) return
    const text = this.#shown(message)
    this.#length += text.length
    const rule = this.#exceeded()
    this.#full = rule !== undefined
    const entry: LogEntry = {
      at: this.now(),
      message: rule === undefined ? text : `The log is full: ${rule}`,
      level: rule === undefined ? level : 'warning',
      ...this.#about,
    }
    this.entries.push(entry)
    this.onEntry?.(entry)
  }

  /** Returns the limit that the next line exceeds. */
  #exceeded(): string | undefined {
    if (this.entries.length >= LIMITS.logEntries) return `${LIMITS.logEntries} lines`
    return this.#length > LIMITS.logLength ? `${LIMITS.logLength} characters` : undefined
  }

  /** Returns a line with secrets masked, cut to its limit. Only as much of a long text is searched for secrets as can be shown. */
  #shown(message: string): string {
    const longest = this.#secrets[0]?.length ?? 0
    const most = LIMITS.logMessageBytes + 2 * longest
    if (message.length <= most) return cut(this.masked(message))
    // A secret that goes on behind the end of the part would be seen in part, so its place is left out.
    const masked = this.masked(message.slice(0, most))
    return cut(`${masked.slice(0, masked.length - longest)}${ELLIPSIS}`)
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

  /** Returns the values by name with all secrets masked; lets others go first between them. */
  async maskedValues(values: ReadonlyMap<string, unknown>, pace: Pace): Promise<Record<string, unknown>> {
    if (this.#secrets.length === 0) return Object.fromEntries(values)
    const masked: [name: string, value: unknown][] = []
    for (const [name, value] of values) masked.push([name, await this.#maskedValue(value, pace)])
    return Object.fromEntries(masked)
  }

  async #maskedValue(value: unknown, pace: Pace): Promise<unknown> {
    const text = JSON.stringify(value) ?? ''
    await pace.spend(text.length)
    return this.#isSeenIn(text) ? this.#maskedMembers(value, pace) : value
  }

  async #maskedMembers(value: unknown, pace: Pace): Promise<unknown> {
    const turn = pace.spend(this.#secrets.length)
    if (turn) await turn
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const item of value) items.push(await this.#maskedMembers(item, pace))
      return items
    }
    if (!isObject(value)) return this.#maskedScalar(value)
    const members: [name: string, value: unknown][] = []
    for (const [name, member] of Object.entries(value)) {
      members.push([name, await this.#maskedMembers(member, pace)])
    }
    return Object.fromEntries(members)
  }

  /** A number may be a secret that the run computed with. */
  #maskedScalar(value: unknown): unknown {
    if (typeof value !== 'string' && typeof value !== 'number') return value
    const masked = this.masked(String(value))
    return masked === String(value) ? value : masked
  }

  #isSeenIn(text: string): boolean {
    return this.#secrets.some((secret) => text.includes(secret))
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
