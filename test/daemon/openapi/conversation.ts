import { ALL_OPERATION_LIST, type NamedOperation as Operation } from '../../../src/daemon/operations/all.js'
import { world } from '../../core/identity/support.js'
import { bearer, HttpDesk, PASSWORD } from '../../support/desk/http-desk.js'
import { mounted } from '../../support/desk/mounted.js'
import { TRUSTED } from '../../support/mail/mail-server.js'
import { FakeTelegram } from '../../support/messages/fake-telegram.js'
import { FakeWhatsApp } from '../../support/messages/fake-whatsapp.js'
import { settled } from '../../support/settled.js'

export type Mode = 'live' | 'analyze'

/** A sent request and its answer. */
export interface Exchange {
  mode: Mode
  operation: Operation
  sent: string
  status: number
  code: string | null
  type: string
  answer: unknown
}

type Body = Record<string, unknown>

interface Ask {
  /** Replaces the placeholders of the path. */
  params?: Record<string, string>
  query?: Record<string, string>
  /** Replaces members of the example. */
  with?: Body
  headers?: Record<string, string>
  /** A body that is not JSON. */
  text?: string
}

/** The credential of Telegram's calls. */
export const TELEGRAM_SECRET = 'its-own_secret-1'

const ENV = {
  // Every sample raises an alert.
  HEALTH_MEMORY_WARNING_THRESHOLD: '1',
  DATA_RATE_LIMIT: '100000 per second',
  SEARCH_RATE_LIMIT: '100000 per second',
  SMART_ORDER_RATE_LIMIT: '100000 per second',
  GREEKS_RATE_LIMIT: '100000 per second',
  TELEGRAM_RATE_LIMIT: '100000 per second',
  TELEGRAM_BOT_TOKEN: `123456789:${'a'.repeat(35)}`,
  WHATSAPP_RATE_LIMIT: '100000 per second',
  TELEGRAM_CHATS: 'asha=4711',
  TELEGRAM_WEBHOOK_SECRET: TELEGRAM_SECRET,
}

/** A client that calls operations by name with the examples of the document, and records all answers. */
export class Conversation {
  readonly exchanges: Exchange[] = []
  #token = ''

  private constructor(
    readonly http: HttpDesk,
    readonly mode: Mode,
  ) {}

  static async open(mode: Mode): Promise<Conversation> {
    const http = await HttpDesk.open({
      env: ENV,
      telegramApi: (await FakeTelegram.open()).api,
      whatsappApi: (await FakeWhatsApp.open()).api,
      mailCa: TRUSTED,
      embeddedMarket: true,
    })
    const { sandbox, settings } = http.desk.service
    if (mode === 'analyze') {
      await sandbox.start()
      await settings.setAnalyzeMode(true)
    }
    const conversation = new Conversation(http, mode)
    conversation.#token = await http.signIn()
    return conversation
  }

  /** Makes the next calls with a new session. */
  async signIn(password: string): Promise<void> {
    this.#token = await this.http.signIn(password)
  }

  /** Calls the operation `METHOD /path` of the document. */
  async ask(name: string, ask: Ask = {}): Promise<Body> {
    const operation = operationNamed(name)
    const path = operation.path.replace(/:(\w+)/g, (_, param: string) => ask.params?.[param] ?? '0')
    const query = { ...(!operation.body && example(operation)), ...ask.query }
    const headers: Record<string, string> = {
      ...(operation.auth === 'session' && bearer(this.#token)),
      ...(operation.auth === 'apikey' && { 'x-api-key': this.http.apikey }),
      ...ask.headers,
    }
    const body =
      operation.body &&
      (Array.isArray(operation.example) ? operation.example : { ...example(operation), ...ask.with })
    const search = new URLSearchParams(query).toString()
    const reply = await settled(
      this.http.desk.clock,

      this.http.request(operation.method, search ? `${path}?${search}` : path, {
        headers,
        ...(body !== undefined && { body }),
        ...(ask.text !== undefined && { text: ask.text }),
      }),
    )
    const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
    this.exchanges.push({
      mode: this.mode,
      operation,
      sent: JSON.stringify({ path, query, body }),
      status: reply.status,
      code: reply.code,
      type,
      answer: type === 'application/json' ? JSON.parse(reply.text) : reply.text,
    })
    return reply.body
  }

  /** The setup of a second service, which has no user yet. */
  async askSetup(): Promise<void> {
    const operation = operationNamed('POST /setup')
    const { identity } = await world()
    const app = mounted(identity)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...example(operation), password: PASSWORD }),
    }
    const response = await app.request('/setup', init, {})
    const { mode } = this
    const heard = {
      status: response.status,
      code: null,
      type: 'application/json',
      answer: await response.json(),
    }
    this.exchanges.push({ mode, operation, sent: init.body, ...heard })
  }
}

const example = ({ example: given }: Operation): Record<string, string> => ({ ...Object(given) })

export function operationNamed(name: string): Operation {
  const found = ALL_OPERATION_LIST.find(({ method, path }) => `${method} ${path}` === name)
  if (!found) throw new Error(`no operation ${name}`)
  return found
}
