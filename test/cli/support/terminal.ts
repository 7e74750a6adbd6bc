import { join } from 'node:path'
import { run } from '../../../src/cli/framework/run.js'
import { SentRequests } from '../../../src/cli/http/sent-requests.js'
import type { Io } from '../../../src/cli/io/io.js'
import { tempDir } from '../../support/temp.js'

export interface TerminalOptions {
  home?: string
  env?: Record<string, string>
  /** Whether all three streams are a terminal. */
  tty?: boolean
  /** What is on stdin; with `tty`, the answers to prompts by line. */
  stdin?: string
  now?: number
  /** Aborted: Ctrl-C. */
  interrupts?: AbortSignal
  /** Why nothing can be written to stdout. */
  outputFails?: Error
  /** Told of what is written to stdout as it comes. */
  onOutput?(text: string): void
}

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/** Friday, 21 November 2025, 09:15:00 IST. */
export const MORNING = Date.parse('2025-11-21T09:15:00+05:30')

/** A terminal in memory, with a home of its own: runs command lines in this process. */
export class Terminal {
  readonly home: string
  readonly #options: TerminalOptions
  readonly pauses: number[] = []

  constructor(options: TerminalOptions = {}) {
    this.home = options.home ?? join(tempDir(), 'home')
    this.#options = options
  }

  async svc(line: string | readonly string[], options: TerminalOptions = {}): Promise<Ran> {
    const merged = { ...this.#options, ...options, env: { ...this.#options.env, ...options.env } }
    const [out, err]: [string[], string[]] = [[], []]
    const argv = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line
    const exit = await run(argv, this.#io(merged, out, err), '0.1.0')
    return { exit, stdout: out.join(''), stderr: err.join('') }
  }

  #io(options: TerminalOptions, out: string[], err: string[]): Io {
    const isTty = options.tty === true
    const answers = (options.stdin ?? '').split('\n')
    const now = options.now ?? MORNING
    let slept = 0
    const interrupts = options.interrupts ?? new AbortController().signal
    return {
      env: { SVC_HOME: this.home, ...options.env },
      stdout: {
        isTty,
        columns: 100,
        write: (text) => {
          out.push(text)
          options.onOutput?.(text)
        },
        flushed: async () => (out.length > 0 ? options.outputFails : undefined),
      },
      stderr: { isTty, columns: 100, write: (text) => err.push(text), flushed: async () => undefined },
      sent: new SentRequests(),
      stdin: {
        isTty,
        readAll: async () => options.stdin ?? '',
        readLine: async (prompt) => {
          err.push(prompt)
          return answers.shift() ?? ''
        },
      },
      userHome: '/home/nobody',
      self: { command: process.execPath, args: [] },
      interrupts: () => interrupts,
      now: () => now + slept,
      sleep: async (ms) => {
        interrupts.throwIfAborted()
        this.pauses.push(ms)
        slept += ms
        await new Promise((resolve) => setImmediate(resolve))
      },
      deadline: (ms) => AbortSignal.timeout(ms),
    }
  }
}
