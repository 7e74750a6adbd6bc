import type { SecretBox } from '../../secrets/index.js'
import { sha256Hex } from '../../secrets/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { type MessageSettingsChanges, type MessageSettingsRow, MessageSettingsStore } from './store.js'

/** The secrets of the channels, and the columns that hold them sealed. */
const SECRETS = {
  telegramToken: 'telegramTokenEncrypted',
  whatsappToken: 'whatsappTokenEncrypted',
  whatsappAppSecret: 'whatsappAppSecretEncrypted',
  whatsappVerifyToken: 'whatsappVerifyTokenEncrypted',
} as const
export type MessageSecret = keyof typeof SECRETS
const SECRET_NAMES = Object.keys(SECRETS) as MessageSecret[]

type PlainChanges = Partial<
  Pick<
    MessageSettingsRow,
    | 'telegramActive'
    | 'telegramPolling'
    | 'telegramWebhookUrl'
    | 'telegramBroadcast'
    | 'telegramRatePerMinute'
    | 'telegramUsername'
    | 'telegramUpdateId'
    | 'telegramUpdateAt'
    | 'whatsappPhoneId'
    | 'whatsappTemplate'
    | 'whatsappTemplateLanguage'
  >
>
/** Settings to change. A secret is plain text here; null removes it. */
export type MessageSettingsPatch = PlainChanges & Partial<Record<MessageSecret, string | null>>

interface Parts {
  db: Database
  box: SecretBox
  clock: Clock
  /** The token of the configuration, used while none is stored. */
  configuredToken: string | undefined
  /** The secret of Telegram's webhook in the configuration. */
  webhookSecret: string | undefined
}

/** The settings of the message channels: one row, with a copy in memory. Secrets are sealed in the row. */
export class MessageSettings {
  readonly #parts: Parts
  readonly #store: MessageSettingsStore
  #row: MessageSettingsRow
  #secrets: Readonly<Record<MessageSecret, string | undefined>>

  private constructor(parts: Parts, store: MessageSettingsStore, row: MessageSettingsRow) {
    this.#parts = parts
    this.#store = store
    this.#row = row
    this.#secrets = this.#opened(row)
  }

  static async open(parts: Parts): Promise<MessageSettings> {
    const store = new MessageSettingsStore(parts.db)
    return new MessageSettings(parts, store, await store.load(parts.clock.now()))
  }

  get(): Readonly<MessageSettingsRow> {
    return this.#row
  }

  /** Changes the settings in the patch and keeps the rest. */
  async update(patch: MessageSettingsPatch): Promise<void> {
    const { telegramToken, whatsappToken, whatsappAppSecret, whatsappVerifyToken, ...plain } = patch
    const secrets = { telegramToken, whatsappToken, whatsappAppSecret, whatsappVerifyToken }
    const changes: MessageSettingsChanges = { ...plain }
    for (const name of SECRET_NAMES) {
      const text = secrets[name]
      if (text !== undefined) changes[SECRETS[name]] = text === null ? null : this.#parts.box.seal(text)
    }
    await this.#change(changes)
  }

  /** Puts the settings of the bot back as they were. The rest stays. */
  async restoreBot(was: Readonly<MessageSettingsRow>): Promise<void> {
    await this.#change({
      telegramTokenEncrypted: was.telegramTokenEncrypted,
      telegramPolling: was.telegramPolling,
      telegramWebhookUrl: was.telegramWebhookUrl,
      telegramBroadcast: was.telegramBroadcast,
      telegramRatePerMinute: was.telegramRatePerMinute,
      telegramUsername: was.telegramUsername,
      telegramUpdateId: was.telegramUpdateId,
      telegramUpdateAt: was.telegramUpdateAt,
    })
  }

  secret(name: MessageSecret): string | undefined {
    const stored = this.#secrets[name]
    return name === 'telegramToken' ? (stored ?? this.#parts.configuredToken) : stored
  }

  /** Returns the secret that Telegram's webhook sends; derived from the token where none is configured. */
  webhookSecret(): string | undefined {
    const token = this.secret('telegramToken')
    return this.#parts.webhookSecret ?? (token === undefined ? undefined : sha256Hex(token).slice(0, 32))
  }

  async #change(changes: MessageSettingsChanges): Promise<void> {
    // The single writer resolves in commit order, so the copy always matches the row.
    this.#row = await this.#store.update({ ...changes, updatedAt: this.#parts.clock.now() })
    this.#secrets = this.#opened(this.#row)
  }

  #opened(row: MessageSettingsRow): Record<MessageSecret, string | undefined> {
    const open = (name: MessageSecret) => {
      const sealed = row[SECRETS[name]]
      return sealed === null ? undefined : this.#parts.box.open(sealed)
    }
    return {
      telegramToken: open('telegramToken'),
      whatsappToken: open('whatsappToken'),
      whatsappAppSecret: open('whatsappAppSecret'),
      whatsappVerifyToken: open('whatsappVerifyToken'),
    }
  }
}
