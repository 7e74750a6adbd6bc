import { istDate, istDateTime, istTime } from '../../core/time/index.js'
import type { GlobalSettings } from '../framework/globals.js'
import type { Io } from '../io/io.js'

/** The time after which work counts as long. */
const LONG_MS = 1000
/** The shortest time between two texts. */
const BETWEEN_MS = 100
const CLEAR = '\r\x1b[K'

/**
 * One line on the terminal that says how far long work is. It appears after a second, on stderr, and only for a
 * person: not in a pipe, with `--quiet`, or with a format for programs.
 */
export class ProgressLine {
  readonly #io: Pick<Io, 'now' | 'stderr'>
  readonly #isWanted: boolean
  readonly #beganAt: number
  #shownAt: number | undefined

  constructor(io: Pick<Io, 'now' | 'stderr'>, { format, quiet }: Pick<GlobalSettings, 'format' | 'quiet'>) {
    this.#io = io
    this.#isWanted = io.stderr.isTty && !quiet && format === undefined
    this.#beganAt = io.now()
  }

  /** Replaces the line, unless it is too early or was just replaced. */
  show(text: () => string): void {
    if (!this.#isWanted) return
    const now = this.#io.now()
    if (now - this.#beganAt < LONG_MS) return
    if (this.#shownAt !== undefined && now - this.#shownAt < BETWEEN_MS) return
    this.#shownAt = now
    // A line as wide as the terminal would wrap, and could not be cleared. Some terminals say that they are 0 wide.
    const { columns } = this.#io.stderr
    this.#io.stderr.write(CLEAR + (columns > 0 ? text().slice(0, columns - 1) : text()))
  }

  /** Removes the line. */
  clear(): void {
    if (this.#shownAt === undefined) return
    this.#shownAt = undefined
    this.#io.stderr.write(CLEAR)
  }
}

/** Returns how far a recorded or simulated time is: `11:42 of 15:15, 3 orders`, with dates when it ends on another day. */
export function progressText(now: number, endsAt: number, done: string): string {
  const minute = istDate(now) === istDate(endsAt) ? shortTime : shortDateTime
  return `${minute(now)} of ${minute(endsAt)}, ${done}`
}

const shortTime = (at: number): string => istTime(at).slice(0, 5)
const shortDateTime = (at: number): string => istDateTime(at).slice(0, 16)
