import type { DaemonAccess, NewSession, SignInAccess } from '../../client/daemon-access.js'
import { SvcClient, SvcError } from '../../client/index.js'
import type { Context } from '../framework/context.js'
import { keepSession } from '../http/credentials.js'
import { readSecret } from '../io/home.js'

const KEY_LIMIT_MS = 10_000
/** The answers to a session that may not have the key; any other one may be different the next time. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404])

/** The daemon of a command, for the terminal program: its address and its credentials as they are at each request. */
export class ScreenAccess implements DaemonAccess {
  readonly signIn: SignInAccess | undefined
  readonly #context: Context
  /** The API key that a session got; undefined if the daemon refused it. */
  #read: { token: string; apikey: string | undefined; problem: string | undefined } | undefined

  constructor(context: Context) {
    this.#context = context
    // A token in the environment stays what it is, whatever session is stored.
    this.signIn = context.io.env.SVC_TOKEN && context.target.ownsEnvironment ? undefined : signInOf(context)
  }

  get context() {
    return this.#context.shownContext
  }

  client(timeoutMs: number): SvcClient {
    const context = this.#context
    context.refreshTarget()
    const token = context.sessionToken
    const apikey = context.hasApiKey ? context.apiKey : this.#keyOf(token)
    return new SvcClient({
      url: context.target.url,
      trust: context.trust,
      token,
      timeoutMs,
      ...(apikey !== undefined && { apikey }),
    })
  }

  async readKey(): Promise<string | undefined> {
    const context = this.#context
    if (context.hasApiKey || !context.hasSession) return undefined
    const token = context.sessionToken
    if (this.#read?.token !== token) this.#read = await this.#askedWith(token)
    return this.#read?.problem
  }

  #keyOf(token: string): string | undefined {
    return this.#read?.token === token ? this.#read.apikey : undefined
  }

  /** A daemon that is away is asked again later; a refusal holds until the next sign-in. */
  async #askedWith(token: string) {
    try {
      const { api_key } = await this.client(KEY_LIMIT_MS).request('GET /api/websocket/apikey', {})
      return { token, apikey: api_key, problem: undefined }
    } catch (thrown) {
      if (!(thrown instanceof SvcError) || !REFUSALS.has(thrown.status)) return undefined
      return { token, apikey: undefined, problem: problemOf(thrown) }
    }
  }
}

function problemOf({ code, message }: SvcError): string {
  const reason = code === 'reauthentication_required' ? 'the last sign-in is too long ago.' : message
  return `No API key, so no live prices: ${reason} Store one: svc apikey show --save`
}

function signInOf(context: Context): SignInAccess {
  return {
    lastUsername: () => readSecret(context.target.folder, 'session.json')?.username ?? '',
    async client(timeoutMs) {
      context.refreshTarget()
      await context.pinId()
      const { trust, url } = context.target
      return new SvcClient({ url, trust, timeoutMs })
    },
    keep: (session: NewSession) => keepSession(context.target, session),
  }
}
