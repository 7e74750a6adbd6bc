import { messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { type SecretBox, SigningKey } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import { parseWith } from '../validation/index.js'
import { type SettingsPatch, type SettingsValues, settingsPatch } from './schema.js'
import { type SettingsChanges, type SettingsRow, SettingsStore } from './store.js'

interface SettingsOptions {
  db: Database
  secretBox: SecretBox
  log: Pick<Logger, 'error'>
}

type SettingsListener = (now: SettingsValues, before: SettingsValues) => void

/**
 * The settings of this installation: one row, with a copy in memory for the hot path. A change is on disk
 * before any reader sees it.
 */
export class Settings {
  readonly #options: SettingsOptions
  readonly #store: SettingsStore
  readonly #listeners = new Set<SettingsListener>()
  #row: SettingsRow
  #values: SettingsValues
  /** The key by which the daemon of this home proves who it is. */
  readonly identity: SigningKey

  private constructor(
    options: SettingsOptions,
    store: SettingsStore,
    { row, identity }: { row: SettingsRow; identity: SigningKey },
  ) {
    this.identity = identity
    this.#options = options
    this.#store = store
    this.#row = row
    this.#values = settingsValues(row)
  }

  static async open(options: SettingsOptions): Promise<Settings> {
    const store = new SettingsStore(options.db)
    return new Settings(options, store, await withIdentity(options, store))
  }

  /** Returns the current settings from memory. The object stays the same until a setting changes. */
  get(): SettingsValues {
    return this.#values
  }

  /** Switches the whole installation to Live (false) or Analyzer (true) mode. */
  setAnalyzeMode(analyzeMode: boolean): Promise<SettingsValues> {
    return this.update({ analyzeMode })
  }

  /**
   * Changes the settings in the patch and keeps the rest.
   * @throws ServiceError `validation` if a value is out of range
   */
  async update(patch: SettingsPatch): Promise<SettingsValues> {
    const { smtpPassword, ...rest } = parseWith(settingsPatch, patch)
    const changes: SettingsChanges = { ...rest }
    if (smtpPassword !== undefined) {
      changes.smtpPasswordEncrypted =
        smtpPassword === null ? null : this.#options.secretBox.seal(smtpPassword)
    }
    if (Object.values(changes).every((value) => value === undefined)) return this.#values
    // The single writer resolves in commit order, so the copy always matches the row.
    this.#take(await this.#store.update(changes))
    return this.#values
  }

  /** Returns the mail password as plain text; undefined if there is none. */
  smtpPassword(): string | undefined {
    const sealed = this.#row.smtpPasswordEncrypted
    return sealed === null ? undefined : this.#options.secretBox.open(sealed)
  }

  /** Calls `listener` after each change. @returns a function that removes the listener */
  onChange(listener: SettingsListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  #take(row: SettingsRow): void {
    const before = this.#values
    this.#row = row
    this.#values = settingsValues(row)
    for (const listener of this.#listeners) {
      try {
        listener(this.#values, before)
      } catch (error) {
        this.#options.log.error('settings.listener_failed', { reason: messageOf(error) })
      }
    }
  }
}

/**
 * Returns the row with the key of this home. It is made once, and stored before anybody can see its id. A key that this
 * installation cannot open is replaced: its secret is lost, so nobody can prove its id any more.
 */
async function withIdentity({ log, secretBox }: SettingsOptions, store: SettingsStore) {
  const row = await store.load()
  const { identityKeySealed: sealed } = row
  const known = sealed === null ? undefined : SigningKey.of(secretBox.open(sealed) ?? '')
  if (known !== undefined) return { row, identity: known }
  if (sealed !== null) log.error('settings.identity_replaced', { reason: 'the key cannot be opened' })
  const identity = SigningKey.make()
  const stored = await store.update({ identityKeySealed: secretBox.seal(identity.secretText()) })
  return { row: stored, identity }
}

function settingsValues(row: SettingsRow): SettingsValues {
  const { id: _id, smtpPasswordEncrypted, identityKeySealed: _key, ...rest } = row
  return Object.freeze({ ...rest, smtpPasswordSet: smtpPasswordEncrypted !== null })
}
