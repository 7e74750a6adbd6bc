import { pino } from 'pino'

/** Bytes that may wait for a slow or failing disk; past it lines are dropped rather than memory filled. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Where log lines go. A disk that fails loses lines, never the service. */
export interface LogSink {
  write(line: string): void
  /** Writes what has not been handed to the system yet before it returns. */
  flushSync(): void
  close(): Promise<void>
}

type Stream = ReturnType<typeof pino.destination>

export interface SinkOptions {
  /** A path (appended to, 0600), or an open descriptor. */
  dest: string | number
  /** Hands each line to the system before `write` returns, so that a dying process leaves its last words. */
  sync: boolean
}

export function openSink(options: SinkOptions): LogSink {
  let stream = openStream(options)
  return {
    write: (line) => {
      // What could not be opened is tried again with the next line.
      if (!stream.usable()) stream = openStream(options)
      stream.current?.write(line)
    },
    flushSync: () => {
      try {
        stream.current?.flushSync()
      } catch {
        // Not open yet, or the disk refuses: nothing left to try.
      }
    },
    close: () => (stream.usable() && stream.current ? closeStream(stream.current) : Promise.resolve()),
  }
}

function openStream({ dest, sync }: SinkOptions): { current: Stream | undefined; usable: () => boolean } {
  let opened = sync
  let usable = true
  try {
    const current = pino.destination({ dest, sync, maxLength: MAX_WAITING_BYTES, mode: 0o600 })
    current.on('ready', () => {
      opened = true
    })
    // Once open, the stream keeps what it could not write and tries again with the next line.
    current.on('error', () => {
      usable &&= opened
    })
    return { current, usable: () => usable }
  } catch {
    return { current: undefined, usable: () => false }
  }
}

function closeStream(stream: Stream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.once('error', () => resolve())
    stream.end()
  })
}
