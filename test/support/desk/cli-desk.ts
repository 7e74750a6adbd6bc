import { Readable } from 'node:stream'
import { run } from '../../../src/cli/framework/run.js'
import { SentRequests } from '../../../src/cli/http/sent-requests.js'
import { storeSecret } from '../../../src/cli/io/home.js'
import type { Io, Sink } from '../../../src/cli/io/io.js'
import { readAll } from '../../../src/cli/io/read-all.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { tempDir } from '../files/temp.js'
import { type DeskOptions, USER } from './desk.js'
import { HttpDesk } from './http-desk.js'

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/**
 * What a person does with what the terminal has shown so far: they type the returned text, or nothing until the command ends
 * the question.
 */
export type Act = (shown: string) => Promise<string | undefined>

/** How a command is run: with `answers` there is a terminal, and each answers one question. */
export interface Running {
  answers?: readonly (string | Act)[]
  env?: Readonly<Record<string, string>>
  stdin?: string
  /** The time limits of requests; by default those of the real clock. */
  deadline?: Io['deadline']
}

/** The commands and the daemon in this process, on one virtual clock, with the key and the session of a home. */
export class CliDesk {
  private constructor(
    readonly http: HttpDesk,
    readonly home: string,
    readonly url: string,
  ) {}

  static async open(options: DeskOptions = {}): Promise<CliDesk> {
    const http = await HttpDesk.open(options)
    const { port } = await http.listen()
    const cli = new CliDesk(http, tempDir(), `http://127.0.0.1:${port}`)
    cli.#keep('apikey.json', http.apikey)
    await cli.signIn()
    return cli
  }

  get clock() {
    return this.http.desk.clock
  }

  get service() {
    return this.http.desk.service
  }

  /** Signs the terminal in again. */
  async signIn(): Promise<void> {
    this.#keep('session.json', await this.http.signIn())
  }

  #keep(file: 'apikey.json' | 'session.json', value: string): void {
    storeSecret(this.home, file, { value, url: this.url, username: USER, expiresAt: undefined })
  }

  /** Runs a command; a word with blanks is quoted. */
  async svc(line: string, { answers, deadline, env = {}, stdin = '' }: Running = {}): Promise<Ran> {
    const [out, err]: [string[], string[]] = [[], []]
    const isTty = answers !== undefined
    const rest = [...(answers ?? [])]
    const { signal } = new AbortController()
    const io: Io = {
      env: { SVC_HOME: this.home, SVC_URL: this.url, ...env },
      stdout: sinkOf(out, false),
      stderr: sinkOf(err, isTty),
      sent: new SentRequests(),
      stdin: {
        isTty,
        readAll: () => readAll(Readable.from([Buffer.from(stdin)]), undefined),
        readLine: async (prompt, options) => {
          err.push(prompt)
          const next = rest.shift()
          if (next === undefined) throw new Error(`no answer for: ${prompt}`)
          const answer = typeof next === 'string' ? next : await next(err.join(''))
          if (answer === undefined) return untilAborted(options?.signal)
          err.push(`${answer}\n`)
          return answer
        },
      },
      userHome: '/nonexistent',
      self: { command: process.execPath, args: [] },
      interrupts: () => signal,
      now: () => this.clock.now(),
      sleep: (ms) => this.clock.sleep(ms),
      deadline: deadline ?? ((ms) => AbortSignal.timeout(ms)),
    }
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    const exit = await this.http.desk.settled(run(words, io, { version: '0.1.0', nouns: NOUNS }))
    return { exit, stdout: out.join(''), stderr: err.join('') }
  }
}

/** A question that nobody answers, until the command ends it. */
const untilAborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason))
  })

const sinkOf = (texts: string[], isTty: boolean): Sink => ({
  isTty,
  columns: 120,
  write: (text) => void texts.push(text),
  flushed: async () => undefined,
})
