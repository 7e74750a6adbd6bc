import { statSync } from 'node:fs'

/** SQLite keeps what is committed but not yet folded into the file in the second of them. */
const PARTS = ['', '-wal'] as const

/**
 * Knows which files a connection has open, by device and inode, and whether their paths still lead to them. A removed
 * file takes writes as before, and they are gone with the process: only the path tells.
 */
export class FileIdentity {
  readonly #file: string
  readonly #known = new Map<string, string>()

  /** Taken right after the file was opened. */
  constructor(file: string) {
    this.#file = file
    this.missing()
  }

  /** The path that leads nowhere any more, or to another file. Costs two `stat` calls, some microseconds. */
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
