import { publicMessageOf, ServiceError } from '../../errors/index.js'
import type { SecretBox } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'
import type { CredentialValues } from '../auth.js'
import type { BrokerPlugin } from '../broker.js'
import type { BrokerContext } from '../context.js'
import type { Plugins } from '../plugins.js'
import { SIGN_IN } from '../session/session-watch.js'
import { type SignInProgress, SignIns } from './sign-ins.js'

interface SignInParts {
  clock: Clock
  secrets: SecretBox
  plugins: Plugins
  /** Where a broker sends the browser, as configured. */
  redirect: { broker: string; url: string } | undefined
}

/** A sign-in that waits for its callback. */
export interface BegunSignIn extends SignInProgress {
  /** The broker's log-in page. */
  address: string
  /** Where the broker sends the browser, as configured; undefined if only the broker knows. */
  redirectUrl: string | undefined
}

/** Sign-ins at the log-in pages of brokers: each begins with an address and ends with a callback. */
export class BrowserSignIns {
  readonly #parts: SignInParts
  readonly #signIns: SignIns

  constructor(parts: SignInParts) {
    this.#parts = parts
    this.#signIns = new SignIns(parts.clock, parts.secrets)
  }

  /**
   * Begins a sign-in of a user with the fields that come before the log-in page. Anything else that they typed is left out, so
   * that only the callback decides what the sign-in is.
   * @throws ServiceError `unsupported` if the broker has no log-in page
   */
  begin(parts: {
    plugin: BrokerPlugin
    context: BrokerContext
    user: string
    fields: CredentialValues
  }): BegunSignIn {
    const { context, fields, user } = parts
    const { auth, manifest } = parts.plugin
    if (!auth.begin) {
      const text = `${manifest.displayName} has no log-in page. Sign in with its fields: ${SIGN_IN} --from FILE`
      throw new ServiceError('unsupported', text)
    }
    const asked = manifest.credentialFields.filter(({ step }) => step === 'begin').map(({ name }) => name)
    const kept = only(fields, asked)
    const { redirect } = this.#parts
    const redirectUrl = redirect?.broker === manifest.id ? redirect.url : undefined
    const { state, ...progress } = this.#signIns.begin(manifest.id, user, kept)
    const { address } = auth.begin(kept, context, { state, redirectUrl })
    return { ...progress, address, redirectUrl }
  }

  /**
   * Ends a sign-in with the query of its callback. `signIn` gets the fields of both.
   * @returns the user who began it
   * @throws ServiceError that says what to do
   */
  async complete(
    broker: string,
    query: Readonly<Record<string, string>>,
    signIn: (fields: CredentialValues) => Promise<void>,
  ): Promise<string> {
    const plugin = this.#parts.plugins.find(broker)
    const callback = plugin?.auth.callback
    if (!plugin || !callback) throw new ServiceError('not_found', 'No broker of this name sends callbacks.')
    const { fields, id, user } = this.#signIns.take(broker, query.state ?? '')
    try {
      if (Object.entries(callback.success).some(([name, value]) => query[name] !== value)) {
        const text = `${plugin.manifest.displayName} did not sign you in. Begin again: ${SIGN_IN}`
        throw new ServiceError('refused', text)
      }
      await signIn({ ...fields, ...only(query, callback.fields) })
      this.#signIns.end(id, 'signed_in')
      return user
    } catch (error) {
      this.#signIns.end(id, 'refused', publicMessageOf(error))
      throw error
    }
  }

  progress(id: string, user: string): SignInProgress | undefined {
    return this.#signIns.progress(id, user)
  }

  close(): void {
    this.#signIns.close()
  }
}

function only(values: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  )
}
