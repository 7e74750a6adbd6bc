import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJsonOrForm } from '../http/body.js'
import { isFromHere } from '../http/client.js'
import { refuseCrossSite } from '../http/cross-site.js'
import { SETUP_TOKEN_FILE, type SetupToken } from '../setup-token.js'
import type { SignInParts } from './sign-in.js'

export const setupBody = z.strictObject({
  username: fields.text(80),
  email: fields.text(120),
  password: fields.text(1024),
  confirm_password: fields.text(1024).optional(),
})

export interface SetupParts extends Pick<SignInParts, 'identity' | 'limitLogin'> {
  setupToken: SetupToken | undefined
}

/** First-run set-up: creates the one account and shows its API key once. */
export function setupRoutes(parts: SetupParts): Hono<AppEnv> {
  const { setupToken } = parts
  return new Hono<AppEnv>().post('/', parts.limitLogin, async (c) => {
    refuseCrossSite(c)
    if (!isFromHere(c) && !setupToken?.matches(c.req.header('x-setup-token') ?? '')) {
      throw new ServiceError(
        'forbidden',
        `Setup from another machine needs the text of ${SETUP_TOKEN_FILE}, in the home of the service, as X-Setup-Token.`,
      )
    }
    const { confirm_password: _, ...account } = parseWith(setupBody, await readJsonOrForm(c))
    const { username, apiKey } = await parts.identity.users.setup(account)
    setupToken?.spend()
    const message = 'Setup complete. Keep the API key: it is shown only now.'
    return c.json({ status: 'success', message, username, apikey: apiKey }, 201)
  })
}
