import { closeSync, openSync, readSync, statSync } from 'node:fs'

/**
 * A path, the device and inode of the file it led to when it was first seen, and the largest size of that
 * file.
 */
interface Part {
  readonly path: string
  device: number
  inode: number
  size: number
}

/** The inode of a part that has not existed yet. */
const NOT_SEEN = -1

/** The first three bytes of every `-wal` file; the fourth tells the byte order of its checksums. */
const WAL_MAGIC = Buffer.from([0x37, 0x7f, 0x06])

/**
 * The device, inode and size of each file a connection has open. Writes to a removed file succeed, and the
 * data is lost when the process ends. Only the path shows that the file is gone, so {@link missing} compares
 * the two. SQLite never shortens these files while they are open: a shorter file was overwritten in place. A `-wal` file that
 * was cut while SQLite appended to it is longer again, but its beginning is a hole.
 */
export class FileIdentity {
  /** The database file and its `-wal` file, which holds commits that are not folded into it yet. */
  readonly #parts: readonly Part[]

  /** Create it right after the file was opened. */
  constructor(file: string) {
    this.#parts = [file, `${file}-wal`].map((path) => ({ path, device: NOT_SEEN, inode: NOT_SEEN, size: 0 }))
    this.missing()
  }

  /**
   * Returns a path that no longer leads to the open file, or whose file was overwritten. Costs two `stat`
   * calls, about five microseconds, and a read when the `-wal` file has grown.
   */
  missing(): string | undefined {
    for (const part of this.#parts) {
      const found = statSync(part.path, { throwIfNoEntry: false })
      if (part.inode === NOT_SEEN) {
        part.device = found?.dev ?? NOT_SEEN
        part.inode = found?.ino ?? NOT_SEEN
      } else if (found?.ino !== part.inode || found.dev !== part.device) return part.path
      const size = found?.size ?? 0
      const isCut = size < part.size || (size > part.size && part.size > 0 && !this.#beginsWell(part))
      if (isCut) {
        // The lost bytes stay lost even if the file grows again.
        part.size = Number.POSITIVE_INFINITY
        return part.path
      }
      part.size = size
    }
    return undefined
  }

  #beginsWell(part: Part): boolean {
    if (part !== this.#parts[1]) return true
    const start = Buffer.alloc(WAL_MAGIC.length)
    let descriptor: number
    try {
      descriptor = openSync(part.path, 'r')
    } catch {
      // It vanished just now, which the next check sees, or the process has no descriptor left.
      return true
    }
    try {
      readSync(descriptor, start, 0, start.length, 0)
    } finally {
      closeSync(descriptor)
    }
    return start.equals(WAL_MAGIC)
  }
}
