import type { DaemonAccess } from '../../../client/daemon-access.js'
import { type SvcClient, SvcError } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { READ_LIMIT_MS } from '../connection.js'

const REQUIRED = 'reauthentication_required'

/** Returns whether the daemon wants the password again before it makes a change. */
export function wantsProof(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.code === REQUIRED
}

/** A change that waits until the user has typed the password again. */
export interface ProofRequest {
  /** The change, in a few words. */
  name: string
  /** True when sign-ins need a code of the authenticator too. */
  needsCode: boolean
  /** Sends the proof, and then the change again. @returns why the daemon refused the proof; undefined if it did not */
  prove(password: string, code: string | undefined): Promise<string | undefined>
  /** Leaves the change undone. */
  cancel(): void
}

/** Asks for a proof. @returns whether the user gave one */
export async function asked(
  daemon: DaemonAccess,
  name: string,
  show: (request: ProofRequest | undefined) => void,
): Promise<boolean> {
  const client = daemon.client(READ_LIMIT_MS)
  const factor = await client.request('GET /auth/2fa/status', {})
  const needsCode = factor.totp_enabled && factor.totp_required_for_login
  return new Promise<boolean>((resolve) => {
    const end = (isProven: boolean) => {
      show(undefined)
      resolve(isProven)
    }
    show({
      name,
      needsCode,
      cancel: () => end(false),
      async prove(password, code) {
        const refusal = await refusalOf(client, password, code)
        if (refusal === undefined) end(true)
        return refusal
      },
    })
  })
}

async function refusalOf(
  client: SvcClient,
  password: string,
  totp_code: string | undefined,
): Promise<string | undefined> {
  try {
    const body = { password, ...(totp_code !== undefined && { totp_code }) }
    await client.request('POST /auth/reauthenticate', { body })
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}
