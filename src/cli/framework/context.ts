import { type Body, type EndpointName, isChange } from '../../client/endpoints.js'
import { type Answer, type Call, Client } from '../http/client.js'
import {
  findSession,
  resolveApiKey,
  resolveSession,
  resolveTarget,
  type Target,
} from '../http/credentials.js'
import { parseJson, type Row, rowsOf, textOf } from '../http/json.js'
import type { Io } from '../io/io.js'
import { Prompts } from '../io/prompts.js'
import { Output } from '../output/output.js'
import type { GlobalSettings } from './globals.js'

type Rest = Partial<Omit<Call, 'method' | 'path' | 'token' | 'body'>>

/** The fields of a request under their names; their values are what the user wrote, which the daemon checks. */
type Fields<N extends EndpointName> = Partial<Readonly<Record<keyof Body<N>, unknown>>>

/** What a command works with. Credentials are looked for when a call needs them, not before. */
export class Context {
  readonly io: Io
  readonly settings: GlobalSettings
  readonly out: Output
  readonly prompts: Prompts
  readonly version: string
  #target: Target | undefined

  constructor(io: Io, settings: GlobalSettings, version: string) {
    this.io = io
    this.settings = settings
    this.version = version
    this.out = new Output(io, settings)
    this.prompts = new Prompts(io, settings)
  }

  get target(): Target {
    this.#target ??= resolveTarget(this.settings)
    return this.#target
  }

  /** A client of another daemon than the target, or of the target. */
  client(url: string = this.target.url): Client {
    return new Client(url, this.io, this.settings.timeoutMs, this.version)
  }

  get sessionToken(): string {
    return resolveSession(this.settings, this.io, this.target)
  }

  get hasSession(): boolean {
    return findSession(this.settings, this.io, this.target) !== undefined
  }

  get apiKey(): string {
    return resolveApiKey(this.settings, this.io, this.target)
  }

  /** `POST /api/v1/<name>` that only reads. The daemon checks the body, so that there is one set of rules. */
  apiRead<N extends EndpointName>(name: N, body: Fields<N> = {}): Promise<Answer> {
    return this.client().send(this.apiCall(name, body))
  }

  /** The call of an endpoint with the API key; a key in the body counts as kept: an explicit one wins over it. */
  apiCall(name: EndpointName, body: Row): Call {
    const explicit = this.settings.apikey ?? this.io.env.SVC_API_KEY
    const own = explicit ? undefined : textOf(body, 'apikey')
    return {
      method: 'POST',
      path: `/api/v1/${name}`,
      body: { ...body, apikey: own ?? this.apiKey },
      changes: isChange(name),
    }
  }

  /** A session route that only reads. */
  read(path: string): Promise<Answer> {
    return this.client().send({ method: 'GET', path, token: this.sessionToken, changes: false })
  }

  /** A session route whose answer is a bare list. */
  async readList(path: string): Promise<Row[]> {
    return rowsOf(parseJson((await this.read(path)).text))
  }

  /** A session route that answers with one object a line. */
  lines<T>(
    call: Omit<Call, 'token' | 'timeoutMs'>,
    read: (lines: AsyncGenerator<Row>) => Promise<T>,
  ): Promise<T> {
    return this.client().lines({ ...call, token: this.sessionToken }, read)
  }

  /** A session route that changes something. */
  change(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: Row | string,
    rest: Rest = {},
  ): Promise<Answer> {
    return this.client().send({
      method,
      path,
      token: this.sessionToken,
      changes: true,
      ...(body === undefined ? {} : { body }),
      ...rest,
    })
  }
}
