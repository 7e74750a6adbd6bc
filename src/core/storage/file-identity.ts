import { statSync } from 'node:fs'

/** A path and the file it led to when it was first there. */
interface Part {
  readonly path: string
  device: number
  inode: number
}

/** No file has it. */
const NOT_SEEN = -1

/**
 * Knows which files a connection has open, by device and inode, and whether their paths still lead to them. A removed
 * file takes writes as before, and they are gone with the process: only the path tells.
 */
export class FileIdentity {
  /** The file, and its log of commits that are not folded into it yet. */
  readonly #parts: readonly Part[]

  /** Taken right after the file was opened. */
  constructor(file: string) {
    this.#parts = [file, `${file}-wal`].map((path) => ({ path, device: NOT_SEEN, inode: NOT_SEEN }))
    this.missing()
  }

  /** The path that leads nowhere any more, or to another file. Two `stat` calls, about five microseconds. */
  missing(): string | undefined {
    for (const part of this.#parts) {
      const found = statSync(part.path, { throwIfNoEntry: false })
      if (part.inode === NOT_SEEN) {
        part.device = found?.dev ?? NOT_SEEN
        part.inode = found?.ino ?? NOT_SEEN
      } else if (found?.ino !== part.inode || found.dev !== part.device) return part.path
    }
    return undefined
  }
}
