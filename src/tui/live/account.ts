import type { RouteAnswer, SvcClient } from '../../client/index.js'

type WhoAmI = RouteAnswer<'GET /auth/whoami'>['data']

/** The facts that decide where an approved order goes. */
export type Account = Pick<WhoAmI, 'username' | 'analyze_mode' | 'order_mode' | 'broker'>

export async function readAccount(client: SvcClient): Promise<Account> {
  const { data } = await client.request('GET /auth/whoami', {})
  const { username, analyze_mode, order_mode, broker } = data
  return { username, analyze_mode, order_mode, broker }
}

/** Returns whether orders approved on both accounts go to the same place. */
export function goesToSame(one: Account, other: Account): boolean {
  return one.analyze_mode === other.analyze_mode && one.broker === other.broker
}

/** Returns whether orders placed on both accounts go to the same place, and wait for approval on both or on neither. */
export function ordersAlike(one: Account, other: Account): boolean {
  return goesToSame(one, other) && one.order_mode === other.order_mode
}

/** Returns the mode as the screens name it. */
export function modeName({ analyze_mode }: Account): 'ANALYZE' | 'LIVE' {
  return analyze_mode ? 'ANALYZE' : 'LIVE'
}
