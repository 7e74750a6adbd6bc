import { join } from 'node:path'
import { run } from '../../../src/cli/framework/run.js'
import { SentRequests } from '../../../src/cli/http/sent-requests.js'
import type { Io, Sink } from '../../../src/cli/io/io.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { tempDir } from '../../support/files/temp.js'

export interface Ran {
  exit: number
  stdout: string
  stderr: string
}

/**
 * Runs commands that need no daemon in this process: there are hundreds of help texts. Everything else runs
 * the built program (test/support/terminal.ts).
 */
export class Terminal {
  async svc(line: string): Promise<Ran> {
    const [out, err]: [string[], string[]] = [[], []]
    const argv = line.split(' ').filter((word) => word !== '')
    const exit = await run(argv, ioOf(out, err), { version: '0.1.0', nouns: NOUNS })
    return { exit, stdout: out.join(''), stderr: err.join('') }
  }
}

const sinkOf = (texts: string[]): Sink => ({
  isTty: false,
  columns: 100,
  write: (text) => void texts.push(text),
  flushed: async () => undefined,
})

/** Returns the streams of a process that is no terminal; its output is collected in the two lists. */
export function ioOf(out: string[], err: string[]): Io {
  const { signal } = new AbortController()
  return {
    env: { SVC_HOME: join(tempDir(), 'home') },
    stdout: sinkOf(out),
    stderr: sinkOf(err),
    sent: new SentRequests(),
    stdin: { isTty: false, readAll: async () => '', readLine: async () => '' },
    userHome: '/nonexistent',
    self: { command: process.execPath, args: [] },
    interrupts: () => signal,
    now: () => Date.now(),
    sleep: async () => undefined,
    deadline: (ms) => AbortSignal.timeout(ms),
  }
}
