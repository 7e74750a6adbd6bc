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

/** Each look at the terminal starts a program. */
const LOOK_MS = 60
/** Looks at a screen in a row that find it the same. */
const SAME_LOOKS = 3

/** Prices and ages go on. */
const withoutTimes = (screen: string): string => screen.replace(/[\d.,+-]+/g, '')

/** A shell in a real terminal, which tmux emulates. It reads the screen as a person does. */
export class Tmux {
  readonly #socket = `svc-test-${process.pid}-${++opened}`
  readonly #env: Record<string, string>

  private constructor(env: Record<string, string>) {
    this.#env = env
  }

  /** Opens a terminal that closes with the test. */
  static async opened(env: Record<string, string>, size = {}): Promise<Tmux> {
    const tmux = await Tmux.started(env, size)
    onTestFinished(() => tmux.close())
    return tmux
  }

  /** Opens a terminal. The caller closes it. */
  static async started(env: Record<string, string>, { columns = 80, rows = 24 } = {}): Promise<Tmux> {
    const tmux = new Tmux(env)
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

  /** Pastes a text, between marks if the program asks for them. */
  async paste(text: string): Promise<void> {
    await this.#run(['set-buffer', '--', text])
    await this.#run(['paste-buffer', '-p', '-r'])
  }

  /** Presses a key by the name that tmux gives it: `Enter`, `Down`, `C-c`. */
  async key(name: string): Promise<void> {
    await this.#run(['send-keys', name])
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#run(['resize-window', '-x', String(columns), '-y', String(rows)])
  }

  /** Returns the screen when it has not changed for a while, without empty space at the ends of lines. */
  async settled(): Promise<string> {
    let before = ''
    let same = 0
    await eventually(async () => {
      const now = await this.screen()
      same = withoutTimes(now) === withoutTimes(before) ? same + 1 : 0
      before = now
      return same >= SAME_LOOKS
    }, 'the terminal has come to rest')
    return before.replace(/ +$/gm, '').trimEnd()
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
    await eventually(isShown, `the terminal shows ${text}`, LOOK_MS).catch((thrown: unknown) => {
      throw new Error(`the terminal does not show ${text}:\n${last}`, { cause: thrown })
    })
  }

  /** Returns a fact about the terminal, such as `alternate_on` or `cursor_flag`. */
  async fact(name: string): Promise<string> {
    return (await this.#run(['display-message', '-p', `#{${name}}`])).stdout.trim()
  }

  /** Waits until the program has ended and the shell asks for the next command. */
  async left(): Promise<void> {
    const isPrompt = async () =>
      (await this.fact('alternate_on')) === '0' && (await this.screen()).trimEnd().endsWith('\n$')
    await eventually(isPrompt, 'the shell asks for a command', LOOK_MS)
  }

  /** Returns the processes that the shell runs. */
  async children(): Promise<readonly number[]> {
    const { stdout } = await exec('pgrep', ['-P', await this.fact('pane_pid')])
    return stdout.trim().split('\n').map(Number)
  }

  async close(): Promise<void> {
    await this.#run(['kill-server']).catch(() => undefined)
  }

  #run(words: readonly string[]) {
    // A shell that ends writes no history into a home that is being removed.
    const usual = { TERM: 'xterm', LANG: 'C.UTF-8', PS1: '$ ', HISTFILE: '' }
    const env = { PATH: process.env.PATH, ...usual, ...this.#env }
    return exec('tmux', ['-u', '-L', this.#socket, ...words], { env })
  }
}
