import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { CHANNELS, type Channel, digitsOf } from '../../../core/notifications/index.js'
import { fields, isEmailAddress } from '../../../core/validation/index.js'
import { instant, message, messageOnly, ok, text } from '../common/answers.js'
import { contactShape, contactValues, contactView, ownContact, summaryChoice } from './contact.js'
import { instantOf, json, signed } from './message-facts.js'

const CHANNEL = { channel: '`telegram`, `whatsapp` or `email`.' }

/** The choice of a user on one channel: the events, and the daily summary. */
const contactPreferencesPayload = z.strictObject({
  enabled: fields.boolean().optional(),
  orders: fields.boolean().optional(),
  failures: fields.boolean().optional(),
  trades: fields.boolean().optional(),
  approvals: fields.boolean().optional(),
  system: fields.boolean().optional(),
  pnl: fields.boolean().optional(),
  ...summaryChoice,
})

const contactPayload = z.strictObject({ address: fields.text(255) })

const contactStored = ok({ message, data: contactShape })

const linkCodeShape = ok({
  message,
  data: z.strictObject({ code: text, expires_at: instant, bot_username: text.nullable() }),
})

/** The addresses of the caller, and what goes there. */
export const CONTACT_OPERATIONS = {
  'PUT /messages/preferences/:channel': signed('Chooses the events that you want on a channel.', {
    scopes: ['settings'],
    params: CHANNEL,
    body: contactPreferencesPayload,
    example: { trades: false },
    answer: contactStored,
    errors: ['not_found', ...json],
    audit: { act: 'message.set_preferences', values: contactValues, turn: 'contacts' },
    run: async ({ messages }, { body, params }, { username }) => {
      const channel = channelOf(params.channel)
      const { daily_summary: dailySummary, summary_time: summaryTime, ...rest } = body
      await messages.contacts.change(ownContact(messages, username, channel), {
        ...rest,
        dailySummary,
        summaryTime,
      })
      const data = contactView(ownContact(messages, username, channel))
      return { status: 'success', message: `Your preferences on ${channel} are stored.`, data }
    },
  }),
  'POST /messages/link': signed('Creates a code that links a Telegram chat to you. It works once.', {
    scopes: ['admin'],
    fresh: true,
    answer: linkCodeShape,
    errors: ['conflict'],
    audit: { act: 'message.create_code' },
    run: ({ messages: { settings, codes } }, _input, { username }) => {
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
        data: { code, expires_at: instantOf(expiresAt), bot_username: telegramUsername },
      }
    },
  }),
  'PUT /messages/contacts/:channel': signed('Sets your phone number or mail address for messages.', {
    scopes: ['admin'],
    fresh: true,
    params: CHANNEL,
    body: contactPayload,
    example: { address: '919876543210' },
    answer: contactStored,
    errors: ['not_found', 'refused', 'conflict', ...json],
    audit: { act: 'message.set_contact', values: contactValues, turn: 'contacts' },
    run: async ({ messages: { contacts } }, { body, params }, { username }) => {
      const channel = channelOf(params.channel)
      const contact = await contacts.link({
        userId: username,
        channel,
        address: addressOf(channel, body.address),
      })
      const message = `Messages of ${channel} go to ${contact.address}.`
      return { status: 'success', message, data: contactView(contact) }
    },
  }),
  'DELETE /messages/contacts/:channel': signed('Removes your address from a channel.', {
    scopes: ['admin'],
    params: CHANNEL,
    answer: messageOnly,
    errors: ['not_found'],
    audit: { act: 'message.remove_contact', values: contactValues, turn: 'contacts' },
    run: async ({ messages, messages: { contacts } }, { params }, { username }) => {
      const channel = channelOf(params.channel)
      const contact = ownContact(messages, username, channel)
      await contacts.unlink(contact)
      return { status: 'success', message: `${contact.address} gets no more messages of ${channel}.` }
    },
  }),
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
