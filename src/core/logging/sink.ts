import { closeSync, existsSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pino } from 'pino'

/**
 * The number of bytes that may wait for a slow or failing disk. Above this, lines are dropped instead of
 * filling the memory.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/**
 * An output of log lines. A failing disk loses lines but never stops the service: no method throws or
 * rejects.
 */
export interface LogSink {
  write(line: string): void
  /** Writes buffered lines before it returns. */
  flushSync(): void
  close(): Promise<void>
}

type Stream = ReturnType<typeof pino.destination>

/** Streams without a reader. The library silences such a stream, so it never reports that it is closed. */
const broken = new WeakSet<Stream>()

/**
 * Returns a sink for an open file descriptor, such as standard output. `shown` turns a line into the text that
 * is written.
 */
export function descriptorSink(fd: number, shown: (line: string) => string = (line) => line): LogSink {
  const stream = streamTo(fd, false)
  return {
    write: (line) => void stream.write(shown(line)),
    flushSync: () => flushed(stream),
    close: () => closed(stream),
  }
}

interface FileSinkOptions {
  /** Lines are appended to this file. It is created with its folder if missing (modes 0600 and 0700). */
  file: string
  /** Writes each line before `write` returns, so that a crashing process leaves its last lines. */
  sync: boolean
  /** Called for every line; returns whether to check first that the file still exists. */
  shouldCheckFile: () => boolean
}

/**
 * A log file that is opened again if it was deleted, moved or could not be opened.
 * {@link FileSinkOptions.shouldCheckFile} says which lines check for that.
 */
export class FileSink implements LogSink {
  readonly #options: FileSinkOptions
  /** Resolves when the previous files are closed. */
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
    const shouldCheck = this.#options.shouldCheckFile()
    if (shouldCheck && (!this.#stream || identityOf(this.#options.file) !== this.#opened)) this.reopen()
    this.#stream?.write(line)
  }

  /** Opens the file at the path again and continues there. */
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
      makeFolder(dirname(file))
      fd = openSync(file, 'a', 0o600)
      const { dev, ino } = fstatSync(fd)
      this.#stream = streamTo(fd, sync)
      this.#opened = `${dev}:${ino}`
    } catch {
      // The next line that checks the file tries again.
      if (fd !== undefined) closeSync(fd)
    }
  }
}

function streamTo(fd: number, sync: boolean): Stream {
  const stream = pino.destination({ dest: fd, sync, maxLength: MAX_WAITING_BYTES })
  // After other errors the stream keeps unwritten lines and tries again with the next line.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') broken.add(stream)
  })
  return stream
}

function flushed(stream: Stream): void {
  try {
    stream.flushSync()
  } catch {
    // The disk fails or the stream is closed; there is nothing left to try.
  }
}

function closed(stream: Stream): Promise<void> {
  if (broken.has(stream)) return Promise.resolve()
  return new Promise((resolve) => {
    stream.once('close', resolve)
    stream.once('error', () => {
      // The buffered lines cannot be written and are dropped with the descriptor.
      stream.destroy()
      resolve()
    })
    try {
      stream.end()
    } catch {
      // The stream is already closed.
      resolve()
    }
  })
}

/** Returns the device and inode of the file at a path; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** Creates only the last folder of the path, because a home that was moved away may come back to its path. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
}
