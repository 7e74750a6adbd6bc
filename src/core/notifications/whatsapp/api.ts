import { openAsBlob } from 'node:fs'
import { basename, extname } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import { post } from '../http.js'
import { SendFailure } from '../schema.js'

/** The only host that is called. No part of the address comes from a caller. */
const GRAPH_API = 'https://graph.facebook.com/v21.0'
const ANSWER_TIMEOUT_MS = 30_000

const sentAnswer = z.object({ messages: z.array(z.object({ id: z.string().max(255) })).min(1) })
const mediaAnswer = z.object({ id: z.string().max(100) })
const errorAnswer = z.object({
  error: z.object({
    message: z.string(),
    code: z.number(),
    error_data: z.object({ details: z.string().optional() }).optional(),
  }),
})

/**
 * The error codes after which a repeat can succeed: too many requests (4, 80007, 130429, 131048, 131056), a fault
 * of the platform (1, 2, 131000, 131016, 131057, 133004), and a token that must be renewed (190).
 */
const REPAIRABLE = new Set([
  1, 2, 4, 190, 80_007, 130_429, 131_000, 131_016, 131_048, 131_056, 131_057, 133_004,
])
/** The recipient has not written for 24 hours: only a template may be sent. */
const NEEDS_TEMPLATE = 131_047

/** An error answer of the WhatsApp Cloud API. */
export class WhatsAppRefusal extends SendFailure {
  constructor(
    readonly status: number,
    readonly code: number,
    text: string,
  ) {
    super(`${code} ${text}`, { isFinal: status < 500 && status !== 429 && !REPAIRABLE.has(code) })
  }

  get needsTemplate(): boolean {
    return this.code === NEEDS_TEMPLATE
  }
}

interface WhatsAppAccount {
  token: string
  phoneId: string
}

interface WhatsAppApiParts {
  account: () => WhatsAppAccount | undefined
  clock: Clock
  /** Replaces the host in tests. */
  api?: string | undefined
}

/** A message as the Cloud API takes it, without its recipient. */
export type WhatsAppContent =
  | { type: 'text'; text: { preview_url: false; body: string } }
  | { type: 'image'; image: { id: string; caption?: string } }
  | { type: 'document'; document: { id: string; caption?: string; filename: string } }
  | {
      type: 'template'
      template: {
        name: string
        language: { code: string }
        components: { type: 'body'; parameters: { type: 'text'; text: string }[] }[]
      }
    }

/** The methods of the WhatsApp Cloud API that the service uses. Every one throws {@link SendFailure}. */
export class WhatsAppApi {
  constructor(private readonly parts: WhatsAppApiParts) {}

  /** Sends a message and returns its id. */
  async send(to: string, content: WhatsAppContent, signal: AbortSignal): Promise<string> {
    const json = { messaging_product: 'whatsapp', recipient_type: 'individual', to, ...content }
    const answer = understood(sentAnswer, await this.#call('messages', { json }, signal))
    return answer.messages[0]?.id ?? ''
  }

  /** Uploads a file and returns its id, for a message. */
  async upload(path: string, signal: AbortSignal): Promise<string> {
    const type = mediaTypeOf(path)
    const blob = await openAsBlob(path, { type }).catch((error: unknown) => {
      throw new SendFailure(`${basename(path)} cannot be read: ${messageOf(error)}`, { isFinal: true })
    })
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', type)
    form.set('file', blob, basename(path))
    return understood(mediaAnswer, await this.#call('media', { form }, signal)).id
  }

  async #call(
    edge: 'messages' | 'media',
    content: { json: object } | { form: FormData },
    signal: AbortSignal,
  ): Promise<unknown> {
    const { account: accountOf, api = GRAPH_API, clock } = this.parts
    const account = accountOf()
    if (!account) throw new SendFailure('WhatsApp is not set up', { isFinal: false })
    const { body, status } = await post(clock, {
      url: `${api}/${account.phoneId}/${edge}`,
      headers: { authorization: `Bearer ${account.token}` },
      timeoutMs: ANSWER_TIMEOUT_MS,
      signal,
      secrets: [account.token],
      ...content,
    })
    if (status >= 200 && status < 300) return body
    const read = errorAnswer.safeParse(body)
    if (!read.success) throw new WhatsAppRefusal(status, 0, `HTTP ${status}`)
    const { code, error_data: data, message } = read.data.error
    throw new WhatsAppRefusal(status, code, (data?.details ?? message).slice(0, 300))
  }
}

function understood<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const read = schema.safeParse(body)
  if (!read.success) throw new WhatsAppRefusal(502, 0, 'an answer that cannot be read')
  return read.data
}

/** The media types that WhatsApp takes, by the ending of the file. */
const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.pdf': 'application/pdf',
  '.txt': 'text/plain',
  '.csv': 'text/plain',
  '.xls': 'application/vnd.ms-excel',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** Returns the media type of a file by its name. */
function mediaTypeOf(path: string): string {
  return TYPES[extname(path).toLowerCase()] ?? 'text/plain'
}
