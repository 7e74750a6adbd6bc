import { isObject } from '../../client/answers/json.js'
import { requestTo } from '../../client/routes.js'
import { CliError } from '../framework/errors.js'
import type { GlobalSettings } from '../framework/globals.js'
import type { Client } from '../http/client.js'
import type { Credential } from '../http/credentials.js'
import type { Io } from './io.js'
import type { Prompts } from './prompts.js'

const REQUIRED = 'reauthentication_required'
/** Wrong passwords and codes that a terminal accepts before the command fails. */
const MOST_TRIES = 3
/** The errors that name a wrong password or code. */
const WRONG: readonly unknown[] = ['invalid_password', 'invalid_totp']

/** The parts of a command that a proof needs. */
interface ProofParts {
  io: Io
  settings: Pick<GlobalSettings, 'interactive'>
  prompts: Prompts
  client: Client
  /** The token of the session. */
  token: string
  /** The session, for the proof of the daemon. */
  credential: Credential | undefined
}

/**
 * Sends a request. If the daemon wants the password again, a terminal asks for it and sends the request once more;
 * a script fails with the refusal, whose hint names the ways that need no terminal.
 */
export async function withProof<T>(parts: ProofParts, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (thrown) {
    const isAsked = thrown instanceof CliError && thrown.code === REQUIRED
    if (!isAsked || !parts.settings.interactive) throw thrown
    await prove(parts)
    return send()
  }
}

/** Asks for the password, and for a code if sign-ins need one, and sends them to the daemon. */
async function prove(parts: ProofParts): Promise<void> {
  const { client, credential, io, prompts, token } = parts
  const route = 'GET /auth/2fa/status'
  const asked = { token, changes: false, ...(credential && { credential }) }
  const { body: factor } = await client.send({ route, ...requestTo(route, {}), ...asked })
  const needsCode = factor.totp_enabled && factor.totp_required_for_login
  io.stderr.write('This needs your password again: the last sign-in is too long ago.\n')
  for (let tries = 1; ; tries++) {
    const password = await prompts.secret(false, 'Password', { twice: false })
    const code = needsCode ? await prompts.text(undefined, 'Authenticator code', '') : undefined
    try {
      return await sendProof(parts, password, code)
    } catch (thrown) {
      if (tries >= MOST_TRIES || !isWrong(thrown)) throw thrown
      io.stderr.write(`${thrown.message}\n`)
    }
  }
}

async function sendProof(
  { client, credential, token }: ProofParts,
  password: string,
  code: string | undefined,
): Promise<void> {
  const route = 'POST /auth/reauthenticate'
  const body = { password, ...(code !== undefined && { totp_code: code }) }
  const asked = { token, changes: false, ...(credential && { credential }) }
  await client.send({ route, ...requestTo(route, { body }), ...asked })
}

function isWrong(thrown: unknown): thrown is CliError {
  return thrown instanceof CliError && isObject(thrown.response) && WRONG.includes(thrown.response.error)
}
