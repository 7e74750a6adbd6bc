import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

export interface TerminalSize {
  columns: number
  rows: number
}

/** The clock ticks of a second in /proc. */
const TICKS_PER_S = 100
const PAGE_BYTES = 4096
/** The fields of /proc/<pid>/stat after the name: user and system time, and the pages in memory. */
const [UTIME, STIME, RSS] = [11, 12, 21]

/** A program in a terminal of its own, made by `script`. Its output is counted, and searched as it comes. */
export class PseudoTerminal {
  #bytes = 0
  #recent = ''
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  readonly #listeners = new Set<(text: string) => void>()

  constructor(command: readonly string[], { columns, rows }: TerminalSize, env: NodeJS.ProcessEnv) {
    const line = `stty cols ${columns} rows ${rows}; exec ${command.join(' ')}`
    this.#child = spawn('script', ['-qefc', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length
      const text = chunk.toString('latin1')
      this.#recent = (this.#recent + text).slice(-200_000)
      for (const listener of this.#listeners) listener(text)
      for (const check of [...this.#waiting]) check()
    })
  }

  /** The bytes written so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Calls a function with each piece of the output, one character a byte. */
  onOutput(listener: (text: string) => void): void {
    this.#listeners.add(listener)
  }

  /** Returns what is written from now on until the output has been quiet for a while. */
  async answerTo(keys: string, quietMs = 300): Promise<string> {
    this.#recent = ''
    this.press(keys)
    let length = -1
    while (length !== this.#recent.length) {
      length = this.#recent.length
      await wait(quietMs)
    }
    return this.#recent
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  /** Resolves when a text is written that was not there before this call, with the time of its arrival. */
  async writes(text: string, limitMs = 20_000): Promise<number> {
    this.#recent = ''
    return new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check)
        reject(new Error(`the terminal did not show ${text}`))
      }, limitMs)
      const check = () => {
        if (!this.#recent.includes(text)) return
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve(performance.now())
      }
      this.#waiting.add(check)
    })
  }

  /** Returns the processor seconds that the program has used, and its memory in bytes. */
  usage(): { cpuS: number; rss: number } {
    const [pid] = execFileSync('pgrep', ['-P', String(this.#child.pid)], { encoding: 'utf8' }).split('\n')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (field: number) => fields[field] ?? Number.NaN
    return { cpuS: (at(UTIME) + at(STIME)) / TICKS_PER_S, rss: at(RSS) * PAGE_BYTES }
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.press('q')
    setTimeout(() => this.#child.kill('SIGKILL'), 5000).unref()
    await closed
  }
}
