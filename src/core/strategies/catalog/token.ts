import { randomToken, sha256Hex } from '../../secrets/index.js'

/** The start of every webhook token, so that a leaked one is recognised. */
export const WEBHOOK_TOKEN_PREFIX = 'svc_hook_'
const TOKEN_BYTES = 32
const SHAPE = /^svc_hook_[A-Za-z0-9_-]{16,128}$/

/** Makes a webhook token. Only its hash is stored. */
export function newWebhookToken(): { token: string; hash: string } {
  const token = `${WEBHOOK_TOKEN_PREFIX}${randomToken(TOKEN_BYTES)}`
  return { token, hash: sha256Hex(token) }
}

/** Returns the hash under which a token is stored; undefined for a text that cannot be one. */
export function webhookTokenHash(text: string): string | undefined {
  return SHAPE.test(text) ? sha256Hex(text) : undefined
}
