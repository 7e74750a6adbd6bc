import { type Account, ordersAlike } from '../account.js'
import type { Desk } from '../desk.js'
import { messageOf } from '../message-of.js'
import type { Change } from './changes.js'

/** Sends a change that the user has confirmed for one mode and one broker, and for no other. */
export async function startReviewed(desk: Desk, account: Account, change: Change): Promise<void> {
  const { changes } = desk
  try {
    if (!ordersAlike(await desk.accountNow(), account)) {
      changes.say('Not sent: the mode or the broker has changed. Look at the header, then try again.')
    } else {
      changes.start(change)
    }
  } catch (thrown) {
    changes.say(`Not sent: ${messageOf(thrown)}`)
  }
}
