import { join } from 'node:path'
import { messageOf } from '../errors/index.js'
import type { Clock } from '../time/index.js'
import { backupIds, readManifest } from './folder.js'
import type { BackupSecrets } from './key-checks.js'
import { differingSecrets, type Manifest } from './manifest.js'

/** Backups or looks at their folder that failed: the last one, and when the first of them failed. */
export interface BackupFailure {
  at: number
  message: string
  since: number
}

/** The result of the last look at the folder of the backups. */
interface SeenBackups {
  /** Newest first; undefined until the folder was read for the first time. */
  made: readonly Manifest[] | undefined
  unreadable: BackupFailure | undefined
}

/**
 * The backups that were made with the secrets of a home: several homes may share a folder. A finished backup never
 * changes, so each manifest is read once; a look at the folder reads its names and the manifests of new backups.
 */
export class KnownBackups {
  readonly #folder: string
  readonly #secrets: BackupSecrets
  readonly #clock: Pick<Clock, 'now'>
  /** The manifest of each readable backup of the folder by its id; undefined for one of another home. */
  #read: ReadonlyMap<string, Manifest | undefined> = new Map()
  #seen: SeenBackups = { made: undefined, unreadable: undefined }
  /** Looks are numbered, so that a slow one does not replace the result of a later one. */
  #begun = 0
  #shown = 0

  constructor(options: { folder: string; secrets: BackupSecrets; clock: Pick<Clock, 'now'> }) {
    this.#folder = options.folder
    this.#secrets = options.secrets
    this.#clock = options.clock
  }

  /** The result of the last look. It needs no disk, which may be slow or away. */
  get seen(): SeenBackups {
    return this.#seen
  }

  /** Looks at the folder again. @returns the backups, newest first. @throws if the folder cannot be read */
  async look(): Promise<readonly Manifest[]> {
    this.#begun += 1
    const number = this.#begun
    try {
      const read = new Map<string, Manifest | undefined>()
      for (const id of await backupIds(this.#folder)) await this.#readInto(read, id)
      const made = [...read.values()].filter((manifest) => manifest !== undefined)
      this.#show(number, () => {
        this.#read = read
        this.#seen = { made, unreadable: undefined }
      })
      return made
    } catch (error) {
      this.#show(number, () => {
        const at = this.#clock.now()
        const message = `${this.#folder} cannot be read: ${messageOf(error)}.`
        const since = this.#seen.unreadable?.since ?? at
        this.#seen = { ...this.#seen, unreadable: { message, since, at } }
      })
      throw error
    }
  }

  /** A manifest that cannot be read may be of a copy in progress, so the next look reads it again. */
  async #readInto(read: Map<string, Manifest | undefined>, id: string): Promise<void> {
    if (this.#read.has(id)) {
      read.set(id, this.#read.get(id))
      return
    }
    const manifest = await readManifest(join(this.#folder, id)).catch(() => undefined)
    if (!manifest) return
    const isOwn = differingSecrets(manifest, this.#secrets).length === 0
    read.set(id, isOwn ? manifest : undefined)
  }

  #show(number: number, apply: () => void): void {
    if (number < this.#shown) return
    this.#shown = number
    apply()
  }
}
