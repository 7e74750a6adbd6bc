import { safeEqual, sha256Hex } from '../../secrets/index.js'
import { TOKEN_PREFIX } from '../token.js'
import type { WebhookStrategies, WebhookStrategy } from './ports.js'

const SHAPE = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{16,128}$`)

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
  return isEqual && SHAPE.test(token) ? strategy : undefined
}
