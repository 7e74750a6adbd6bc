import { requestTo } from '../../client/routes.js'
import type { Context } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { isObject } from '../http/json.js'

const REQUIRED = 'reauthentication_required'
/** Wrong passwords and codes that a terminal accepts before the command fails. */
const MOST_TRIES = 3
/** The errors that name a wrong password or code. */
const WRONG: readonly unknown[] = ['invalid_password', 'invalid_totp']

/**
 * Sends a request. If the daemon wants the password again, a terminal asks for it and sends the request once more;
 * a script fails with the refusal, whose hint names the ways that need no terminal.
 */
export async function withProof<T>(context: Context, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (thrown) {
    const isAsked = thrown instanceof CliError && thrown.code === REQUIRED
    if (!isAsked || !context.settings.interactive) throw thrown
    await prove(context)
    return send()
  }
}

/** Asks for the password, and for a code if sign-ins need one, and sends them to the daemon. */
async function prove(context: Context): Promise<void> {
  const { body: factor } = await context.read('GET /auth/2fa/status')
  const needsCode = factor.totp_enabled && factor.totp_required_for_login
  context.io.stderr.write('This needs your password again: the last sign-in is too long ago.\n')
  for (let tries = 1; ; tries++) {
    const password = await context.prompts.secret(false, 'Password', { twice: false })
    const code = needsCode ? await context.prompts.text(undefined, 'Authenticator code', '') : undefined
    try {
      return await sendProof(context, password, code)
    } catch (thrown) {
      if (tries >= MOST_TRIES || !isWrong(thrown)) throw thrown
      context.io.stderr.write(`${thrown.message}\n`)
    }
  }
}

async function sendProof(context: Context, password: string, code: string | undefined): Promise<void> {
  const route = 'POST /auth/reauthenticate'
  const body = { password, ...(code !== undefined && { totp_code: code }) }
  const token = context.sessionToken
  await context.client().send({ route, ...requestTo(route, { body }), token, changes: false })
}

function isWrong(thrown: unknown): thrown is CliError {
  return thrown instanceof CliError && isObject(thrown.response) && WRONG.includes(thrown.response.error)
}
