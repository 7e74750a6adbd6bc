import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Channel, Contact, Messages } from '../../../core/notifications/index.js'
import { CHANNELS } from '../../../core/notifications/schema.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import type { ActRequest } from '../audit-facts.js'
import { text } from '../common/answers.js'

const timeOfDay = fields.text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time like 18:00.')
const timezone = fields.text(64).refine(isTimeZone, 'Must be a time zone like Asia/Kolkata.')

export const summaryChoice = {
  daily_summary: fields.boolean().optional(),
  summary_time: timeOfDay.optional(),
  language: fields.oneOf(['en']).optional(),
  timezone: timezone.optional(),
}

export const summaryFields = {
  daily_summary: z.boolean(),
  summary_time: text,
  language: text,
  timezone: text,
}

export const contactShape = z.strictObject({
  username: text,
  channel: z.enum(CHANNELS),
  address: text,
  origin: z.enum(['config', 'user']),
  enabled: z.boolean(),
  orders: z.boolean(),
  failures: z.boolean(),
  trades: z.boolean(),
  approvals: z.boolean(),
  system: z.boolean(),
  pnl: z.boolean(),
  ...summaryFields,
})

const FIRST_STEP: Readonly<Record<Channel, string>> = {
  telegram: 'svc message link',
  whatsapp: 'svc message contact whatsapp NUMBER',
  email: 'svc message contact email ADDRESS',
}

/** Returns the address of a user on a channel. @throws ServiceError `not_found` */
export function ownContact({ contacts }: Messages, username: string, channel: Channel): Contact {
  const contact = contacts.find(username, channel)
  if (contact) return contact
  throw new ServiceError('not_found', `You have no address on ${channel}. First: ${FIRST_STEP[channel]}.`)
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

export function contactValues({ service }: ActRequest<RunningService>) {
  return Object.fromEntries(
    service.messages.contacts
      .all()
      .map((contact) => [`${contact.channel} ${contact.userId}`, contactView(contact)]),
  )
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
