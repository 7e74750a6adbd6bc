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
  /** The lines that a person types; all streams are then a terminal, and `stdout` holds what it shows. */
  typed?: readonly string[]
}

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/** A command line that is still running. */
export interface Started {
  /** All of standard output so far. */
  stdout(): string
  /** Presses Ctrl-C. */
  interrupt(): void
  readonly ended: Promise<Ran>
}

/** Runs one command line of the built program to its end. */
export const runBuilt = (words: readonly string[], surroundings: Surroundings): Promise<Ran> =>
  startBuilt(words, surroundings).ended

/** Starts one command line of the built program. */
export function startBuilt(words: readonly string[], surroundings: Surroundings): Started {
  const texts = { stdout: '', stderr: '' }
  const ctrlC = new AbortController()
  built ??= load()
  const ended = built.then(async (parts): Promise<Ran> => {
    const { run, nouns } = parts
    const exit = await run(words, ioOf(parts, surroundings, texts, ctrlC), { version: ownVersion(), nouns })
    return { exit, ...texts }
  })
  return { stdout: () => texts.stdout, interrupt: () => ctrlC.abort(), ended }
}

type Texts = Record<'stdout' | 'stderr', string>

/** Returns the process of a command as it sees it, with what it prints in `texts`. */
function ioOf(
  { Requests, interrupted, read }: Awaited<ReturnType<typeof load>>,
  { env, stdin, interruptAfterMs, typed }: Surroundings,
  texts: Texts,
  ctrlC: AbortController,
): Io {
  const typing = [...(typed ?? [])]
  const isTty = typed !== undefined
  const sinkOf = (name: keyof Texts): Sink => ({
    isTty,
    columns: isTty ? 120 : 80,
    write: (text) => {
      texts[isTty ? 'stdout' : name] += text
    },
    flushed: async () => undefined,
  })
  const interrupts = new AbortController()
  const interrupt = () => interrupts.abort(interrupted())
  ctrlC.signal.addEventListener('abort', interrupt)
  let isListening = false
  return {
    env,
    stdout: sinkOf('stdout'),
    stderr: sinkOf('stderr'),
    sent: new Requests(),
    stdin: {
      isTty,
      readAll: async () => read(Readable.from([Buffer.from(await stdin())]), undefined),
      readLine: async (prompt) => {
        texts.stdout += prompt
        const line = typing.shift()
        if (line === undefined) throw interrupted('The input ended before the answer.')
        return line
      },
    },
    userHome: env.HOME ?? '/nonexistent',
    self: { command: process.execPath, args: [SVC] },
    interrupts: () => {
      if (interruptAfterMs !== undefined && !isListening) setTimeout(interrupt, interruptAfterMs).unref()
      isListening = true
      return interrupts.signal
    },
    now: () => Date.now(),
    sleep: async (ms) => {
      await wait(ms, undefined, { signal: interrupts.signal }).catch(() => {
        throw interrupted()
      })
    },
    deadline: (ms) => AbortSignal.timeout(ms),
  }
}
