import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { InstrumentTable } from './instrument-table.js'

/**
 * The packed master in a file beside the database, so that a start reads one file instead of unpacking a
 * hundred thousand rows. The file is a cache: the instrument table is the source of truth, and a file that
 * does not match it is ignored.
 */
export class SnapshotFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the master in the file if it is intact and has this checksum. */
  async read(checksum: number): Promise<InstrumentTable | undefined> {
    const packed = await readFile(this.#path).catch(() => undefined)
    const table = packed && InstrumentTable.decode(packed)
    return table?.checksum === checksum ? table : undefined
  }

  /** Replaces the file atomically: a reader finds either the old content or the new. */
  async write(packed: Buffer): Promise<void> {
    const partial = `${this.#path}.partial`
    try {
      await writeFile(partial, packed, { mode: 0o600 })
      await rename(partial, this.#path)
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  }
}
