import { z } from 'zod'
import type { Clock } from '../../time/index.js'
import { post } from '../http.js'
import { SendFailure } from '../schema.js'

/** The usual server. No part of the address comes from a caller. */
const TELEGRAM_API = 'https://api.telegram.org'
const ANSWER_TIMEOUT_MS = 30_000
/** How long Telegram holds a request for updates while there are none. */
const POLL_SECONDS = 25
const POLL_TIMEOUT_MS = (POLL_SECONDS + 10) * 1000

/** The kinds of updates that the bot takes. */
const ALLOWED_UPDATES = ['message', 'callback_query'] as const

/** An answer of the Bot API. */
const answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})

const sentMessage = z.object({ message_id: z.number().int() })
const me = z.object({ username: z.string() })

/** A flood, and a token that is wrong or revoked: the same message can succeed later. */
const REPAIRABLE: readonly number[] = [401, 404, 409, 429]

/** An error answer of Telegram. */
export class TelegramRefusal extends SendFailure {
  constructor(
    readonly status: number,
    readonly description: string,
    retryAfterSeconds?: number,
  ) {
    super(`${status} ${description}`, {
      isFinal: status < 500 && !REPAIRABLE.includes(status),
      ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
    })
  }

  /** The token is wrong or was revoked. */
  get isAboutToken(): boolean {
    return this.status === 401 || this.status === 404
  }

  get isAboutMarkdown(): boolean {
    return this.status === 400 && /entit/i.test(this.description)
  }
}

export interface Button {
  text: string
  callback_data: string
}
export type Keyboard = readonly (readonly Button[])[]

interface TelegramApiParts {
  token: () => string | undefined
  clock: Clock
  /** The Bot API server; that of Telegram by default. */
  api?: string | undefined
}

/** The methods of the Bot API that the service uses. Every one throws {@link SendFailure}. */
export class TelegramApi {
  constructor(private readonly parts: TelegramApiParts) {}

  /** Sends a text and returns the id of the message. Text that is no Markdown goes as plain text. */
  async sendMessage(
    message: { chat: string; text: string; markdown: boolean; keyboard?: Keyboard | undefined },
    signal: AbortSignal,
  ): Promise<number> {
    const { chat, keyboard, markdown, text } = message
    const plain = {
      chat_id: chat,
      text,
      ...(keyboard && { reply_markup: { inline_keyboard: keyboard } }),
    }
    if (!markdown) return this.#sent(plain, signal)
    try {
      return await this.#sent({ ...plain, parse_mode: 'Markdown' }, signal)
    } catch (error) {
      if (!(error instanceof TelegramRefusal && error.isAboutMarkdown)) throw error
      return this.#sent(plain, signal)
    }
  }

  /** Replaces a message of the bot, without its buttons. */
  async editMessage(chat: string, messageId: number, text: string, signal: AbortSignal): Promise<void> {
    await this.#call('editMessageText', { chat_id: chat, message_id: messageId, text }, signal)
  }

  /** Ends the wait that a pressed button shows. */
  async answerCallback(id: string, text: string, signal: AbortSignal): Promise<void> {
    await this.#call('answerCallbackQuery', { callback_query_id: id, text: text.slice(0, 200) }, signal)
  }

  /** Returns the user name of the bot. */
  async getMe(signal: AbortSignal): Promise<string> {
    return understood(me, await this.#call('getMe', {}, signal)).username
  }

  /** Returns the updates after `offset`; waits for some. */
  async getUpdates(offset: number | undefined, signal: AbortSignal): Promise<unknown[]> {
    const request = {
      timeout: POLL_SECONDS,
      allowed_updates: ALLOWED_UPDATES,
      ...(offset !== undefined && { offset }),
    }
    return understood(z.array(z.unknown()), await this.#call('getUpdates', request, signal, POLL_TIMEOUT_MS))
  }

  async setWebhook(url: string, secret: string, signal: AbortSignal): Promise<void> {
    // One connection, so that updates arrive in their order.
    const request = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES, max_connections: 1 }
    await this.#call('setWebhook', request, signal)
  }

  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#call('deleteWebhook', {}, signal)
  }

  async #sent(message: object, signal: AbortSignal): Promise<number> {
    return understood(sentMessage, await this.#call('sendMessage', message, signal)).message_id
  }

  async #call(
    method: string,
    json: object,
    signal: AbortSignal,
    timeoutMs = ANSWER_TIMEOUT_MS,
  ): Promise<unknown> {
    const { api = TELEGRAM_API, clock, token: tokenOf } = this.parts
    const token = tokenOf()
    if (token === undefined) throw new TelegramRefusal(404, 'no bot token')
    const url = `${api}/bot${token}/${method}`
    const { body, status } = await post(clock, { url, json, timeoutMs, signal, secrets: [token] })
    const read = answer.safeParse(body)
    if (!read.success)
      throw new TelegramRefusal(status < 400 ? 502 : status, 'an answer that is not of Telegram')
    const { description = '', error_code: code, ok, parameters, result } = read.data
    if (!ok) throw new TelegramRefusal(code ?? status, description.slice(0, 200), parameters?.retry_after)
    return result
  }
}

function understood<S extends z.ZodType>(schema: S, result: unknown): z.output<S> {
  const read = schema.safeParse(result)
  if (!read.success) throw new TelegramRefusal(502, 'an answer that cannot be read')
  return read.data
}
