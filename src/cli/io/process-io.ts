import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { interruptedError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { SentRequests } from '../http/sent-requests.js'
import type { Io, Sink } from './io.js'
import { readAll } from './read-all.js'

/**
 * Returns the process as an {@link Io}: the only place in the CLI that touches its streams, environment and
 * signals.
 */
export function processIo(): Io {
  const sent = new SentRequests()
  let interrupts: AbortSignal | undefined
  return {
    env: process.env,
    stdout: sink(process.stdout, (error) => leaveWithoutOutput(error, sent)),
    // A failed write to stderr never decides the exit status.
    stderr: sink(process.stderr, () => undefined),
    sent,
    stdin: {
      get isTty() {
        return process.stdin.isTTY === true
      },
      readAll: () => readAll(process.stdin, interrupts),
      readLine: (prompt, { echo = true, signal } = { echo: true }) =>
        echo ? readLine(prompt, signal) : readSecret(prompt, signal),
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

/** Wraps a stream: keeps its error for the end of the command, and reports it at once to `failed`. */
function sink(stream: NodeJS.WriteStream, failed: (error: NodeJS.ErrnoException) => void): Sink {
  let lost: Error | undefined
  let written: Promise<void> = Promise.resolve()
  const onError = (error: NodeJS.ErrnoException | null | undefined) => {
    if (!error) return
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') lost ??= error
    failed(error)
  }
  stream.on('error', () => undefined)
  return {
    get isTty() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.columns ?? 80
    },
    write: (text) => {
      written = new Promise((resolve) => {
        stream.write(text, (error) => {
          onError(error)
          resolve()
        })
      })
    },
    flushed: async () => {
      await written
      return lost
    },
  }
}

/**
 * Ends a command that only reads when nobody takes its output: without a message when the reader has seen
 * enough (`svc … | head`). A command that has sent something continues, so that its exit status reports the
 * outcome.
 */
function leaveWithoutOutput(error: NodeJS.ErrnoException, sent: SentRequests): void {
  if (sent.any) return
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') process.exit(EXIT.done)
  process.stderr.write(`error: The output could not be written: ${error.message}.\n`)
  process.exit(EXIT.failed)
}

/**
 * Aborts the command at the first Ctrl-C, so that it can report what is still in progress; ends at once at
 * the second.
 */
function listenForInterrupts(): AbortSignal {
  const controller = new AbortController()
  process.on('SIGINT', () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort(interruptedError())
  })
  return controller.signal
}

async function readLine(prompt: string, signal?: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<never>((_, reject) => {
    lines.once('SIGINT', () => reject(interruptedError()))
    lines.once('close', () => reject(interruptedError('The input ended before the answer.')))
  })
  try {
    return await Promise.race([lines.question(prompt, signal ? { signal } : {}), closed])
  } finally {
    closed.catch(() => undefined)
    lines.close()
  }
}

/** Reads a line in raw mode, so that the terminal shows none of it. */
function readSecret(prompt: string, signal?: AbortSignal): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(prompt)
  stdin.setRawMode(true)
  stdin.resume()
  return new Promise((resolve, reject) => {
    let typed = ''
    const finish = (settle: () => void) => {
      stdin.off('data', onData)
      signal?.removeEventListener('abort', onAbort)
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
    const onAbort = () => finish(() => reject(signal?.reason))
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    stdin.on('data', onData)
  })
}
