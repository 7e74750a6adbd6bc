import type { DaemonAccess } from '../../client/daemon-access.js'
import { SvcClient } from '../../client/index.js'

/** A client without a session: it refuses every request with the reason, and sends nothing. */
class RefusingClient extends SvcClient {
  readonly #reason: unknown

  constructor(reason: unknown) {
    super()
    this.#reason = reason
  }

  override call(): Promise<never> {
    return Promise.reject(this.#reason)
  }

  override request(): Promise<never> {
    return Promise.reject(this.#reason)
  }

  override text(): Promise<never> {
    return Promise.reject(this.#reason)
  }

  override lines(): AsyncGenerator<never> {
    return refused(this.#reason)
  }

  override events(): AsyncGenerator<never> {
    return refused(this.#reason)
  }

  override strategyFrames(): AsyncGenerator<never> {
    return refused(this.#reason)
  }

  override ticks(): AsyncGenerator<never> {
    return refused(this.#reason)
  }
}

async function* refused(reason: unknown): AsyncGenerator<never> {
  yield await Promise.reject(reason)
}

/**
 * Returns an access whose `client` never throws. A timer, a key or an effect that asks for a client when the session has
 * ended gets one whose requests fail, so the reason goes where every failure of a request goes.
 */
export function neverThrowing(access: DaemonAccess): DaemonAccess {
  return {
    client(timeoutMs) {
      try {
        return access.client(timeoutMs)
      } catch (thrown) {
        return new RefusingClient(thrown)
      }
    },
    readKey: async () => access.readKey?.(),
    get context() {
      return access.context
    },
    get signIn() {
      return access.signIn
    },
  }
}
