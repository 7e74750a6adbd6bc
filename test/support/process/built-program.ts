import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { interruptedError } from '../../../src/cli/framework/errors.js'
import type { run } from '../../../src/cli/framework/run.js'
import { SentRequests } from '../../../src/cli/http/sent-requests.js'
import type { Io, Sink } from '../../../src/cli/io/io.js'
import { readAll } from '../../../src/cli/io/read-all.js'
import type { NOUNS } from '../../../src/cli/nouns.js'
import { ownVersion } from '../../../src/cli/package.js'
import { SVC } from './daemon-process.js'

/*
 * The built program in this process, for the many command lines that need no process of their own: a start of Node
 * takes forty times as long as a command. Terminals, signals, a closed standard output and the exit of the process have
 * tests with a real process; see {@link Terminal}.
 */

const BUILT = new URL('../../../dist/svc/', import.meta.url)

/** Returns the file of the build that one of its files imports under a name. */
function imported(name: string, by: string): string {
  const file = new RegExp(`import\\("\\./(${name}-\\w+\\.js)"\\)`).exec(
    readFileSync(new URL(by, BUILT), 'utf8'),
  )?.[1]
  if (file === undefined) throw new Error(`${by} of the build imports no ${name}`)
  return file
}

let built: Promise<{ run: typeof run; nouns: typeof NOUNS }> | undefined

async function load() {
  const begin = imported('begin', 'main.js')
  const [program, { NOUNS: nouns }]: [{ run: typeof run }, { NOUNS: typeof NOUNS }] = await Promise.all([
    import(new URL(imported('run', begin), BUILT).href),
    import(new URL(imported('nouns', begin), BUILT).href),
  ])
  return { run: program.run, nouns }
}

export interface Surroundings {
  env: Readonly<Record<string, string>>
  /** All of standard input, when the command asks for it. */
  stdin: () => Promise<Buffer | string>
}

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/** Runs one command line of the built program to its end, without a terminal. */
export async function runBuilt(words: readonly string[], { env, stdin }: Surroundings): Promise<Ran> {
  built ??= load()
  const { run, nouns } = await built
  const texts = { stdout: '', stderr: '' }
  const sinkOf = (name: keyof typeof texts): Sink => ({
    isTty: false,
    columns: 80,
    write: (text) => {
      texts[name] += text
    },
    flushed: async () => undefined,
  })
  const { signal } = new AbortController()
  const io: Io = {
    env,
    stdout: sinkOf('stdout'),
    stderr: sinkOf('stderr'),
    sent: new SentRequests(),
    stdin: {
      isTty: false,
      readAll: async () => readAll(Readable.from([Buffer.from(await stdin())]), undefined),
      readLine: () => Promise.reject(interruptedError('The input ended before the answer.')),
    },
    userHome: env.HOME ?? '/nonexistent',
    self: { command: process.execPath, args: [SVC] },
    interrupts: () => signal,
    now: () => Date.now(),
    sleep: (ms) => wait(ms),
    deadline: (ms) => AbortSignal.timeout(ms),
  }
  const exit = await run(words, io, { version: ownVersion(), nouns })
  return { exit, ...texts }
}
