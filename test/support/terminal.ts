import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.js'
import { type Ran, runBuilt, type Started, startBuilt } from './process/built-program.js'
import { type Child, startChild } from './process/children.js'
import { SVC } from './process/daemon-process.js'
import { IN_OWN_PROCESS } from './process/own-process.js'

export interface TerminalOptions {
  env?: Record<string, string>
  /** Text on stdin; with `tty: 'all'` it is typed at the terminal. */
  stdin?: string
  /**
   * The streams that are a terminal: none, standard output alone, or all three. With all three, `stdout`
   * holds everything that the terminal shows.
   */
  tty?: 'stdout' | 'all'
  /** The lines that a person types, as at `tty: 'all'`, for a command in the test's process. */
  typed?: readonly string[]
}

/** A command that is still running. */
export interface Running {
  readonly pid: number
  /** All of standard output so far. */
  stdout(): string
  /** Waits until standard output contains a text. */
  says(text: string): Promise<void>
  /** Types at the terminal, and waits for a text in what it shows afterwards. */
  type(text: string, says: string): Promise<void>
  interrupt(): void
  readonly ended: Promise<Ran>
}

/** A running command without a process of its own. */
export type Following = Started & Pick<Running, 'says'>

export type { Ran } from './process/built-program.js'

/**
 * Runs command lines with the built program in its own home. `svc` runs them in the test's process, unless they have a
 * terminal or die at a crash point; `start`, `shell` and `process` in a new one.
 */
export class Terminal {
  readonly home: string
  readonly #options: TerminalOptions

  constructor({ home, ...options }: TerminalOptions & { home: string }) {
    this.home = home
    this.#options = options
  }

  svc(line: string | readonly string[], options: TerminalOptions = {}): Promise<Ran> {
    const words = wordsOf(line)
    const { stdin = '', tty, typed } = { ...this.#options, ...options }
    const env = this.#environment(options)
    const needsProcess = tty !== undefined || 'SVC_CRASH_AT' in env || IN_OWN_PROCESS.has(words[0] ?? '')
    if (needsProcess) return this.process(words, options)
    return runBuilt(words, { env, stdin: async () => stdin, ...(typed && { typed }) })
  }

  /** Starts a command that follows something, in the test's process. */
  follow(line: string | readonly string[], options: TerminalOptions = {}): Following {
    const started = startBuilt(wordsOf(line), { env: this.#environment(options), stdin: async () => '' })
    const says = (text: string) => eventually(() => started.stdout().includes(text), `it says ${text}`)
    return { ...started, says }
  }

  /** Runs a command line in a new process. */
  process(line: string | readonly string[], options: TerminalOptions = {}): Promise<Ran> {
    return this.start(line, options).ended
  }

  #environment({ env }: TerminalOptions = {}): Record<string, string> {
    return { HOME: '/nonexistent', SVC_HOME: this.home, TERM: 'xterm', ...this.#options.env, ...env }
  }

  /** Returns the document that a command prints with `--json`. */
  async json<T = Record<string, unknown>>(line: string | readonly string[]): Promise<T> {
    const { exit, stdout, stderr } = await this.svc([...wordsOf(line), '--json'])
    if (exit !== 0) throw new Error(`svc ${wordsOf(line).join(' ')} ended with ${exit}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** Runs a command line with redirections and pipes in the shell. */
  shell(line: string): Promise<Ran> {
    const env = this.#environment()
    const words = ['-o', 'pipefail', '-c', `${quoted(process.execPath)} ${quoted(SVC)} ${line}`]
    return running(startChild('bash', words, env)).ended
  }

  start(line: string | readonly string[], options: TerminalOptions = {}): Running {
    const env = this.#environment(options)
    const { stdin, tty } = { ...this.#options, ...options }
    if (tty !== undefined) return onTerminal(wordsOf(line), env, { stdin, tty })
    const child = startChild(process.execPath, [SVC, ...wordsOf(line)], env, {
      stdin: stdin === undefined ? 'ignore' : 'pipe',
    })
    child.process.stdin?.on('error', () => undefined).end(stdin)
    return running(child)
  }
}

const wordsOf = (line: string | readonly string[]): readonly string[] =>
  typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line

function running(child: Child): Running {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child.process[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const closed = new Promise((resolve) => child.process.once('close', resolve))
  const ended = async (): Promise<Ran> => {
    await closed
    const { code } = await child.exited
    return { exit: code ?? -1, ...texts }
  }
  return {
    pid: child.process.pid ?? 0,
    stdout: () => texts.stdout,
    says: (text) => eventually(() => texts.stdout.includes(text), `it says ${text}`),
    type: (text, says) => {
      const from = texts.stdout.length
      child.process.stdin?.write(text)
      return eventually(() => texts.stdout.includes(says, from), `it says ${says}`)
    },
    interrupt: () => void child.process.kill('SIGINT'),
    ended: ended(),
  }
}

const WIDTH = 120

/** Runs a command on a pseudo-terminal, which `script` of util-linux creates. */
function onTerminal(
  words: readonly string[],
  env: Record<string, string>,
  { stdin = '', tty }: Pick<TerminalOptions, 'stdin' | 'tty'>,
): Running {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tty-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const stderrFile = join(folder, 'stderr')
  const command = [process.execPath, SVC, ...words].map(quoted).join(' ')
  const streams = tty === 'stdout' ? ` 2>${quoted(stderrFile)} </dev/null` : ''
  const line = `stty cols ${WIDTH}; exec ${command}${streams}`
  const child = startChild('script', ['-qefc', line, '/dev/null'], env, { stdin: 'pipe' })
  // The input stays open, because its end would be typed as well.
  child.process.stdin?.on('error', () => undefined).write(stdin)
  const started = running(child)
  const ended = started.ended.then(({ exit, stdout }) => ({
    exit,
    // The terminal ends its lines with CR LF.
    stdout: stdout.replaceAll('\r\n', '\n'),
    stderr: tty === 'stdout' ? readFileSync(stderrFile, 'utf8') : '',
  }))
  return { ...started, ended }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
