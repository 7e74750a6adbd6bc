import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { InstrumentTable } from './instrument-table.js'

/**
 * The packed master beside the database, so that a start reads one file instead of unpacking a hundred thousand
 * rows. It is a cache: the instrument table stays the truth, and a file that is not its packed form is not used.
 */
export class SnapshotFile {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** The master in the file when it is whole and has this checksum. */
  async read(checksum: number): Promise<InstrumentTable | undefined> {
    const packed = await readFile(this.#path).catch(() => undefined)
    const table = packed && InstrumentTable.decode(packed)
    return table?.checksum === checksum ? table : undefined
  }

  /** Replaces the file in one step: a reader finds the old one or the new one. */
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
