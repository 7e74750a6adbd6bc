import { safeEqual, sha256Hex } from '../../secrets/index.js'
import { webhookTokenHash } from '../catalog/token.js'
import type { WebhookStrategies, WebhookStrategy } from './strategies.js'

/**
 * Returns the strategy of a token. A text that cannot be a token is looked up like any other, so that the time of an
 * answer does not tell the two apart.
 */
export async function strategyOf(
  strategies: Pick<WebhookStrategies, 'byTokenHash'>,
  token: string,
): Promise<WebhookStrategy | undefined> {
  const hash = sha256Hex(token)
  const strategy = await strategies.byTokenHash(hash)
  const isEqual = safeEqual(hash, strategy?.webhookTokenHash ?? '')
  return isEqual && webhookTokenHash(token) !== undefined ? strategy : undefined
}
