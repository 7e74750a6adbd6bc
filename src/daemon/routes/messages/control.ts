import { ServiceError } from '../../../core/errors/index.js'
import { CHANNELS, type Channel, type Contact, type Messages } from '../../../core/notifications/index.js'
import { isEmailAddress } from '../../../core/validation/index.js'
import type { Handlers } from '../../http/handlers.js'
import { changeTelegram, startBot, stopBot, telegramView } from './telegram.js'
import { digitsOf } from './whatsapp.js'

const FIRST_STEP: Readonly<Record<Channel, string>> = {
  telegram: 'svc message link',
  whatsapp: 'svc message contact whatsapp NUMBER',
  email: 'svc message contact email ADDRESS',
}

/** Returns the handlers for channels, contacts and the queue, for a signed-in user. */
export function messageControlHandlers(messages: Messages) {
  const { codes, contacts, queue, settings } = messages
  const own = (username: string, channel: Channel) => {
    const contact = contacts.find(username, channel)
    if (!contact)
      throw new ServiceError('not_found', `You have no address on ${channel}. First: ${FIRST_STEP[channel]}.`)
    return contact
  }
  return {
    'GET /messages/status': async (_input, { username }) => ({
      status: 'success',
      data: await statusOf(messages, username),
    }),
    'GET /messages/queue': async ({ query: { before = Number.MAX_SAFE_INTEGER, ...filter } }) => {
      const rows = await queue.list({ before, ...filter })
      const data = rows.map((row) => ({
        id: row.id,
        channel: row.channel,
        address: row.address,
        event: row.event,
        state: row.state,
        attempts: row.attempts,
        priority: row.priority,
        subject: row.subject,
        text: row.body,
        created_at: instant(row.createdAt),
        next_attempt_at: row.state === 'waiting' ? instant(row.nextAttemptAt) : null,
        ended_at: row.endedAt === null ? null : instant(row.endedAt),
        error: row.error,
      }))
      return { status: 'success', data, count: data.length }
    },
    'POST /messages/queue/retry': async ({ body }) => {
      const { id } = body
      const count = await queue.revive(id)
      if (id !== undefined && count === 0)
        throw new ServiceError('not_found', `No dead message has the id ${id}.`)
      return {
        status: 'success',
        message: `${count} ${count === 1 ? 'message is' : 'messages are'} tried again.`,
        count,
      }
    },
    'POST /messages/test': async ({ body: { channel } }, { username }) => {
      const { address } = own(username, channel)
      if (!queue.isReady(channel))
        throw new ServiceError('conflict', `${channel} is not ready: ${noteOf(messages, channel)}`)
      const text = 'This is a test message of svc. The channel is set up correctly.'
      const message = { channel, address, userId: username, event: 'test', body: text } as const
      const delivery = await queue.deliver({ ...message, subject: 'svc: test message' })
      if (delivery.result === 'sent')
        return { status: 'success', message: `A test message was sent to ${address}.` }
      const end = delivery.result === 'dead' ? 'was refused' : 'was not sent, and is tried again'
      throw new ServiceError('broker_protocol', `The message ${end}: ${delivery.error}`)
    },
    'PUT /messages/preferences/:channel': async ({ body, params }, { username }) => {
      const channel = channelOf(params.channel)
      const { daily_summary: dailySummary, summary_time: summaryTime, ...rest } = body
      await contacts.change(own(username, channel), { ...rest, dailySummary, summaryTime })
      const data = contactView(own(username, channel))
      return { status: 'success', message: `Your preferences on ${channel} are stored.`, data }
    },
    'POST /messages/link': (_input, { username }) => {
      if (settings.secret('telegramToken') === undefined) {
        throw new ServiceError(
          'conflict',
          'No Telegram bot is set up. First: svc message channel telegram --token',
        )
      }
      const { code, expiresAt } = codes.create(username)
      const { telegramUsername } = settings.get()
      return {
        status: 'success',
        message: `Send /link ${code} to the bot within ten minutes.`,
        data: { code, expires_at: instant(expiresAt), bot_username: telegramUsername },
      }
    },
    'PUT /messages/contacts/:channel': async ({ body, params }, { username }) => {
      const channel = channelOf(params.channel)
      const contact = await contacts.link({
        userId: username,
        channel,
        address: addressOf(channel, body.address),
      })
      const message = `Messages of ${channel} go to ${contact.address}.`
      return { status: 'success', message, data: contactView(contact) }
    },
    'DELETE /messages/contacts/:channel': async ({ params }, { username }) => {
      const channel = channelOf(params.channel)
      const contact = own(username, channel)
      await contacts.unlink(contact)
      return { status: 'success', message: `${contact.address} gets no more messages of ${channel}.` }
    },
    'PUT /messages/channels/telegram': async ({ body }) => {
      await changeTelegram(messages, body)
      return { status: 'success', message: 'The settings of Telegram are stored.' }
    },
    'PUT /messages/channels/whatsapp': async ({ body }) => {
      await settings.update({
        whatsappToken: orNull(body.token),
        whatsappPhoneId: orNull(body.phone_number_id),
        whatsappAppSecret: orNull(body.app_secret),
        whatsappVerifyToken: orNull(body.verify_token),
        whatsappTemplate: orNull(body.template),
        whatsappTemplateLanguage: body.template_language,
      })
      queue.wake('whatsapp')
      return { status: 'success', message: 'The settings of WhatsApp are stored.' }
    },
    'POST /messages/channels/telegram/start': async () => ({
      status: 'success',
      message: await startBot(messages),
    }),
    'POST /messages/channels/telegram/stop': async () => ({
      status: 'success',
      message: await stopBot(messages),
    }),
  } satisfies Partial<Handlers>
}

const instant = (ms: number): string => new Date(ms).toISOString()

async function statusOf(messages: Messages, username: string) {
  const { contacts, queue } = messages
  const tallies = await queue.tallies()
  const countOf = (channel: Channel, state: string) =>
    tallies.find((tally) => tally.channel === channel && tally.state === state)?.count ?? 0
  return {
    channels: CHANNELS.map((channel) => ({
      channel,
      ready: queue.isReady(channel),
      note: noteOf(messages, channel),
      address: contacts.find(username, channel)?.address ?? null,
      waiting: countOf(channel, 'waiting'),
      sent: countOf(channel, 'sent'),
      dead: countOf(channel, 'dead'),
    })),
    contacts: contacts.all().map(contactView),
    telegram: telegramView(messages),
    whatsapp: whatsappView(messages),
  }
}

/** Returns the account of WhatsApp; of its secrets, only whether they are set. */
export function whatsappView({ settings }: Pick<Messages, 'settings'>) {
  const now = settings.get()
  return {
    token_set: settings.secret('whatsappToken') !== undefined,
    phone_number_id: now.whatsappPhoneId,
    app_secret_set: settings.secret('whatsappAppSecret') !== undefined,
    verify_token_set: settings.secret('whatsappVerifyToken') !== undefined,
    template: now.whatsappTemplate,
    template_language: now.whatsappTemplateLanguage,
  }
}

/** Returns why a channel is not ready, or its last fault; empty if all is well. */
function noteOf({ queue, settings, telegram }: Messages, channel: Channel): string {
  if (queue.isReady(channel)) return channel === 'telegram' ? (telegram.fault ?? '') : ''
  switch (channel) {
    case 'telegram':
      return settings.secret('telegramToken') === undefined ? 'no bot token' : 'the bot is stopped'
    case 'whatsapp':
      return 'no access token or phone number id'
    case 'email':
      return 'no mail server: svc smtp set'
  }
}

/** Returns an address of a user and the events that it gets. */
export function contactView(contact: Contact) {
  const {
    address,
    approvals,
    channel,
    enabled,
    failures,
    language,
    orders,
    origin,
    pnl,
    system,
    timezone,
    trades,
  } = contact
  return {
    username: contact.userId,
    channel,
    address,
    origin,
    enabled,
    orders,
    failures,
    trades,
    approvals,
    system,
    pnl,
    daily_summary: contact.dailySummary,
    summary_time: contact.summaryTime,
    language,
    timezone,
  }
}

function channelOf(name: string): Channel {
  const channel = CHANNELS.find((one) => one === name)
  if (!channel)
    throw new ServiceError('not_found', `There is no channel of this name. Channels: ${CHANNELS.join(', ')}`)
  return channel
}

/** Returns an address as it is stored. @throws ServiceError `refused` for Telegram, `validation` */
function addressOf(channel: Channel, given: string): string {
  if (channel === 'telegram') {
    throw new ServiceError('refused', 'A Telegram chat links itself, with a code: svc message link')
  }
  const address = channel === 'whatsapp' ? digitsOf(given) : isEmailAddress(given) ? given : undefined
  if (address !== undefined) return address
  const rule =
    channel === 'whatsapp' ? 'Must be a phone number of 7 to 15 digits.' : 'Must look like name@domain.tld.'
  throw new ServiceError('validation', `address: ${rule}`, { errors: { address: [rule] } })
}

/** An absent field keeps the stored value, a blank one removes it. */
const orNull = (text: string | null | undefined): string | null | undefined => (text === '' ? null : text)
