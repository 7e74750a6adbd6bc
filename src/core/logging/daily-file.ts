import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, istDate, istInstant } from '../time/index.js'
import { type LogSink, openSink } from './sink.js'

const DAY_MS = 86_400_000
const FILE_NAME = /^svc_(\d{4}-\d{2}-\d{2})\.log$/

export interface DailyFileOptions {
  dir: string
  /** Files kept, and days they are kept. */
  retention: number
  clock: Clock
}

/**
 * The log of the day: `svc_YYYY-MM-DD.log`, a new one from midnight IST, old ones removed. The day is that of
 * the moment of writing, so no timer has to be on time.
 */
export class DailyFile implements LogSink {
  readonly #options: DailyFileOptions
  #file: LogSink
  #endsAt: number
  readonly #closing: Promise<void>[] = []

  constructor(options: DailyFileOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true, mode: 0o700 })
    this.#file = this.#open()
    this.#endsAt = endOfDay(options.clock.now())
  }

  write(line: string): void {
    if (this.#options.clock.now() >= this.#endsAt) this.#rotate()
    this.#file.write(line)
  }

  flushSync(): void {
    this.#file.flushSync()
  }

  async close(): Promise<void> {
    await Promise.all([...this.#closing, this.#file.close()])
  }

  #rotate(): void {
    this.#closing.push(this.#file.close())
    this.#file = this.#open()
    this.#endsAt = endOfDay(this.#options.clock.now())
  }

  #open(): LogSink {
    const { dir, clock } = this.#options
    const today = istDate(clock.now())
    this.#removeOld(today)
    return openSink({ dest: join(dir, `svc_${today}.log`), sync: false })
  }

  #removeOld(today: string): void {
    const { dir, retention, clock } = this.#options
    const oldest = istDate(clock.now() - (retention - 1) * DAY_MS)
    const days = readdirSync(dir).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    const kept = new Set([today, ...days.sort().reverse()].slice(0, retention))
    for (const day of days) {
      if (day < oldest || !kept.has(day)) rmSync(join(dir, `svc_${day}.log`), { force: true })
    }
  }
}

function endOfDay(ms: number): number {
  return istInstant(istDate(ms)) + DAY_MS
}
