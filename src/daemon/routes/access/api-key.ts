import type { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { orderModePayload, userPayload } from '../../operations/payloads/access.js'

/** Returns the handlers for the user's API key and order mode. */
export function apiKeyHandlers({ identity: { apiKeys } }: { identity: Pick<Identity, 'apiKeys'> }) {
  return {
    'GET /apikey': (_input, { username }) => {
      const key = apiKeys.reveal(username)
      return {
        login_username: username,
        has_api_key: key !== undefined,
        api_key: key ?? null,
        order_mode: apiKeys.orderMode(username),
      }
    },
    'POST /apikey': httpHandler(async (c) => {
      const body = bodyOf(userPayload, await readJson(c))
      const username = ownUser(body.user_id, c.get('principal').username)
      const { apiKey, keyId } = await apiKeys.rotate(username)
      return c.json({ message: 'API key updated successfully.', api_key: apiKey, key_id: keyId })
    }),
    'POST /apikey/mode': httpHandler(async (c) => {
      const body = bodyOf(orderModePayload, await readJson(c))
      const username = ownUser(body.user_id, c.get('principal').username)
      const mode = await apiKeys.setOrderMode(username, body.mode)
      return c.json({ message: `Order mode updated to ${mode}`, mode })
    }),
  } satisfies Partial<Handlers>
}

/** Returns the user whom the body names. @throws ServiceError `forbidden` unless it is the signed-in user */
function ownUser(userId: string, username: string): string {
  if (userId !== username) throw new ServiceError('forbidden', 'user_id: Not the signed-in user.')
  return username
}

/** Parses a body. For an invalid one these routes answer `{error}` in addition to the common envelope. */
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
