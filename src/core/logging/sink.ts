import { closeSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pino } from 'pino'

/** Bytes that may wait for a slow or failing disk; past it lines are dropped rather than memory filled. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/** Where log lines go. A disk that fails loses lines, never the service: nothing here throws or rejects. */
export interface LogSink {
  write(line: string): void
  /** Writes what has not been handed to the system yet before it returns. */
  flushSync(): void
  close(): Promise<void>
}

type Stream = ReturnType<typeof pino.destination>

/** Streams whose reader went away. The library makes them deaf: they never say that they are closed. */
const broken = new WeakSet<Stream>()

/** An open descriptor as a sink: standard output. */
export function descriptorSink(fd: number): LogSink {
  const stream = streamTo(fd, false)
  return {
    write: (line) => void stream.write(line),
    flushSync: () => flushed(stream),
    close: () => closed(stream),
  }
}

export interface FileSinkOptions {
  /** Appended to; made with its folder when it is not there (0600, 0700). */
  file: string
  /** Hands each line to the system before `write` returns, so that a dying process leaves its last words. */
  sync: boolean
  /** Whether the next line first looks if the file still stands there; asked with every line. */
  looks: () => boolean
}

/** A log file that comes back with the next line it looks, when it was removed, put aside or could not be opened. */
export class FileSink implements LogSink {
  readonly #options: FileSinkOptions
  /** Of the files before. */
  #closing: Promise<unknown> = Promise.resolve()
  #isClosed = false
  #stream: Stream | undefined
  #opened: string | undefined

  constructor(options: FileSinkOptions) {
    this.#options = options
    this.#open()
  }

  write(line: string): void {
    if (this.#isClosed) return
    const looks = this.#options.looks()
    if (looks && (!this.#stream || identityOf(this.#options.file) !== this.#opened)) this.reopen()
    this.#stream?.write(line)
  }

  /** Goes on in the file that stands under the path now. */
  reopen(): void {
    if (this.#stream) this.#closing = Promise.all([this.#closing, closed(this.#stream)])
    this.#open()
  }

  flushSync(): void {
    if (this.#stream) flushed(this.#stream)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const last = this.#stream && closed(this.#stream)
    this.#stream = undefined
    await Promise.all([this.#closing, last])
  }

  #open(): void {
    const { file, sync } = this.#options
    this.#stream = undefined
    let fd: number | undefined
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      fd = openSync(file, 'a', 0o600)
      const { dev, ino } = fstatSync(fd)
      this.#stream = streamTo(fd, sync)
      this.#opened = `${dev}:${ino}`
    } catch {
      // Tried again with the next line that looks.
      if (fd !== undefined) closeSync(fd)
    }
  }
}

function streamTo(fd: number, sync: boolean): Stream {
  const stream = pino.destination({ dest: fd, sync, maxLength: MAX_WAITING_BYTES })
  // Otherwise it keeps what it could not write, and tries again with the next line.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') broken.add(stream)
  })
  return stream
}

function flushed(stream: Stream): void {
  try {
    stream.flushSync()
  } catch {
    // The disk refuses, or it is closed: nothing left to try.
  }
}

function closed(stream: Stream): Promise<void> {
  if (broken.has(stream)) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.once('error', () => {
      // What waits cannot be written: it is given up with the descriptor.
      stream.destroy()
      resolve()
    })
    try {
      stream.end()
    } catch {
      // Closed already.
      resolve()
    }
  })
}

/** Which file stands under a path; undefined when none does. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
