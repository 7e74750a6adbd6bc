import { type FileHandle, open } from 'node:fs/promises'

/** Small, because other work waits while the lines of a chunk are parsed. */
const CHUNK_BYTES = 16_384
/** The length above which a line is not read. The log itself writes no line of this length. */
const MAX_LINE_BYTES = 1_048_576
const LINE_BREAK = 0x0a

/**
 * Yields the lines in the last `bytes` of a file, in order, one chunk at a time. It holds one chunk and one
 * unfinished line in memory. A line that begins before the window, or that has no line break yet, is left out.
 * A line that is too long to be read is yielded as an empty one. A file that is cut while it is read ends there.
 * Without a file there are no lines.
 */
export async function* lastLines(path: string, bytes: number): AsyncGenerator<readonly string[]> {
  const file = await opened(path)
  if (file === undefined) return
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - bytes)
    const lines = new LineSplitter(start > 0)
    for await (const chunk of chunks(file, start, size)) yield lines.add(chunk)
  } finally {
    await file.close()
  }
}

async function* chunks(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Cuts chunks of bytes into lines. */
class LineSplitter {
  /** The parts of the line that is not finished yet. */
  #parts: Buffer[] = []
  #length = 0
  #isCut: boolean

  /** @param isCut whether the first line lacks its beginning */
  constructor(isCut: boolean) {
    this.#isCut = isCut
  }

  /** Returns the lines that the chunk finishes. */
  add(chunk: Buffer): string[] {
    const lines: string[] = []
    let from = 0
    for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, from)) {
      this.#keep(chunk.subarray(from, at))
      const line = this.#finished()
      if (line !== undefined) lines.push(line)
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
    return lines
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    if (this.#length <= MAX_LINE_BYTES) this.#parts.push(part)
    else this.#parts = []
  }

  /** Returns the line that ends here; undefined for half a line. */
  #finished(): string | undefined {
    const line = this.#isCut ? undefined : Buffer.concat(this.#parts).toString('utf8')
    this.#parts = []
    this.#length = 0
    this.#isCut = false
    return line
  }
}
