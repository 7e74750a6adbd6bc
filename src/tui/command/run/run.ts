import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Store } from '../../live/store.js'
import type { CommandAccess } from '../access.js'

/** A command that runs, or has run. */
export interface RunState {
  line: string
  output: readonly string[]
  /** The lines that were dropped from the beginning of a long output. */
  dropped: number
  /** The exit status; undefined while it runs. */
  exit: number | undefined
}

/** A stream may print for hours. */
const MOST_LINES = 2000
/** Output that arrives faster is shown together. */
const GATHER_MS = 80
const INTERRUPTED = 130

/** A command of `svc` in a process of its own: it can neither draw on this screen nor stop this program. */
export class CommandRun {
  readonly state: Store<RunState>
  /** Resolves when the command has ended. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  #lines: string[] = []
  #dropped = 0
  #timer: NodeJS.Timeout | undefined

  constructor(access: CommandAccess, line: string, words: readonly string[], columns: number) {
    this.state = new Store<RunState>({ line, output: [], dropped: 0, exit: undefined })
    const [command, ...first] = access.program
    this.#child = spawn(command, [...first, ...words], {
      env: { ...process.env, ...access.env, COLUMNS: String(columns), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#read(this.#child.stdout)
    this.#read(this.#child.stderr)
    this.#child.on('error', (error) => this.#add(error.message))
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code) => {
        this.#end(code ?? INTERRUPTED)
        resolve()
      })
    })
  }

  /** Interrupts the command, as Ctrl-C does. */
  interrupt(): void {
    this.#child.kill('SIGINT')
  }

  #read(stream: Readable | null): void {
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#add(line))
  }

  #add(line: string): void {
    this.#lines.push(line.replaceAll('\t', '  '))
    if (this.#lines.length > MOST_LINES) {
      this.#lines.shift()
      this.#dropped += 1
    }
    this.#timer ??= setTimeout(() => this.#show(), GATHER_MS)
  }

  #show(): void {
    this.#timer = undefined
    this.state.set({ ...this.state.get(), output: [...this.#lines], dropped: this.#dropped })
  }

  #end(exit: number): void {
    clearTimeout(this.#timer)
    this.#show()
    this.state.set({ ...this.state.get(), exit })
  }
}
