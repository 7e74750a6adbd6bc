import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { interruptedError } from './errors.js'
import { EXIT } from './exit-codes.js'
import type { Io, Sink } from './io.js'

/** The process as an {@link Io}: the only place of the CLI that touches its streams, environment and signals. */
export function processIo(): Io {
  quietOnBrokenPipe(process.stdout)
  quietOnBrokenPipe(process.stderr)
  let interrupts: AbortSignal | undefined
  return {
    env: process.env,
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    stdin: {
      get isTty() {
        return process.stdin.isTTY === true
      },
      readAll,
      readLine: (prompt, options) => (options?.echo === false ? readSecret(prompt) : readLine(prompt)),
    },
    userHome: homedir(),
    self: { command: process.execPath, args: [...process.execArgv, process.argv[1] ?? ''] },
    interrupts: () => {
      interrupts ??= listenForInterrupts()
      return interrupts
    },
    now: () => Date.now(),
    sleep: async (ms) => {
      await wait(ms, undefined, interrupts ? { signal: interrupts } : {}).catch(() => {
        throw interruptedError()
      })
    },
    deadline: (ms) => AbortSignal.timeout(ms),
  }
}

function sink(stream: NodeJS.WriteStream): Sink {
  return {
    get isTty() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.columns ?? 80
    },
    write: (text) => {
      stream.write(text)
    },
  }
}

/** `svc … | head` ends without a complaint when the reader has seen enough. */
function quietOnBrokenPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done)
    throw error
  })
}

/** The first Ctrl-C aborts what runs, so that it can say what is still under way; the second ends at once. */
function listenForInterrupts(): AbortSignal {
  const controller = new AbortController()
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort(interruptedError())
  })
  return controller.signal
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

async function readLine(prompt: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<never>((_, reject) => {
    lines.once('SIGINT', () => reject(interruptedError()))
    lines.once('close', () => reject(interruptedError('The input ended before an answer.')))
  })
  try {
    return await Promise.race([lines.question(prompt), closed])
  } finally {
    closed.catch(() => undefined)
    lines.close()
  }
}

/** Reads a line in raw mode, so that the terminal shows none of it. */
function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(prompt)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const finish = (settle: () => void) => {
      stdin.off('data', onData)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      settle()
    }
    const onData = (data: Buffer) => {
      for (const character of data.toString('utf8')) {
        if (character === '\r' || character === '\n') return finish(() => resolve(typed))
        if (character === '\u0003' || character === '\u0004') return finish(() => reject(interruptedError()))
        if (character === '\u007f' || character === '\b') typed = [...typed].slice(0, -1).join('')
        else if (character >= ' ') typed += character
      }
    }
    stdin.on('data', onData)
  })
}
