import { pino } from 'pino'

/** Bytes that may wait for a slow or failing disk; past it lines are dropped rather than memory filled. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Where log lines go. Writing never waits for the disk. */
export interface LogSink {
  write(line: string): void
  /** Writes what waits before it returns; for the last words of a dying process. */
  flushSync(): void
  close(): Promise<void>
}

/** Appends to a file (0600) or to an open descriptor. A disk that fails loses lines, never the service. */
export function openSink(dest: string | number): LogSink {
  let target = openTarget(dest)
  return {
    write: (line) => {
      if (target.state === 'failed') target = openTarget(dest)
      target.stream.write(line)
    },
    flushSync: () => {
      try {
        target.stream.flushSync()
      } catch {
        // Not open yet, or the disk refuses: nothing left to try.
      }
    },
    close: () => closeTarget(target),
  }
}

interface Target {
  stream: ReturnType<typeof pino.destination>
  state: 'opening' | 'open' | 'failed'
}

function openTarget(dest: string | number): Target {
  const stream = pino.destination({ dest, sync: false, maxLength: MAX_WAITING_BYTES, mode: 0o600 })
  const target: Target = { stream, state: 'opening' }
  stream.on('ready', () => {
    target.state = 'open'
  })
  // Once open, the stream keeps what it could not write and tries again with the next line.
  stream.on('error', () => {
    if (target.state === 'opening') target.state = 'failed'
  })
  return target
}

function closeTarget({ stream, state }: Target): Promise<void> {
  if (state === 'failed') return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.once('error', () => resolve())
    stream.end()
  })
}
