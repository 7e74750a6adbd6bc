import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { interruptedError } from '../../../src/cli/framework/errors.js'
import type { run } from '../../../src/cli/framework/run.js'
import type { SentRequests } from '../../../src/cli/http/sent-requests.js'
import type { Io, Sink } from '../../../src/cli/io/io.js'
import type { readAll } from '../../../src/cli/io/read-all.js'
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

/** Returns what a file of the build imports from another one under a name. */
async function part<T>(name: string, by: string): Promise<T> {
  const text = readFileSync(new URL(by, BUILT), 'utf8')
  const file = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "\\./([\\w-]+\\.js)"`).exec(text)?.[1]
  if (file === undefined) throw new Error(`${by} of the build has no ${name}`)
  return (await import(new URL(file, BUILT).href))[name]
}

let built: ReturnType<typeof load> | undefined

async function load() {
  const begin = imported('begin', 'main.js')
  const io = imported('process-io', begin)
  const [program, { NOUNS: nouns }]: [{ run: typeof run }, { NOUNS: typeof NOUNS }] = await Promise.all([
    import(new URL(imported('run', begin), BUILT).href),
    import(new URL(imported('nouns', begin), BUILT).href),
  ])
  return {
    run: program.run,
    nouns,
    Requests: await part<typeof SentRequests>('SentRequests', io),
    interrupted: await part<typeof interruptedError>('interruptedError', io),
    read: await part<typeof readAll>('readAll', io),
  }
}

export interface Surroundings {
  env: Readonly<Record<string, string>>
  /** All of standard input, when the command asks for it. */
  stdin: () => Promise<Buffer | string>
  /** Presses Ctrl-C after this time, once the command listens for it. */
  interruptAfterMs?: number
}

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/** Runs one command line of the built program to its end, without a terminal. */
export async function runBuilt(
  words: readonly string[],
  { env, stdin, interruptAfterMs }: Surroundings,
): Promise<Ran> {
  built ??= load()
  const { run, nouns, Requests, interrupted, read } = await built
  const texts = { stdout: '', stderr: '' }
  const sinkOf = (name: keyof typeof texts): Sink => ({
    isTty: false,
    columns: 80,
    write: (text) => {
      texts[name] += text
    },
    flushed: async () => undefined,
  })
  const interrupts = new AbortController()
  let ctrlC: NodeJS.Timeout | undefined
  const listen = () => {
    if (interruptAfterMs !== undefined)
      ctrlC ??= setTimeout(() => interrupts.abort(interrupted()), interruptAfterMs)
    return interrupts.signal
  }
  const io: Io = {
    env,
    stdout: sinkOf('stdout'),
    stderr: sinkOf('stderr'),
    sent: new Requests(),
    stdin: {
      isTty: false,
      readAll: async () => read(Readable.from([Buffer.from(await stdin())]), undefined),
      readLine: () => Promise.reject(interrupted('The input ended before the answer.')),
    },
    userHome: env.HOME ?? '/nonexistent',
    self: { command: process.execPath, args: [SVC] },
    interrupts: listen,
    now: () => Date.now(),
    sleep: async (ms) => {
      await wait(ms, undefined, { signal: interrupts.signal }).catch(() => {
        throw interrupted()
      })
    },
    deadline: (ms) => AbortSignal.timeout(ms),
  }
  const exit = await run(words, io, { version: ownVersion(), nouns })
  clearTimeout(ctrlC)
  return { exit, ...texts }
}
