import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import { parseWith } from '../validation/index.js'
import { type SettingsPatch, type SettingsValues, settingsPatch } from './schema.js'
import { type SettingsChanges, type SettingsRow, SettingsStore } from './store.js'

export interface SettingsOptions {
  db: Database
  secretBox: SecretBox
  log: Pick<Logger, 'error'>
}

export type SettingsListener = (now: SettingsValues, before: SettingsValues) => void

/**
 * The settings of this installation: one row, with a copy in memory that the hot path reads. A change is durable
 * before anyone sees it.
 */
export class Settings {
  readonly #options: SettingsOptions
  readonly #store: SettingsStore
  readonly #listeners = new Set<SettingsListener>()
  #row: SettingsRow
  #values: SettingsValues

  private constructor(options: SettingsOptions, store: SettingsStore, row: SettingsRow) {
    this.#options = options
    this.#store = store
    this.#row = row
    this.#values = valuesOf(row)
  }

  static async open(options: SettingsOptions): Promise<Settings> {
    const store = new SettingsStore(options.db)
    return new Settings(options, store, await store.load())
  }

  /** The settings now; from memory, and the same object until one of them changes. */
  get(): SettingsValues {
    return this.#values
  }

  /** Live (false) or Analyzer (true), for the whole installation. */
  setAnalyzeMode(analyzeMode: boolean): Promise<SettingsValues> {
    return this.update({ analyzeMode })
  }

  /**
   * Changes what the patch names and keeps the rest.
   * @throws ServiceError `validation` when a value is out of its range
   */
  async update(patch: SettingsPatch): Promise<SettingsValues> {
    const { smtpPassword, ...rest } = parseWith(settingsPatch, patch)
    const changes: SettingsChanges = { ...rest }
    if (smtpPassword !== undefined) {
      changes.smtpPasswordEncrypted =
        smtpPassword === null ? null : this.#options.secretBox.seal(smtpPassword)
    }
    if (Object.values(changes).every((value) => value === undefined)) return this.#values
    // The one writer answers in the order of the commits, so the copy follows the row.
    this.#take(await this.#store.update(changes))
    return this.#values
  }

  /** The mail password in the clear; undefined when there is none. */
  smtpPassword(): string | undefined {
    const sealed = this.#row.smtpPasswordEncrypted
    return sealed === null ? undefined : this.#options.secretBox.open(sealed)
  }

  /** Calls back after each change. @returns takes the listener off again */
  onChange(listener: SettingsListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #take(row: SettingsRow): void {
    const before = this.#values
    this.#row = row
    this.#values = valuesOf(row)
    for (const listener of this.#listeners) {
      try {
        listener(this.#values, before)
      } catch (error) {
        this.#options.log.error('settings.listener_failed', { reason: messageOf(error) })
      }
    }
  }
}

function valuesOf(row: SettingsRow): SettingsValues {
  const { id: _id, smtpPasswordEncrypted, ...rest } = row
  return Object.freeze({ ...rest, smtpPasswordSet: smtpPasswordEncrypted !== null })
}
