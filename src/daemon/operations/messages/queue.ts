import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { CHANNELS, type Channel, type Messages } from '../../../core/notifications/index.js'
import { MESSAGE_STATES } from '../../../core/notifications/schema.js'
import { fields } from '../../../core/validation/index.js'
import { count, instant, message, ok, text } from '../common/answers.js'
import { telegramConfig, telegramView } from './bot.js'
import { whatsappView } from './channels.js'
import { contactShape, contactView, ownContact } from './contact.js'
import { instantOf, json, signed } from './message-facts.js'

const testPayload = z.strictObject({ channel: fields.oneOf(CHANNELS) })

const messageQueueQuery = z.object({
  channel: fields.oneOf(CHANNELS).optional(),
  state: fields.oneOf(MESSAGE_STATES).optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(50),
  before: fields.integer().optional(),
})

const retryPayload = z.strictObject({ id: fields.integer().optional() })

const messagesStatus = ok({
  data: z.strictObject({
    channels: z.array(
      z.strictObject({
        channel: z.enum(CHANNELS),
        ready: z.boolean(),
        /** Why the channel is not ready, or its last fault. */
        note: text,
        address: text.nullable().meta({ description: 'Where the caller gets messages of this channel.' }),
        waiting: count,
        sent: count,
        dead: count,
      }),
    ),
    contacts: z.array(contactShape),
    telegram: telegramConfig.shape.data,
    whatsapp: z.strictObject({
      token_set: z.boolean(),
      phone_number_id: text.nullable(),
      app_secret_set: z.boolean(),
      verify_token_set: z.boolean(),
      template: text.nullable(),
      template_language: text,
    }),
  }),
})

const messageTested = ok({ message })

const messageQueue = ok({
  data: z.array(
    z.strictObject({
      id: count,
      channel: z.enum(CHANNELS),
      address: text,
      event: text,
      state: z.enum(MESSAGE_STATES),
      attempts: count,
      priority: count,
      subject: text.nullable(),
      text,
      created_at: instant,
      next_attempt_at: instant.nullable(),
      ended_at: instant.nullable(),
      error: text.nullable(),
    }),
  ),
  count,
})

const retried = ok({ message, count })

/** The channels and the queue of messages. */
export const MESSAGE_QUEUE_OPERATIONS = {
  'GET /messages/status': signed('Returns the channels, your addresses, and the counts of the queue.', {
    scopes: ['read', 'settings'],
    answer: messagesStatus,
    run: async ({ messages }, _input, { username }) => ({
      status: 'success',
      data: await statusOf(messages, username),
    }),
  }),
  'GET /messages/queue': signed('Lists messages, the newest first.', {
    scopes: ['read', 'settings'],
    query: messageQueueQuery,
    example: { state: 'dead' },
    answer: messageQueue,
    errors: ['validation'],
    run: async ({ messages: { queue } }, { query: { before = Number.MAX_SAFE_INTEGER, ...filter } }) => {
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
        created_at: instantOf(row.createdAt),
        next_attempt_at: row.state === 'waiting' ? instantOf(row.nextAttemptAt) : null,
        ended_at: row.endedAt === null ? null : instantOf(row.endedAt),
        error: row.error,
      }))
      return { status: 'success', data, count: data.length }
    },
  }),
  'POST /messages/queue/retry': signed('Tries dead messages again, all or one.', {
    scopes: ['settings'],
    body: retryPayload,
    example: { id: 12 },
    answer: retried,
    errors: ['not_found', ...json],
    audit: { act: 'message.retry' },
    run: async ({ messages: { queue } }, { body }) => {
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
  }),
  'POST /messages/test': signed('Sends yourself a test message, and waits until it is sent.', {
    scopes: ['settings'],
    limit: 'tenAMinute',
    body: testPayload,
    example: { channel: 'telegram' },
    answer: messageTested,
    errors: ['conflict', 'not_found', 'broker_protocol', ...json],
    audit: { unrecorded: 'It sends a message and changes nothing.' },
    run: async ({ messages, messages: { queue } }, { body: { channel } }, { username }) => {
      const { address } = ownContact(messages, username, channel)
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
  }),
}

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
