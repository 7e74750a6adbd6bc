import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const BOT_TOKEN = `123456789:${'a'.repeat(35)}`
export const BOT_NAME = 'svc_test_bot'

interface Button {
  text: string
  callback_data: string
}

/** A message as Telegram received it. */
export interface SentText {
  message_id: number
  chat_id: string
  text: string
  /** The text that the reader sees: with Markdown, without the characters that format it. */
  shown: string
  parse_mode?: string
  buttons: Button[]
}

/** An answer that replaces the usual one of a method. */
export type Fault = readonly [status: number, description: string, parameters?: { retry_after: number }]

const NO_MARKDOWN: Fault = [400, "Bad Request: can't parse entities: Can't find end of the entity"]
export const BLOCKED: Fault = [403, 'Forbidden: bot was blocked by the user']
export const FLOOD: Fault = [429, 'Too Many Requests: retry after 35', { retry_after: 35 }]
export const REVOKED: Fault = [401, 'Unauthorized']
/** Never answered. */
export const SILENCE: Fault = [0, '']

type Params = Record<string, unknown>

/**
 * A Bot API on a free port until the test ends: long polls, offsets that confirm, the webhook that excludes
 * polling, and the errors of Telegram in their real shape.
 */
export class FakeTelegram {
  readonly sent: SentText[] = []
  readonly edited: { message_id: number; text: string }[] = []
  readonly answered: string[] = []
  /** Every call by its method. */
  readonly calls: { method: string; params: Params }[] = []
  readonly webhook: { url: string; secret: string } = { url: '', secret: '' }
  /** The faults of sendMessage, in turn; the last one stays while {@link sticks}. */
  #faults: Fault[] = []
  #sticks = false
  #updates: ({ update_id: number } & Params)[] = []
  #waiting: (() => void) | undefined
  #nextMessage = 100
  #nextUpdate = 500
  #name: string = BOT_NAME
  api = ''

  static async open(): Promise<FakeTelegram> {
    const fake = new FakeTelegram()
    const server = createServer((request, response) => void fake.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    fake.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return fake
  }

  /** Lets the next messages fail in these ways, and the ones after them succeed. */
  failNext(...faults: Fault[]): void {
    this.#faults = faults
    this.#sticks = false
  }

  /** Lets every message fail in this way. */
  failAlways(fault: Fault): void {
    this.#faults = [fault]
    this.#sticks = true
  }

  /** The token is that of another bot now, whose updates have numbers of their own. */
  becomes(name: string): void {
    this.#name = name
    this.#nextUpdate = 1
    this.#updates = []
  }

  /** A person writes to the bot in the private chat. @returns the update, for repeats */
  says(chat: number, text: string, more: Params = {}): Params {
    const from = { id: chat, is_bot: false, first_name: 'Asha', username: 'asha_r' }
    const message = {
      message_id: this.#nextMessage++,
      date: 1_795_000_000,
      chat: { id: chat, type: 'private' },
      from,
      text,
    }
    return this.#push({ message: { ...message, ...more } })
  }

  /** A person presses a button under a message of the bot. */
  presses(chat: number, messageId: number, data: string, from = chat): Params {
    return this.#push({
      callback_query: {
        id: `cb-${this.#nextUpdate}`,
        from: { id: from, is_bot: false, first_name: 'Asha' },
        chat_instance: '1',
        data,
        message: {
          message_id: messageId,
          date: 1_795_000_000,
          chat: { id: chat, type: 'private' },
          text: '',
        },
      },
    })
  }

  /** Delivers an update, also one that was delivered before. */
  deliver(update: Params): void {
    this.#updates.push(update as Params & { update_id: number })
    this.#waiting?.()
  }

  #push(content: Params): Params {
    const update = { update_id: this.#nextUpdate++, ...content }
    this.deliver(update)
    return update
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? []
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const params: Params = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    this.calls.push({ method, params })
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    const fail = ([status, description, parameters]: Fault) =>
      answer(status, { ok: false, error_code: status, description, ...(parameters && { parameters }) })
    if (token !== BOT_TOKEN) return fail(REVOKED)
    if (method === 'sendMessage') {
      const fault = this.#sticks ? this.#faults[0] : this.#faults.shift()
      if (fault === SILENCE) return
      if (fault) return fail(fault)
      if (shownText(params) === undefined) return fail(NO_MARKDOWN)
      if (String(params.text).length > 4096) return fail([400, 'Bad Request: message is too long'])
    }
    if (method === 'getUpdates' && this.webhook.url !== '') {
      return fail([
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook first",
      ])
    }
    answer(200, { ok: true, result: await this.#result(method, params, request) })
  }

  async #result(method: string, params: Params, request: IncomingMessage): Promise<unknown> {
    switch (method) {
      case 'getMe':
        return { id: 123_456_789, is_bot: true, first_name: 'svc', username: this.#name }
      case 'sendMessage':
        return this.#sendMessage(params)
      case 'editMessageText':
        this.edited.push({ message_id: Number(params.message_id), text: String(params.text) })
        return true
      case 'answerCallbackQuery':
        this.answered.push(String(params.callback_query_id))
        return true
      case 'setWebhook':
        Object.assign(this.webhook, { url: params.url, secret: params.secret_token })
        return true
      case 'deleteWebhook':
        Object.assign(this.webhook, { url: '', secret: '' })
        return true
      case 'getUpdates':
        return this.#poll(Number(params.offset ?? 0), request)
      default:
        throw new Error(`no method ${method}`)
    }
  }

  #sendMessage(params: Params) {
    const markup = params.reply_markup as { inline_keyboard: Button[][] } | undefined
    const message_id = this.#nextMessage++
    this.sent.push({
      message_id,
      chat_id: String(params.chat_id),
      text: String(params.text),
      shown: shownText(params) ?? '',
      ...(params.parse_mode !== undefined && { parse_mode: String(params.parse_mode) }),
      buttons: markup?.inline_keyboard.flat() ?? [],
    })
    return {
      message_id,
      date: 1_795_000_000,
      chat: { id: params.chat_id, type: 'private' },
      text: params.text,
    }
  }

  /** Holds the request until an update is there, as Telegram does; an offset confirms those before it. */
  async #poll(offset: number, request: IncomingMessage): Promise<unknown[]> {
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset)
    if (this.#updates.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
        request.on('close', resolve)
      })
    }
    return [...this.#updates]
  }
}

/** Returns the text that the reader sees; undefined for Markdown with an entity that does not end. */
function shownText({ parse_mode: mode, text }: Params): string | undefined {
  if (mode !== 'Markdown') return String(text)
  let open = ''
  let shown = ''
  const characters = [...String(text)]
  for (const [index, character] of characters.entries()) {
    const isEscape = open === '' && character === '\\' && '_*`['.includes(characters[index + 1] ?? ' ')
    if (isEscape) continue
    const isEscaped = open === '' && characters[index - 1] === '\\'
    const isMark = '_*`'.includes(character) && !isEscaped
    if (isMark && open === '') open = character
    else if (isMark && open === character) open = ''
    else shown += character
  }
  return open === '' ? shown : undefined
}
