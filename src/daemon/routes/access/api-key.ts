import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { readJson } from '../../http/body/body.js'
import { parsePlain } from '../../http/body/plain-error.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { orderModePayload, userPayload } from '../../operations/access/payloads.js'

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
      const body = parsePlain(userPayload, await readJson(c))
      const username = ownUser(body.user_id, c.get('principal').username)
      const { apiKey, keyId } = await apiKeys.rotate(username)
      return c.json({ message: 'API key updated successfully.', api_key: apiKey, key_id: keyId })
    }),
    'POST /apikey/mode': httpHandler(async (c) => {
      const body = parsePlain(orderModePayload, await readJson(c))
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
