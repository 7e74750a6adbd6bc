import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { ORDER_MODES } from '../../../core/identity/index.js'
import { count, message, text } from '../common/answers.js'
import { signedIn } from '../running.js'

const limited = signedIn('Access', 'api')

const NO_USER = 'User ID is required'
const NO_MODE = 'Invalid mode. Must be "auto" or "semi_auto"'
const userId = z.string(NO_USER).min(1, NO_USER)

const userPayload = z.object({ user_id: userId })
const orderModePayload = z.object({ user_id: userId, mode: z.enum(ORDER_MODES, NO_MODE) })

const orderMode = z.enum(ORDER_MODES)
const apiKey = z.strictObject({
  login_username: text,
  has_api_key: z.boolean(),
  api_key: text.nullable(),
  order_mode: orderMode,
})
const newApiKey = z.strictObject({ message, api_key: text, key_id: count })
const changedMode = z.strictObject({ message, mode: orderMode })

/** The user's API key and order mode. */
export const API_KEY_OPERATIONS = {
  'GET /apikey': limited('Returns the API key and the order mode.', {
    scopes: ['admin'],
    fresh: true,
    answer: apiKey,
    run: ({ identity: { apiKeys } }, _input, { username }) => {
      const key = apiKeys.reveal(username)
      return {
        login_username: username,
        has_api_key: key !== undefined,
        api_key: key ?? null,
        order_mode: apiKeys.orderMode(username),
      }
    },
  }),
  'POST /apikey': limited('Creates a new API key; the old key stops working at once.', {
    scopes: ['admin'],
    fresh: true,
    body: userPayload,
    plainErrors: true,
    example: { user_id: 'asha' },
    answer: newApiKey,
    errors: ['validation', 'too_large', 'unsupported_media'],
    audit: { act: 'api_key.rotate' },
    run: async ({ identity: { apiKeys } }, { body }, { username }) => {
      requireOwn(body.user_id, username)
      const { apiKey, keyId } = await apiKeys.rotate(username)
      return { message: 'API key updated successfully.', api_key: apiKey, key_id: keyId }
    },
  }),
  'POST /apikey/mode': limited('Sets the order mode: auto or semi_auto.', {
    live: 'change',
    scopes: ['settings'],
    body: orderModePayload,
    plainErrors: true,
    example: { user_id: 'asha', mode: 'auto' },
    answer: changedMode,
    errors: ['validation', 'too_large', 'unsupported_media'],
    audit: {
      act: 'order_mode.set',
      values: ({ service, username }) => ({ order_mode: service.identity.apiKeys.orderMode(username) }),
    },
    run: async ({ identity: { apiKeys } }, { body }, { username }) => {
      requireOwn(body.user_id, username)
      const mode = await apiKeys.setOrderMode(username, body.mode)
      return { message: `Order mode updated to ${mode}`, mode }
    },
  }),
}

/** @throws ServiceError `forbidden` unless the body names the signed-in user */
function requireOwn(userId: string, username: string): void {
  if (userId !== username) throw new ServiceError('forbidden', 'user_id: Not the signed-in user.')
}
