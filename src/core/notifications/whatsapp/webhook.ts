import { z } from 'zod'

const inbound = z.object({
  id: z.string(),
  from: z.string().regex(/^\d{7,15}$/),
  text: z.object({ body: z.string() }).optional(),
})
const status = z.object({
  id: z.string(),
  status: z.string(),
  errors: z.array(z.object({ code: z.number(), title: z.string().optional() })).optional(),
})

/** A notification of the WhatsApp Cloud API, as far as it is read. */
const notification = z.object({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(
    z.object({
      changes: z.array(
        z.object({
          value: z.object({
            metadata: z.object({ phone_number_id: z.string() }).optional(),
            messages: z.array(z.unknown()).optional(),
            statuses: z.array(z.unknown()).optional(),
          }),
        }),
      ),
    }),
  ),
})

export interface WhatsAppNews {
  /** Texts that somebody sent to the number of the service. */
  texts: { id: string; from: string; text: string }[]
  /** Messages that did not arrive. */
  failures: { id: string; error: string }[]
}

/** Reads a notification; undefined if it is none. Parts for another number, and of other kinds, are left out. */
export function newsOf(given: unknown, phoneId: string): WhatsAppNews | undefined {
  const read = notification.safeParse(given)
  if (!read.success) return undefined
  const values = read.data.entry
    .flatMap(({ changes }) => changes.map(({ value }) => value))
    .filter(({ metadata }) => metadata?.phone_number_id === phoneId)
  return {
    texts: values.flatMap(({ messages = [] }) => messages.flatMap(messageTexts)),
    failures: values.flatMap(({ statuses = [] }) => statuses.flatMap(failureOf)),
  }
}

function messageTexts(given: unknown): WhatsAppNews['texts'] {
  const { data } = inbound.safeParse(given)
  return data?.text ? [{ id: data.id, from: data.from, text: data.text.body }] : []
}

function failureOf(given: unknown): WhatsAppNews['failures'] {
  const { data } = status.safeParse(given)
  if (data?.status !== 'failed') return []
  const [first] = data.errors ?? []
  return [{ id: data.id, error: first ? `${first.code} ${first.title ?? ''}`.trim() : 'not delivered' }]
}
