import { type JsonObject, textMember } from '../../client/answers/json.js'
import {
  type AnswerOf,
  type Body,
  type EndpointName,
  isChange,
  isEndpoint,
  type RouteAnswer,
  type RouteName,
  type RouteOf,
  type RouteRequest,
} from '../../client/endpoints.js'
import { type RequestParts, requestTo } from '../../client/routes.js'
import type { Trust } from '../../client/transport/agents.js'
import { refreshedTarget, resolveTarget, type ShownContext, type Target } from '../contexts/target.js'
import { type Call, Client, type HttpResponse, type RouteCall } from '../http/client.js'
import {
  type Credential,
  findApiKey,
  findSession,
  resolveApiKey,
  resolveSession,
  storedFor,
  trustFor,
} from '../http/credentials.js'
import { saidId } from '../http/identity.js'
import type { AskedDaemon } from '../http/no-answer.js'
import type { Io } from '../io/io.js'
import { Prompts } from '../io/prompts.js'
import { withProof } from '../io/reauthenticate.js'
import { Output } from '../output/output.js'
import type { NounEntry, Program } from './command/noun.js'
import { type GlobalSettings, isNamedBy } from './globals.js'
import { LiveGuard } from './live/guard.js'

type Rest = Partial<Omit<Call, 'method' | 'path' | 'token' | 'body'>>

/** The fields of a request under their API names. Their values are the user's own; the daemon checks them. */
export type UncheckedBody<N extends EndpointName> = { readonly [Field in keyof Body<N>]?: unknown }

/** A request to a route, with the user's own values in its body; the daemon checks them. */
export type UncheckedRequest<N extends RouteName> = Omit<RouteRequest<N>, 'body' | 'query'> & {
  query?: { readonly [Field in keyof RequestQuery<N>]?: unknown }
  body?: { readonly [Field in keyof RequestBody<N>]?: unknown } | string | undefined
}
type RequestQuery<N extends RouteName> =
  RouteRequest<N> extends { query?: infer Given } ? NonNullable<Given> : object
type RequestBody<N extends RouteName> = RouteRequest<N> extends { body: infer Given } ? Given : object

/** A request that may be omitted when the path has no placeholder. */
type Optional<N extends RouteName> =
  RouteRequest<N> extends { params: object }
    ? [request: UncheckedRequest<N>]
    : [request?: UncheckedRequest<N>]

/** The tools of a command. It looks for a credential only when a call needs one. */
export class Context {
  readonly io: Io
  readonly settings: GlobalSettings
  readonly out: Output
  readonly prompts: Prompts
  readonly program: Program
  readonly live: LiveGuard
  #target: Target | undefined

  constructor(io: Io, settings: GlobalSettings, program: Program) {
    this.io = io
    this.settings = settings
    this.program = program
    this.out = new Output(io, settings)
    const shown = () => this.shownContext
    this.prompts = new Prompts(io, settings, shown)
    const { prompts } = this
    const unguarded = () => new Client(this.target, io, settings, program.version)
    this.live = new LiveGuard({ io, settings, prompts, client: unguarded, context: shown })
  }

  get version(): string {
    return this.program.version
  }

  get nouns(): readonly NounEntry[] {
    return this.program.nouns
  }

  get target(): Target {
    this.#target ??= resolveTarget(this.settings, this.io)
    return this.#target
  }

  /** Reads the address of the home's daemon again: a restart may have changed its port. */
  refreshTarget(): void {
    this.#target = refreshedTarget(this.target, this.settings, this.io)
  }

  /** Takes the address of the home's daemon, which this command has started. */
  takeStarted(): void {
    this.#target = resolveTarget(this.settings, this.io)
  }

  /**
   * Has a daemon of which no id is known prove the one that it says, from now on. A credential that this command stores is
   * then bound to it.
   */
  async pinId(): Promise<void> {
    const { target } = this
    // The id that a stored credential came with does not count: it is that of an earlier sign-in, perhaps elsewhere.
    if (target.trust.id !== undefined) return
    const { id } = await saidId(this.client())
    if (id !== undefined) this.#target = { ...target, trust: { ...target.trust, id } }
  }

  /** The context that banners and questions name; undefined for the local home and for an address that the user named. */
  get shownContext(): ShownContext | undefined {
    return this.target.context
  }

  /**
   * Returns the same command in another context, with the credentials that are stored for it, and those of the environment if
   * that names it.
   */
  in(name: string, settings: Partial<GlobalSettings> = {}): Context {
    const own = {
      ...this.settings,
      ...settings,
      daemon: { context: name },
      apikey: undefined,
      caFile: undefined,
    }
    return new Context(this.io, { ...own, ownsEnvironment: isNamedBy(this.io.env, name) }, this.program)
  }

  /** The questions of an act on the files of this machine: they name no daemon but the one in their words. */
  get promptsHere(): Prompts {
    return new Prompts(this.io, this.settings, () => undefined)
  }

  /** Returns a client of the given daemon, or of the target. */
  client(url?: string): Client {
    const { io, settings, target, version } = this
    const own = url === undefined || url === target.url
    const asked = own ? target : { ...target, url, trust: {}, source: 'named' as const, context: undefined }
    return new Client(asked, io, settings, version, this.live)
  }

  /** How the target must prove who it is before it gets a credential of {@link sessionToken} or {@link apiKey}. */
  get trust(): Trust {
    const { io, settings, target } = this
    return trustFor(target.trust, findSession(io, target), findApiKey(settings, io, target))
  }

  /** The target, as the error of a stream with this credential names it. */
  askedWith(credential: 'key' | 'session'): AskedDaemon {
    const { io, target, trust } = this
    return {
      ...target,
      trust,
      ...storedFor(io, target.url, credential === 'key' ? this.#key : this.#session),
    }
  }

  get sessionToken(): string {
    return this.#session.value
  }

  get #session(): Credential {
    return resolveSession(this.io, this.target)
  }

  get hasSession(): boolean {
    return findSession(this.io, this.target) !== undefined
  }

  get hasApiKey(): boolean {
    return findApiKey(this.settings, this.io, this.target) !== undefined
  }

  get apiKey(): string {
    return this.#key.value
  }

  /** @throws NoCredentialError without an API key, which every order and every change of one needs */
  requireKey(): void {
    resolveApiKey(this.settings, this.io, this.target)
  }

  get #key(): Credential {
    return resolveApiKey(this.settings, this.io, this.target)
  }

  /** The session or the token that reads where there is no API key. */
  get #reader(): Credential | undefined {
    return this.hasApiKey ? undefined : findSession(this.io, this.target)
  }

  /**
   * Calls `POST /api/v1/<name>`, which only reads. The daemon checks the body, so that there is one set of
   * rules.
   */
  apiRead<N extends EndpointName>(name: N, body: UncheckedBody<N> = {}): Promise<HttpResponse<AnswerOf<N>>> {
    return this.client().send(this.apiCall(name, body))
  }

  /**
   * Calls the endpoint with the API key. A key in the body counts as stored: an explicit one overrides it. A change also
   * takes the session along, because a signed-in person may lower risk at any time. Without a key, a session or a token is
   * enough to read.
   */
  apiCall<N extends EndpointName>(name: N, body: UncheckedBody<N>): RouteCall<RouteOf<N>> {
    const route: RouteOf<N> = `POST /api/v1/${name}`
    return this.#keyCall(route, body)
  }

  #keyCall<N extends RouteName>(route: N, body: object): RouteCall<N> {
    const ofEnvironment = this.target.ownsEnvironment ? this.io.env.SVC_API_KEY : undefined
    const explicit = this.settings.apikey ?? ofEnvironment
    const own = explicit ? undefined : textMember(body, 'apikey')
    const changes = isChange(route)
    const reader = changes || own !== undefined ? undefined : this.#reader
    if (reader)
      return { route, ...requestTo(route, { body }), credential: reader, changes, token: reader.value }
    const credential: Credential =
      own === undefined ? this.#key : { value: own, kind: 'key', origin: 'the request' }
    const session = changes ? findSession(this.io, this.target) : undefined
    return {
      route,
      ...requestTo(route, { body: { ...body, apikey: credential.value } }),
      credential: {
        ...credential,
        id: credential.id ?? session?.id,
        ...(credential.id === undefined && session?.id !== undefined && { isIdOfSession: true }),
        ...(changes && !session && { isAlone: true }),
      },
      changes,
      ...(session && { token: session.value }),
    }
  }

  /**
   * Calls a route with the credential that it takes: below `/api/v1` the API key, elsewhere the session. Every call but a
   * GET and a reading endpoint of the API counts as a change, unless `rest` says that it is none.
   */
  callRoute<N extends RouteName>(
    route: N,
    request: RequestParts,
    rest: Rest & Partial<Pick<Call, 'changes'>> = {},
  ): Promise<HttpResponse<RouteAnswer<N>>> {
    if (isEndpoint(route)) {
      const body = typeof request.body === 'object' ? request.body : {}
      return this.client().send({ ...this.#keyCall(route, body), ...rest })
    }
    return this.#send({ ...this.#call(route, request), changes: isChange(route), ...rest })
  }

  /** Calls a session route that only reads. */
  read<N extends RouteName>(route: N, ...[request]: Optional<N>): Promise<HttpResponse<RouteAnswer<N>>> {
    return this.#send({ ...this.#call(route, request), changes: false })
  }

  /** Calls a session route that only reads, and takes long. */
  readFor<N extends RouteName>(
    timeoutMs: number,
    route: N,
    request: UncheckedRequest<N>,
  ): Promise<HttpResponse<RouteAnswer<N>>> {
    return this.client().send({ ...this.#call(route, request), changes: false, timeoutMs })
  }

  /** Calls a session route that answers with one object per line. */
  lines<N extends RouteName, T>(
    route: N,
    request: UncheckedRequest<N>,
    rest: Pick<Call, 'changes'> & Rest,
    read: (lines: AsyncGenerator<JsonObject>) => Promise<T>,
  ): Promise<T> {
    return this.client().lines({ ...this.#call(route, request), ...rest }, read)
  }

  /** Calls a session route that answers with a text of any length. */
  texts<T>(
    route: RouteName,
    request: RequestParts,
    read: (texts: AsyncGenerator<string>) => Promise<T>,
  ): Promise<T> {
    return this.client().texts({ ...this.#call(route, request), changes: false }, read)
  }

  /** Calls a session route that changes something. */
  change<N extends RouteName>(
    route: N,
    request: UncheckedRequest<N>,
    rest: Rest = {},
  ): Promise<HttpResponse<RouteAnswer<N>>> {
    return this.#send(this.changeCall(route, request, rest))
  }

  changeCall<N extends RouteName>(route: N, request: UncheckedRequest<N>, rest: Rest = {}): RouteCall<N> {
    return { ...this.#call(route, request), changes: true, ...rest }
  }

  /** Sends a call with a session. A terminal asks for the password if the daemon wants it again. */
  #send<N extends RouteName>(call: RouteCall<N>): Promise<HttpResponse<RouteAnswer<N>>> {
    const { io, prompts, sessionToken: token, settings } = this
    const client = this.client()
    return withProof({ client, io, prompts, settings, token, credential: call.credential }, () =>
      client.send(call),
    )
  }

  #call<N extends RouteName>(route: N, request: RequestParts = {}) {
    const credential = this.#session
    return { route, ...requestTo(route, request), token: credential.value, credential }
  }
}
