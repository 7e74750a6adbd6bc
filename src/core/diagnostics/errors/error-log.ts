import { join } from 'node:path'
import { ERROR_LOG, ERROR_LOG_BYTES, type LogLevel } from '../../logging/index.js'
import { SerialQueue } from '../../storage/index.js'
import { type Clock, DAY_MS, HOUR_MS } from '../../time/index.js'
import { type ErrorEntry, entryOf, type LogLine, logLineOf } from './entry.js'
import { fingerprintOf } from './fingerprint.js'
import { lastLines } from './last-lines.js'

interface ErrorLogOptions {
  /** The folder of the logs. */
  dir: string
  clock: Clock
  /** Texts that are always masked: the keys of this installation. */
  secrets: readonly string[]
}

interface RecentErrors {
  /** The newest entries that match, the oldest of them first. */
  entries: readonly ErrorEntry[]
  /** The lines that were read, also those that are no entries. */
  scanned: number
  /** The entries among them. */
  total: number
}

export interface ErrorCounts {
  total: number
  byLevel: Readonly<Partial<Record<LogLevel, number>>>
  lastDay: number
  lastHour: number
}

interface ErrorGroup {
  fingerprint: string
  count: number
  firstAt: number
  lastAt: number
  /** The newest entry. */
  sample: ErrorEntry
}

/**
 * Reads the error log: at most its last 10 MB, line by line, so that its length costs neither memory nor time.
 * One read runs at a time, and each gives way to other work after every chunk.
 */
export class ErrorLog {
  readonly #options: ErrorLogOptions
  readonly #reads = new SerialQueue()

  constructor(options: ErrorLogOptions) {
    this.#options = options
  }

  /** Returns the newest entries. `text` is searched for in all parts of an entry, ignoring case. */
  async recent(filter: { limit: number; level?: LogLevel; text?: string }): Promise<RecentErrors> {
    const { level, limit } = filter
    const text = filter.text?.toLowerCase() ?? ''
    const newest: LogLine[] = []
    const read = await this.#read((line) => {
      if (level !== undefined && line.level !== level) return
      if (text !== '' && !hasText(this.#entryOf(line), text)) return
      newest.push(line)
      if (newest.length >= 2 * limit) newest.splice(0, limit)
    })
    return { entries: newest.slice(-limit).map((line) => this.#entryOf(line)), ...read }
  }

  async counts(): Promise<ErrorCounts> {
    const now = this.#options.clock.now()
    const byLevel: Partial<Record<LogLevel, number>> = {}
    let [lastDay, lastHour] = [0, 0]
    const { total } = await this.#read(({ at, level }) => {
      byLevel[level] = (byLevel[level] ?? 0) + 1
      if (at >= now - DAY_MS) lastDay += 1
      if (at >= now - HOUR_MS) lastHour += 1
    })
    return { total, byLevel, lastDay, lastHour }
  }

  /** Returns the entries by fingerprint, the most frequent first, then the most recent. */
  async groups(limit: number): Promise<{ groups: ErrorGroup[]; entries: number; total: number }> {
    const groups = new Map<string, ErrorGroup>()
    const { total: entries } = await this.#read((line) => {
      const entry = this.#entryOf(line)
      const fingerprint = fingerprintOf(entry)
      const { at } = entry
      const known = groups.get(fingerprint)
      if (known === undefined) {
        groups.set(fingerprint, { fingerprint, count: 1, firstAt: at, lastAt: at, sample: entry })
        return
      }
      known.count += 1
      known.firstAt = Math.min(known.firstAt, at)
      if (at < known.lastAt) return
      known.lastAt = at
      known.sample = entry
    })
    const order = (one: ErrorGroup, other: ErrorGroup) => other.count - one.count || other.lastAt - one.lastAt
    return { groups: [...groups.values()].sort(order).slice(0, limit), entries, total: groups.size }
  }

  #entryOf(line: LogLine): ErrorEntry {
    return entryOf(line, this.#options.secrets)
  }

  #read(visit: (line: LogLine) => void): Promise<{ scanned: number; total: number }> {
    const { dir } = this.#options
    return this.#reads.run(async () => {
      let [scanned, total] = [0, 0]
      for await (const lines of lastLines(join(dir, ERROR_LOG), ERROR_LOG_BYTES)) {
        scanned += lines.length
        for (const line of lines) {
          const entry = logLineOf(line)
          if (entry === undefined) continue
          total += 1
          visit(entry)
        }
      }
      return { scanned, total }
    })
  }
}

function hasText({ details, exception = [], logger, message }: ErrorEntry, text: string): boolean {
  return [logger, message, ...exception, JSON.stringify(details)].some((part) =>
    part.toLowerCase().includes(text),
  )
}
