import { messageOf } from '../errors/index.js'
import type { EventBus } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { Mailer } from '../mail/index.js'
import { hmacHex, type SecretBox, safeEqual } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import type { Notifier } from '../telemetry/index.js'
import type { Clock } from '../time/index.js'
import { type Alert, wireAlerts } from './alerts/subscribers.js'
import { DailySummary } from './alerts/summary.js'
import { ChatCommands } from './chat/commands.js'
import type { ChatPorts } from './chat/ports.js'
import { Contacts } from './contacts/contacts.js'
import { LinkCodes } from './contacts/link-codes.js'
import { MailSender } from './email/sender.js'
import { MessageQueue } from './queue/queue.js'
import { QueueStore } from './queue/store.js'
import { CHANNELS, type Channel, type MessageEvent, PRIORITY } from './schema.js'
import { MessageSettings } from './settings/settings.js'
import { TelegramApi } from './telegram/api.js'
import { TelegramBot } from './telegram/bot.js'
import { TelegramSender } from './telegram/sender.js'
import { WhatsAppApi } from './whatsapp/api.js'
import { WhatsAppSender } from './whatsapp/sender.js'
import { newsOf } from './whatsapp/webhook.js'

/** The messages that one address of WhatsApp or e-mail gets in a minute. That of Telegram is a setting. */
const PER_MINUTE = 30

interface MessagesParts {
  db: Database
  box: SecretBox
  clock: Clock
  log: Logger
  bus: EventBus
  mailer: Mailer
  /** Returns whether a mail server is set. */
  hasMailServer: () => boolean
  ports: ChatPorts
  /** The settings of the configuration. */
  telegram: {
    token: string | undefined
    chats: Readonly<Record<string, string>>
    webhookSecret: string | undefined
    /** The Bot API server; that of Telegram by default. */
    api?: string | undefined
  }
  /** Replaces the host of the WhatsApp Cloud API in tests. */
  whatsappApi?: string | undefined
}

/** All messages to users: their channels, contacts, queue and bot. */
export class Messages {
  readonly settings: MessageSettings
  readonly contacts: Contacts
  readonly codes: LinkCodes
  readonly queue: MessageQueue
  readonly telegram: TelegramBot
  readonly #parts: MessagesParts
  readonly #commands: ChatCommands
  readonly #summary: DailySummary

  private constructor(parts: MessagesParts, settings: MessageSettings, contacts: Contacts) {
    const { clock, db, log, mailer, ports, whatsappApi } = parts
    this.#parts = parts
    this.settings = settings
    this.contacts = contacts
    this.codes = new LinkCodes(clock)
    const api = new TelegramApi({
      token: () => settings.secret('telegramToken'),
      clock,
      api: parts.telegram.api,
    })
    const whatsapp = new WhatsAppApi({ account: () => this.whatsappAccount(), clock, api: whatsappApi })
    this.queue = new MessageQueue({
      store: new QueueStore(db),
      senders: [
        new TelegramSender({ api, isReady: () => this.telegram.isRunning }),
        new WhatsAppSender({
          api: whatsapp,
          isReady: () => this.whatsappAccount() !== undefined,
          template: () => this.#template(),
        }),
        new MailSender({ mailer, isReady: parts.hasMailServer }),
      ],
      clock,
      log,
      perMinute: (channel) => (channel === 'telegram' ? settings.get().telegramRatePerMinute : PER_MINUTE),
    })
    this.#commands = new ChatCommands({ ports, contacts, clock, log })
    const bot = { api, settings, contacts, codes: this.codes, commands: this.#commands, clock, log }
    this.telegram = new TelegramBot(bot)
    const isReady = (channel: Channel) => this.queue.isReady(channel)
    const add = this.queue.add.bind(this.queue)
    this.#summary = new DailySummary({ contacts, ports, clock, log, isReady, add })
    wireAlerts({
      bus: parts.bus,
      alert: (userId, alert) => this.alert(userId, alert),
      users: () => [...new Set(contacts.all().map(({ userId }) => userId))],
      wants: (userId, event) => CHANNELS.some((channel) => this.reaches(channel, userId, event)),
      pendingOrder: (userId, id) => ports.pendingOrder(userId, id),
    })
  }

  static async open(parts: MessagesParts): Promise<Messages> {
    const { box, clock, db, telegram } = parts
    const { chats, token: configuredToken, webhookSecret } = telegram
    const settings = await MessageSettings.open({ db, box, clock, configuredToken, webhookSecret })
    return new Messages(parts, settings, await Contacts.open(db, clock, chats))
  }

  /** Begins to deliver messages, to take updates and to send summaries. */
  start(): void {
    this.queue.start()
    this.telegram.open()
    this.#summary.start()
  }

  /** Aborts what is being sent; it stays in the queue. */
  async close(): Promise<void> {
    await Promise.all([this.telegram.close(), this.queue.close(), this.#summary.close()])
  }

  /** Returns whether a channel is set up and the user wants the event on it. */
  reaches(channel: Channel, userId: string, event: MessageEvent): boolean {
    return this.queue.isReady(channel) && this.contacts.wanting(userId, channel, event) !== undefined
  }

  /** Returns the sender of order alerts on a channel. */
  notifier(channel: Channel): Notifier {
    return {
      reaches: (userId, event) => this.reaches(channel, userId, event),
      send: async (userId, text, event) => {
        const contact = this.contacts.wanting(userId, channel, event)
        if (!contact) return
        this.queue.post({
          channel,
          address: contact.address,
          userId,
          event,
          body: text,
          subject: `svc: ${(text.split('\n')[0] ?? '').slice(0, 190)}`,
          format: channel === 'telegram' ? 'markdown' : 'plain',
          priority: event === 'failures' ? PRIORITY.urgent : PRIORITY.usual,
        })
      },
    }
  }

  /** Queues an alert on every channel where the user wants it. Returns at once. */
  alert(userId: string, { subject, ...alert }: Alert): void {
    for (const channel of CHANNELS) {
      if (!this.reaches(channel, userId, alert.event)) continue
      const address = this.contacts.wanting(userId, channel, alert.event)?.address
      if (address === undefined) continue
      this.queue.post({ ...alert, channel, address, userId, subject: `svc: ${subject}`.slice(0, 200) })
    }
  }

  /** Returns the account of the WhatsApp Cloud API; undefined if it is not set up. */
  whatsappAccount(): { token: string; phoneId: string } | undefined {
    const [token, phoneId] = [this.settings.secret('whatsappToken'), this.settings.get().whatsappPhoneId]
    return token !== undefined && phoneId !== null ? { token, phoneId } : undefined
  }

  /** Returns whether a webhook call of WhatsApp is signed with the secret of the app. */
  isSignedByWhatsApp(body: string, signature: string | undefined): boolean {
    const secret = this.settings.secret('whatsappAppSecret')
    if (secret === undefined || signature === undefined) return false
    return safeEqual(signature, `sha256=${hmacHex(secret, body)}`)
  }

  /** Takes a notification of WhatsApp: answers commands of linked numbers, and records what did not arrive. */
  async acceptWhatsApp(given: unknown): Promise<boolean> {
    const news = newsOf(given, this.settings.get().whatsappPhoneId ?? '')
    if (!news) return false
    for (const { error, id } of news.failures) await this.queue.failLater('whatsapp', id, error)
    for (const { from, id, text } of news.texts) {
      const contact = this.contacts.at('whatsapp', from)
      if (!contact || !this.#commands.admits(from)) continue
      const { text: body } = await this.#commands.reply(contact, text)
      const { userId } = contact
      // A repeat of the notification has the same id, so it is answered once.
      const reply = {
        channel: 'whatsapp',
        address: from,
        userId,
        event: 'reply',
        body,
        key: `reply:${id}`.slice(0, 100),
      } as const
      await this.queue.add(reply).catch((error: unknown) => {
        this.#parts.log.warn('whatsapp.not_answered', { message: messageOf(error) })
      })
    }
    return true
  }

  #template(): { name: string; language: string } | undefined {
    const { whatsappTemplate: name, whatsappTemplateLanguage: language } = this.settings.get()
    return name === null ? undefined : { name, language }
  }
}
