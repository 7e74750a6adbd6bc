import { messageOf, publicMessageOf, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { safeEqual } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import { pressOf } from '../chat/buttons.js'
import type { ChatCommands, ChatReply } from '../chat/commands.js'
import type { Contact, Contacts } from '../contacts/contacts.js'
import type { LinkCodes } from '../contacts/link-codes.js'
import { MAX_TEXT, SendFailure } from '../schema.js'
import type { MessageSettings, MessageSettingsPatch } from '../settings/settings.js'
import { type TelegramApi, TelegramRefusal } from './api.js'
import { Poller } from './poller.js'
import { type ChatInput, type Person, updateOf } from './updates.js'

/** The number of updates that are answered at the same time. More are dropped, so that a flood fills no memory. */
const MAX_RUNNING = 50
/** After this silence Telegram may start its numbers anew, so an old number says nothing. */
const NUMBERS_HOLD_MS = 6 * 24 * 3_600_000

interface TelegramBotParts {
  api: TelegramApi
  settings: MessageSettings
  contacts: Contacts
  codes: LinkCodes
  commands: ChatCommands
  clock: Clock
  log: Logger
}

/**
 * The Telegram bot: it takes updates, by polling or from the webhook, and answers linked chats. It says nothing
 * to any other chat, except to one that sends a valid code to be linked.
 */
export class TelegramBot {
  readonly #parts: TelegramBotParts
  readonly #stopping = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #poller: Poller | undefined
  #isOpen = false
  /** The newest update that was taken, also while it is being stored; undefined before the first. */
  #latest: { id: number; at: number } | undefined
  /** Starts and stops run one after the other, so that there is never more than one poller. */
  readonly #changes = new SerialQueue()

  constructor(parts: TelegramBotParts) {
    this.#parts = parts
  }

  /** True while the bot has a token and was not stopped. */
  get isRunning(): boolean {
    const { settings } = this.#parts
    const isUsable = settings.secret('telegramToken') !== undefined && settings.get().telegramActive
    return isUsable && !this.#stopping.signal.aborted
  }

  isLinked(userId: string): boolean {
    return this.#parts.contacts.find(userId, 'telegram') !== undefined
  }

  /** The last fault of the polling; undefined while it works. */
  get fault(): string | undefined {
    return this.#poller?.fault
  }

  /** Takes up the bot as the last run left it. Returns at once. */
  open(): void {
    this.#isOpen = true
    if (!this.isRunning) return
    const listening = this.#changes.run(() => this.#listen())
    void listening.catch((error: unknown) => this.#warn('telegram.not_started', error))
  }

  /**
   * Starts the bot. @returns a text about the mode
   * @throws ServiceError `refused` without a token or for a token that Telegram does not know, `conflict` if it runs
   */
  start(): Promise<string> {
    return this.#changes.run(() => this.#start())
  }

  async #start(): Promise<string> {
    const { settings } = this.#parts
    if (settings.secret('telegramToken') === undefined)
      throw new ServiceError('refused', 'Bot token not configured')
    if (this.isRunning) throw new ServiceError('conflict', 'Bot is already running')
    await this.#listen()
    await settings.update({ telegramActive: true })
    return settings.get().telegramPolling ? 'Bot started successfully' : 'Bot initialized for webhook mode'
  }

  /** Stops the bot, also for later starts of the service. @throws ServiceError `conflict` if it does not run */
  stop(): Promise<void> {
    return this.#changes.run(() => this.#stop())
  }

  async #stop(): Promise<void> {
    if (!this.isRunning) throw new ServiceError('conflict', 'Bot is not running')
    await this.#parts.settings.update({ telegramActive: false })
    await this.#endPolling()
  }

  /**
   * Changes settings. A running bot starts anew with another token or another way of taking updates. When Telegram
   * refuses these, the settings stay as they were and the bot goes on.
   * @throws ServiceError `refused` if Telegram refuses the token or the webhook
   */
  change(patch: MessageSettingsPatch): Promise<void> {
    return this.#changes.run(async () => {
      const { settings } = this.#parts
      const was = settings.get()
      const token = settings.secret('telegramToken')
      await settings.update(patch)
      const isOther = settings.secret('telegramToken') !== token
      const isElsewhere = patch.telegramPolling !== undefined || patch.telegramWebhookUrl !== undefined
      if (!isOther && !isElsewhere) return
      try {
        await this.#startAnew(isOther)
      } catch (error) {
        await settings.restoreBot(was)
        await this.#startAnew(false).catch((fault: unknown) => this.#warn('telegram.not_started', fault))
        throw error
      }
    })
  }

  /** @param isOther true for the token of another bot, whose updates have other numbers */
  async #startAnew(isOther: boolean): Promise<void> {
    await this.#endPolling()
    if (isOther) {
      this.#latest = undefined
      await this.#parts.settings.update({
        telegramUpdateId: null,
        telegramUpdateAt: null,
        telegramUsername: null,
      })
    }
    if (this.isRunning) await this.#listen()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#stopping.abort()
    await this.#endPolling()
    await Promise.allSettled(this.#running)
  }

  /** Checks the secret of a webhook call: `missing`, `wrong` or `right`. */
  checkSecret(given: string | undefined): 'missing' | 'wrong' | 'right' {
    const secret = this.#parts.settings.webhookSecret()
    if (given === undefined || given === '' || secret === undefined) return 'missing'
    return safeEqual(given, secret) ? 'right' : 'wrong'
  }

  /**
   * Takes an update; each one once. Resolves when its number is stored, before it is answered: after a crash an
   * update is lost and never repeated. @returns false for something that is no update
   */
  async accept(given: unknown): Promise<boolean> {
    const update = updateOf(given)
    if (!update) return false
    if (!this.isRunning || !this.#isNew(update.id) || !update.input) return true
    // A stranger can neither repeat an act nor make the service write.
    if (this.#parts.contacts.at('telegram', update.input.from.id)) await this.#storeNumber(update.id)
    if (this.#running.size >= MAX_RUNNING) {
      this.#parts.log.warn('telegram.updates_dropped', { running: this.#running.size })
      return true
    }
    const answered = this.#answer(update.input).catch((error: unknown) =>
      this.#warn('telegram.not_answered', error),
    )
    this.#running.add(answered)
    void answered.finally(() => this.#running.delete(answered))
    return true
  }

  /** Numbers grow. The number counts before another update is looked at, so that a repeat is not taken. */
  #isNew(id: number): boolean {
    const { clock, settings } = this.#parts
    const now = clock.now()
    const { telegramUpdateAt, telegramUpdateId } = settings.get()
    this.#latest ??= { id: telegramUpdateId ?? -1, at: telegramUpdateAt ?? 0 }
    if (id <= this.#latest.id && this.#latest.at > now - NUMBERS_HOLD_MS) return false
    this.#latest = { id, at: now }
    return true
  }

  /**
   * A disk that refuses it keeps nobody from the kill switch: after a crash Telegram repeats the update, but a repeated command
   * only asks again, and a confirmation counts once and ends with the process.
   */
  async #storeNumber(id: number): Promise<void> {
    const { clock, settings } = this.#parts
    await settings
      .update({ telegramUpdateId: id, telegramUpdateAt: clock.now() })
      .catch((error: unknown) => this.#warn('telegram.update_not_stored', error))
  }

  async #answer(input: ChatInput): Promise<void> {
    const contact = this.#parts.contacts.at('telegram', input.from.id)
    if (!contact) return this.#linkIfCode(input)
    if (!this.#parts.commands.admits(contact.address)) return
    if (input.kind === 'text') {
      await this.#show(contact, await this.#parts.commands.reply(contact, input.text))
    } else {
      await this.#press(contact, input)
    }
  }

  async #press(contact: Contact, input: ChatInput & { kind: 'press' }): Promise<void> {
    const { api, commands } = this.#parts
    const press = pressOf(input.data)
    // The wait on the button ends in any case; a failure to end it changes nothing, and the act does not wait for it.
    void api.answerCallback(input.callbackId, '', this.#stopping.signal).catch(() => undefined)
    if (!press) return
    if (press.kind === 'ask') return this.#show(contact, await commands.ask(contact, press))
    const text = await commands.answer(contact, press.token, input.messageId, press.kind === 'yes')
    await api
      .editMessage(contact.address, input.messageId, text, this.#stopping.signal)
      .catch(() => this.#show(contact, { text }))
  }

  async #linkIfCode({ from, ...input }: ChatInput): Promise<void> {
    const { codes, contacts, commands } = this.#parts
    const [, code] =
      (input.kind === 'text' && /^\/(?:link|start)(?:@\w+)?\s+(\S{1,40})\s*$/i.exec(input.text)) || []
    const userId = code === undefined ? undefined : codes.take(code, from.id)
    if (userId === undefined) return
    const chat = { channel: 'telegram', address: from.id } as const
    const act = { actor: { ...chat, username: userId }, act: 'link', target: from.id } as const
    const { text } = await commands.ports.record(act, async () => {
      await contacts.link({ ...chat, userId }, personIn(from))
      return { text: `This chat is linked to ${userId}. Send /help for the commands.` }
    })
    const contact = contacts.at('telegram', from.id)
    if (contact) await this.#show(contact, { text })
  }

  async #show(contact: Contact, { buttons, confirmation, text }: ChatReply): Promise<void> {
    const { api, commands } = this.#parts
    const message = { chat: contact.address, text: text.slice(0, MAX_TEXT), markdown: false }
    const keyboard = buttons && buttons.length > 0 ? buttons : undefined
    const messageId = await api.sendMessage({ ...message, keyboard }, this.#stopping.signal)
    if (confirmation !== undefined) commands.bind(confirmation, messageId)
  }

  /** Begins to take updates: Telegram is told where they go. @throws ServiceError for a refused token */
  async #listen(): Promise<void> {
    const { api, clock, log, settings } = this.#parts
    const { signal } = this.#stopping
    const secret = settings.webhookSecret()
    const { telegramPolling, telegramWebhookUrl: url } = settings.get()
    try {
      await this.#endPolling()
      const telegramUsername = await api.getMe(signal)
      await this.#noteName(telegramUsername)
      if (!telegramPolling && url !== null && secret !== undefined) await api.setWebhook(url, secret, signal)
      if (telegramPolling) await api.deleteWebhook(signal)
    } catch (error) {
      if (error instanceof TelegramRefusal && (error.isAboutToken || error.facts.isFinal)) {
        throw new ServiceError('refused', `Telegram refused the bot: ${error.description}`)
      }
      // Without a network the poller tries again.
      if (!(error instanceof SendFailure)) throw error
      this.#warn('telegram.not_reached', error)
    }
    if (!telegramPolling || !this.#isOpen) return
    this.#poller = new Poller({ api, clock, log, accept: (update) => this.accept(update) })
    this.#poller.start()
  }

  /** Another bot, as the configuration may name one, has numbers of its own: by those of the former one it would be deaf. */
  async #noteName(telegramUsername: string): Promise<void> {
    const { settings } = this.#parts
    const before = settings.get().telegramUsername
    if (telegramUsername === before) return
    const isOther = before !== null
    if (isOther) this.#latest = undefined
    const numbers = isOther ? { telegramUpdateId: null, telegramUpdateAt: null } : {}
    await settings.update({ telegramUsername, ...numbers })
  }

  async #endPolling(): Promise<void> {
    const poller = this.#poller
    this.#poller = undefined
    await poller?.close()
  }

  #warn(event: string, error: unknown): void {
    this.#parts.log.warn(event, {
      message: error instanceof ServiceError ? publicMessageOf(error) : messageOf(error),
    })
  }
}

function personIn({ firstName, handle, lastName }: Person) {
  return { firstName, lastName, handle }
}
