import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { type Identity, ORDER_MODES } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScope } from '../middleware/session.js'

const NO_USER = 'User ID is required'
const NO_MODE = 'Invalid mode. Must be "auto" or "semi_auto"'
const userId = z.string(NO_USER).min(1, NO_USER)

export const userBody = z.object({ user_id: userId })
export const modeBody = z.object({ user_id: userId, mode: z.enum(ORDER_MODES, NO_MODE) })

/** The user's API key and order mode (contract, session API 1.10). */
export function apiKeyRoutes({ identity }: { identity: Identity }): Hono<AppEnv> {
  const { apiKeys } = identity
  return new Hono<AppEnv>()
    .get('/', requireScope('admin'), (c) => {
      const { username } = c.get('principal')
      const key = apiKeys.reveal(username)
      return c.json({
        login_username: username,
        has_api_key: key !== undefined,
        api_key: key ?? null,
        order_mode: apiKeys.orderMode(username),
      })
    })
    .post('/', requireScope('admin'), async (c) => {
      const username = ownUser(bodyOf(userBody, await readJson(c)).user_id, c.get('principal').username)
      const { apiKey, keyId } = await apiKeys.rotate(username)
      return c.json({ message: 'API key updated successfully.', api_key: apiKey, key_id: keyId })
    })
    .post('/mode', requireScope('settings'), async (c) => {
      const body = bodyOf(modeBody, await readJson(c))
      const username = ownUser(body.user_id, c.get('principal').username)
      const mode = await apiKeys.setOrderMode(username, body.mode)
      return c.json({ message: `Order mode updated to ${mode}`, mode })
    })
}

/** The contract names the user in the body; it can only be the one who is signed in. */
function ownUser(userId: string, username: string): string {
  if (userId !== username) throw new ServiceError('forbidden', 'user_id: Not the signed-in user.')
  return username
}

/** These routes answer what is wrong with a body as `{error}`; the common envelope goes with it. */
function bodyOf<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  try {
    return parseWith(schema, given)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || !thrown.errors) throw thrown
    const { code, errors, message } = thrown
    const error = Object.values(errors)[0]?.[0] ?? message
    throw new ServiceError(code, error, { errors, extra: { error } })
  }
}
