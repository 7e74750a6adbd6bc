import { statSync } from 'node:fs'

/**
 * Suffixes of the files of a database. The `-wal` file holds commits that are not folded into the main file
 * yet.
 */
const PARTS = ['', '-wal'] as const

/**
 * The device and inode of each file a connection has open. Writes to a removed file succeed, and the data is
 * lost when the process ends. Only the path shows that the file is gone, so {@link missing} compares the two.
 */
export class FileIdentity {
  readonly #file: string
  readonly #known = new Map<string, string>()

  /** Create it right after the file was opened. */
  constructor(file: string) {
    this.#file = file
    this.missing()
  }

  /** Returns a path that no longer leads to the open file. Costs two `stat` calls, some microseconds. */
  missing(): string | undefined {
    for (const part of PARTS) {
      const path = this.#file + part
      const known = this.#known.get(path)
      const found = identityOf(path)
      if (known === undefined && found !== undefined) this.#known.set(path, found)
      else if (known !== found) return path
    }
    return undefined
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: false })
  return found && `${found.dev}:${found.ino}`
}
