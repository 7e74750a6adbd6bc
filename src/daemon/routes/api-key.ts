import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { type Identity, ORDER_MODES } from '../../core/identity/index.js'
import { parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScope } from '../middleware/session.js'

export const userBody = z.object({ user_id: z.string().optional() })
export const modeBody = z.object({
  user_id: z.string().optional(),
  mode: z.unknown().meta({ enum: [...ORDER_MODES] }),
})

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
      const username = ownUser(parseWith(userBody, await readJson(c)).user_id, c.get('principal').username)
      const { apiKey, keyId } = await apiKeys.rotate(username)
      return c.json({ message: 'API key updated successfully.', api_key: apiKey, key_id: keyId })
    })
    .post('/mode', requireScope('settings'), async (c) => {
      const body = parseWith(modeBody, await readJson(c))
      const username = ownUser(body.user_id, c.get('principal').username)
      if (!ORDER_MODES.some((mode) => mode === body.mode)) {
        throw badRequest('Invalid mode. Must be "auto" or "semi_auto"')
      }
      const mode = await apiKeys.setOrderMode(username, String(body.mode))
      return c.json({ message: `Order mode updated to ${mode}`, mode })
    })
}

/** The contract names the user in the body; it can only be the one who is signed in. */
function ownUser(userId: string | undefined, username: string): string {
  if (!userId) throw badRequest('User ID is required')
  if (userId !== username) throw new ServiceError('forbidden', 'user_id: Not the signed-in user.')
  return username
}

/** These routes answer failures as `{error}`; the common envelope goes with it. */
function badRequest(message: string): ServiceError {
  return new ServiceError('validation', message, { extra: { error: message } })
}
