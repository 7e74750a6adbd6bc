import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { type Attachment, type Delivery, digitsOf, NOT_PAIRED } from '../../../core/notifications/index.js'
import { MAX_TEXT } from '../../../core/notifications/schema.js'
import { fields } from '../../../core/validation/index.js'
import { keyedChange } from '../running.js'
import { messageSent, messageText } from './message-facts.js'

/** The largest file that WhatsApp takes as an image is 5 MB; the same for documents keeps the memory small. */
const MAX_BYTES = 5 * 1024 * 1024

/**
 * Returns the real path of a file that may be sent: a regular file inside one of the folders, also after its
 * links are followed. @throws ServiceError `validation`, which does not say why: the caller must not search files
 */
async function attachmentAt(path: string, roots: readonly string[], field: string): Promise<string> {
  const refused = new ServiceError('validation', `${field} is not allowed`)
  if (!isAbsolute(path) || path.includes('\0') || path.split('/').includes('..')) throw refused
  try {
    const real = await realpath(path)
    const folders = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
    const isInside = folders.some((folder) => folder !== undefined && contains(folder, real))
    const file = await stat(real)
    if (isInside && file.isFile() && file.size > 0 && file.size <= MAX_BYTES) return real
  } catch {
    throw refused
  }
  throw refused
}

function contains(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '' && !path.startsWith('..') && !isAbsolute(path)
}

const whatsappChanges = keyedChange('Messages', 'whatsapp')

const MAX_PHONES = 5

const phone = z.union([z.string().max(64), z.int()], { error: 'Invalid phone number' })

const whatsappPayload = z.strictObject({
  self: fields.boolean().optional(),
  phones: z.array(phone, { error: "'phones' must be a list" }).optional(),
  phone: phone.optional(),
  username: fields.text(80).optional(),
  message: messageText,
  image_path: fields.text(4096).optional(),
  document_path: fields.text(4096).optional(),
  caption: fields.text(MAX_TEXT).optional(),
  filename: fields.text().optional(),
  wait_for_delivery: fields.boolean().default(true),
})

type WhatsAppPayload = z.output<typeof whatsappPayload>

/** Messages by WhatsApp, to the caller, a user or phone numbers. */
export const WHATSAPP_NOTIFY_OPERATIONS = {
  'POST /api/v1/whatsapp/notify': whatsappChanges('Sends a message by WhatsApp.', {
    body: whatsappPayload,
    example: { self: true, message: 'Target hit' },
    answer: messageSent,
    errors: ['conflict', 'not_found'],
    audit: { unrecorded: 'It sends a message and changes nothing.' },
    run: async (service, { body }, { username: caller }) => {
      const { messages } = service
      const { contacts, queue } = messages
      if (!messages.whatsappAccount()) throw new ServiceError('conflict', NOT_PAIRED)
      const attachment = await attachmentIn(body, service.attachmentRoots)
      const text = (attachment ? (body.caption ?? body.message) : body.message) ?? ''
      if (text === '' && !attachment) {
        throw refused('Provide at least one of: message, image_path, document_path')
      }
      const linked = (user: string) => contacts.find(user, 'whatsapp')?.address
      const phones = recipientsOf(body, caller, linked)
      const message = (address: string) =>
        ({ channel: 'whatsapp', address, userId: caller, event: 'notify', body: text, attachment }) as const
      if (!body.wait_for_delivery) {
        for (const address of phones) await queue.add(message(address))
        return {
          status: 'success',
          message: `Queued for ${phones.length} recipient(s)`,
          queued: phones.length,
        }
      }
      const ends = await Promise.all(
        phones.map(async (address) => ({ address, delivery: await queue.deliver(message(address)) })),
      )
      return deliveredBody(ends)
    },
  }),
}

/** A message that waits for a repeat counts as failed here; the text says that it is in the queue. */
function deliveredBody(ends: readonly { address: string; delivery: Delivery }[]) {
  const sent = ends.flatMap(({ address, delivery }) => (delivery.result === 'sent' ? [jid(address)] : []))
  const failed = ends.flatMap(({ address, delivery }) =>
    delivery.result === 'sent' ? [] : [{ to: jid(address), error: errorOf(delivery) }],
  )
  return {
    status: 'success' as const,
    message: `Delivered to ${sent.length}${failed.length === 0 ? '' : `, failed ${failed.length}`}`,
    data: { sent, failed, skipped: 0 },
  }
}

function errorOf({ error, result }: Exclude<Delivery, { result: 'sent' }>): string {
  return result === 'waiting' ? `${error} (queued, it will be tried again)` : error
}

/** The name of a phone in the public API. */
const jid = (phone: string) => `${phone}@s.whatsapp.net`

async function attachmentIn(
  body: WhatsAppPayload,
  roots: readonly string[],
): Promise<Attachment | undefined> {
  const { document_path: document, filename: name, image_path: image } = body
  if (image) return { path: await attachmentAt(image, roots, 'image_path'), kind: 'image' }
  if (document) return { path: await attachmentAt(document, roots, 'document_path'), kind: 'document', name }
  return undefined
}

/** Returns the phones in digits. The first way that the request names wins. */
function recipientsOf(
  { phone, phones, self, username }: WhatsAppPayload,
  caller: string,
  linked: (user: string) => string | undefined,
): string[] {
  if (self) return [found(linked(caller))]
  if (phones !== undefined) {
    const valid = [...new Set(phones.flatMap((one) => digitsOf(one) ?? []))].slice(0, MAX_PHONES)
    if (valid.length === 0) throw refused('No valid phones in list')
    return valid
  }
  if (phone !== undefined) {
    const digits = digitsOf(phone)
    if (digits === undefined) throw refused('Invalid phone number')
    return [digits]
  }
  if (username) return [found(linked(username))]
  throw refused("Specify one of: 'self', 'username', 'phone', or 'phones'")
}

function found(address: string | undefined): string {
  if (address === undefined)
    throw new ServiceError('not_found', 'Username not found or not linked to WhatsApp')
  return address
}

function refused(message: string): ServiceError {
  return new ServiceError('validation', message)
}
