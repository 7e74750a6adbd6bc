import { statSync } from 'node:fs'

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

/**
 * The device, inode and size of each file a connection has open. Writes to a removed file succeed, and the
 * data is lost when the process ends. Only the path shows that the file is gone, so {@link missing} compares
 * the two. SQLite never shortens these files while they are open: a shorter file was overwritten in place.
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
   * calls, about five microseconds.
   */
  missing(): string | undefined {
    for (const part of this.#parts) {
      const found = statSync(part.path, { throwIfNoEntry: false })
      if (part.inode === NOT_SEEN) {
        part.device = found?.dev ?? NOT_SEEN
        part.inode = found?.ino ?? NOT_SEEN
      } else if (found?.ino !== part.inode || found.dev !== part.device) return part.path
      const size = found?.size ?? 0
      if (size < part.size) {
        // The lost bytes stay lost even if the file grows again.
        part.size = Number.POSITIVE_INFINITY
        return part.path
      }
      part.size = size
    }
    return undefined
  }
}
