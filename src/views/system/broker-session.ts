import type { RouteAnswer } from '../../client/endpoints.js'

/** The session at the broker, as the daemon describes it. */
export type BrokerSession = RouteAnswer<'GET /broker/status'>['data']['session']

/** The states of a session in a word or two. */
export const SESSION_WORDS: Readonly<Record<BrokerSession['state'], string>> = {
  signed_in: 'signed in',
  expires_soon: 'session ends soon',
  ip_not_allowed: 'address refused',
  expired: 'session expired',
  refused: 'session refused',
  signed_out: 'signed out',
}
