import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'

const CHUNK_BYTES = 65_536
const LINE_BREAK = 0x0a

/**
 * An open text file that another process appends lines to. It is read in chunks: from the end backwards, and
 * forwards as it grows. A line counts once it has its line break.
 */
export class LineFile {
  readonly path: string
  readonly #fd: number
  /** The offset after the last line that was there at the start, or that {@link newer} returned. */
  #end: number

  /** @param from the offset that {@link newer} starts at; by default the end of the file */
  constructor(path: string, from?: number) {
    this.path = path
    this.#fd = openSync(path, 'r')
    this.#end = from ?? this.#endOfLines()
  }

  /** Yields the lines before the end, the newest first. */
  *backwards(): Generator<string> {
    let rest: Buffer = Buffer.alloc(0)
    for (let at = this.#end; at > 0; ) {
      const from = Math.max(0, at - CHUNK_BYTES)
      const chunk = Buffer.concat([this.#read(from, at - from), rest])
      at = from
      let stop = chunk.length
      for (let brk = lastBreak(chunk, stop); brk >= 0; brk = lastBreak(chunk, stop)) {
        if (stop > brk + 1) yield chunk.toString('utf8', brk + 1, stop)
        stop = brk
      }
      rest = chunk.subarray(0, stop)
    }
    if (rest.length > 0) yield rest.toString('utf8')
  }

  /** Returns the lines added since the last call. A file that became shorter is read from its start. */
  newer(): string[] {
    const { size } = fstatSync(this.#fd)
    if (size < this.#end) this.#end = 0
    if (size === this.#end) return []
    const text = this.#read(this.#end, size - this.#end)
    const length = text.lastIndexOf(LINE_BREAK) + 1
    this.#end += length
    return text
      .toString('utf8', 0, length)
      .split('\n')
      .filter((line) => line !== '')
  }

  /** Returns whether the path now leads to another file, or to none. */
  isReplaced(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false })
    const { dev, ino } = fstatSync(this.#fd)
    return now === undefined || now.dev !== dev || now.ino !== ino
  }

  close(): void {
    closeSync(this.#fd)
  }

  #endOfLines(): number {
    for (let at = fstatSync(this.#fd).size; at > 0; ) {
      const from = Math.max(0, at - CHUNK_BYTES)
      const brk = this.#read(from, at - from).lastIndexOf(LINE_BREAK)
      if (brk >= 0) return from + brk + 1
      at = from
    }
    return 0
  }

  /** Reads bytes; fewer if the file has become shorter. */
  #read(from: number, length: number): Buffer {
    const bytes = Buffer.alloc(length)
    let read = 0
    while (read < length) {
      const got = readSync(this.#fd, bytes, read, length - read, from + read)
      if (got === 0) break
      read += got
    }
    return bytes.subarray(0, read)
  }
}

/** Returns the offset of the last line break before `end`; -1 if there is none. */
function lastBreak(chunk: Buffer, end: number): number {
  return end === 0 ? -1 : chunk.lastIndexOf(LINE_BREAK, end - 1)
}
