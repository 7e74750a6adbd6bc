import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, DAY_MS, istDate, istInstant } from '../time/index.js'
import { FileSink, type LogSink } from './sink.js'

const FILE_NAME = /^svc_(\d{4}-\d{2}-\d{2})\.log$/
/**
 * The interval at which a write checks whether the file still exists. A check per line would cost as much as
 * writing the line.
 */
const CHECK_EVERY_MS = 1000

interface DailyFileOptions {
  dir: string
  /** The number of files kept, and the number of days they are kept. */
  retention: number
  clock: Clock
}

/**
 * The log file of the day, `svc_YYYY-MM-DD.log`. A new file starts at midnight IST and old files are deleted.
 * Each write checks the date, so no timer has to be on time.
 */
export class DailyFile implements LogSink {
  readonly #options: DailyFileOptions
  #file: FileSink
  #endsAt: number
  #nextCheck = 0
  /** Resolves when the previous files are closed. */
  #closing: Promise<unknown> = Promise.resolve()

  constructor(options: DailyFileOptions) {
    this.#options = options
    this.#endsAt = endOfDay(options.clock.now())
    this.#file = this.#open()
  }

  write(line: string): void {
    if (this.#options.clock.now() >= this.#endsAt) this.#rotate()
    this.#file.write(line)
  }

  flushSync(): void {
    this.#file.flushSync()
  }

  async close(): Promise<void> {
    await Promise.all([this.#closing, this.#file.close()])
  }

  #rotate(): void {
    const former = this.#file
    this.#endsAt = endOfDay(this.#options.clock.now())
    this.#file = this.#open()
    this.#closing = Promise.all([this.#closing, former.close()])
  }

  #open(): FileSink {
    const { dir, clock } = this.#options
    const today = istDate(clock.now())
    const file = new FileSink({
      file: join(dir, `svc_${today}.log`),
      sync: false,
      shouldCheckFile: () => this.#isCheckDue(),
    })
    this.#removeOld(today)
    return file
  }

  #isCheckDue(): boolean {
    const now = this.#options.clock.monotonic()
    if (now < this.#nextCheck) return false
    this.#nextCheck = now + CHECK_EVERY_MS
    return true
  }

  #removeOld(today: string): void {
    const { dir, retention, clock } = this.#options
    const oldest = istDate(clock.ago((retention - 1) * DAY_MS))
    const days = daysIn(dir)
    const kept = new Set([...new Set([today, ...days.sort().reverse()])].slice(0, retention))
    for (const day of days) {
      if (day < oldest || !kept.has(day)) remove(join(dir, `svc_${day}.log`))
    }
  }
}

function daysIn(dir: string): string[] {
  try {
    return readdirSync(dir).flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
  } catch {
    return []
  }
}

function remove(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // The file stays; the next midnight tries again.
  }
}

function endOfDay(ms: number): number {
  return istInstant(istDate(ms)) + DAY_MS
}
