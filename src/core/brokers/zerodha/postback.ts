import { z } from 'zod'
import { safeEqual, sha256Hex } from '../../secrets/index.js'
import { BrokerError, type BrokerSession } from '../broker.js'
import { jsonOf } from '../kit/http/response.js'

/** What proves a postback. */
const proof = z.object({
  order_id: z.string().min(1),
  order_timestamp: z.string(),
  checksum: z.string(),
  user_id: z.string(),
})

/**
 * Returns the id of the order that Kite posted an update of. Its checksum is the SHA-256 of order id, time and API secret, which
 * the session keeps for this if the installation takes postbacks and the sign-in had the secret. It proves nothing else that the
 * update says.
 * @throws BrokerError `permission` without the secret, with a wrong checksum, or for another account
 */
export function postedOrderId(body: string, session: BrokerSession): string {
  const { data } = proof.safeParse(jsonOf(body))
  const secret = session.extra?.api_secret
  if (!data || secret === undefined) throw unproven()
  const expected = sha256Hex(`${data.order_id}${data.order_timestamp}${secret}`)
  if (!safeEqual(data.checksum, expected)) throw unproven()
  if (session.userId !== undefined && data.user_id !== session.userId) throw unproven()
  return data.order_id
}

function unproven(): BrokerError {
  return new BrokerError('permission', 'The order update does not prove that it is from Zerodha.', {
    sent: 'never',
  })
}
