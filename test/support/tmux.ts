import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.js'
import { SVC } from './process/daemon-process.js'

const exec = promisify(execFile)
let opened = 0

/** Returns whether tmux is installed, as a reason to add to the name of a skipped test. */
export function tmuxMissing(): string | undefined {
  try {
    execFileSync('tmux', ['-V'])
    return undefined
  } catch {
    return 'skipped: tmux is not installed'
  }
}

/** A shell in a real terminal, which tmux emulates. It reads the screen as a person does. */
export class Tmux {
  readonly #socket = `svc-test-${process.pid}-${++opened}`
  readonly #env: Record<string, string>

  private constructor(env: Record<string, string>) {
    this.#env = env
  }

  static async opened(env: Record<string, string>, { columns = 80, rows = 24 } = {}): Promise<Tmux> {
    const tmux = new Tmux(env)
    onTestFinished(() => tmux.close())
    const size = ['-x', String(columns), '-y', String(rows)]
    await tmux.#run([
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      ...size,
      "PS1='$ ' exec bash --norc --noprofile",
    ])
    await tmux.shows('$')
    return tmux
  }

  /** Types a command line of svc at the shell. */
  async svc(line: string): Promise<void> {
    await this.type(`${process.execPath} ${SVC} ${line}`)
    await this.key('Enter')
  }

  /** Types text as it is. */
  async type(text: string): Promise<void> {
    await this.#run(['send-keys', '-l', text])
  }

  /** Presses a key by the name that tmux gives it: `Enter`, `Down`, `C-c`. */
  async key(name: string): Promise<void> {
    await this.#run(['send-keys', name])
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#run(['resize-window', '-x', String(columns), '-y', String(rows)])
  }

  async screen(): Promise<string> {
    return (await this.#run(['capture-pane', '-p'])).stdout
  }

  /** Waits until the screen contains a text. */
  async shows(text: string | RegExp): Promise<void> {
    let last = ''
    const isShown = async () => {
      last = await this.screen()
      return typeof text === 'string' ? last.includes(text) : text.test(last)
    }
    await eventually(isShown, 30_000, `the terminal shows ${text}`).catch((thrown: unknown) => {
      throw new Error(`the terminal does not show ${text}:\n${last}`, { cause: thrown })
    })
  }

  /** Returns a fact about the terminal, such as `alternate_on` or `cursor_flag`. */
  async fact(name: string): Promise<string> {
    return (await this.#run(['display-message', '-p', `#{${name}}`])).stdout.trim()
  }

  async close(): Promise<void> {
    await this.#run(['kill-server']).catch(() => undefined)
  }

  #run(words: readonly string[]) {
    const env = { PATH: process.env.PATH, TERM: 'xterm', LANG: 'C.UTF-8', PS1: '$ ', ...this.#env }
    return exec('tmux', ['-u', '-L', this.#socket, ...words], { env })
  }
}
