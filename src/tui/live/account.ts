import { NoAnswerError, type RouteAnswer, type SvcClient } from '../../client/index.js'

type WhoAmI = RouteAnswer<'GET /auth/whoami'>['data']

/** The facts that decide where an approved order goes. */
export type Account = Pick<WhoAmI, 'username' | 'analyze_mode' | 'order_mode' | 'broker'>

export async function readAccount(client: SvcClient): Promise<Account> {
  const { data } = await client.request('GET /auth/whoami', {})
  const { username, analyze_mode, order_mode, broker } = data
  return { username, analyze_mode, order_mode, broker }
}

/** Returns whether orders placed on both accounts go to the same place, and wait for approval on both or on neither. */
function ordersAlike(one: Account, other: Account): boolean {
  return (['analyze_mode', 'broker', 'order_mode'] as const).every((fact) => one[fact] === other[fact])
}

/**
 * Checks that orders still go where they went when the user confirmed a change.
 * @throws Error if they do not, or the daemon does not answer. Never a `NoAnswerError`: the change itself is not sent,
 * so nothing is in doubt
 */
export async function requireSame(read: Promise<Account>, confirmed: Account): Promise<void> {
  const now = await read.catch((thrown: unknown) => {
    throw thrown instanceof NoAnswerError ? new Error(thrown.message) : thrown
  })
  if (!ordersAlike(now, confirmed)) {
    throw new Error('the mode or the broker has changed. Look at the header, then try again.')
  }
}

/** Returns the mode as the screens name it. */
export function modeName({ analyze_mode }: Account): 'ANALYZE' | 'LIVE' {
  return analyze_mode ? 'ANALYZE' : 'LIVE'
}

/** Returns where orders go, for a question: `in LIVE mode at zerodha`. */
export function modeAndBroker(account: Account): string {
  return `in ${modeName(account)} mode at ${account.broker}`
}
