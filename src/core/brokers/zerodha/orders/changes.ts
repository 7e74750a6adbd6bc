import { BrokerError } from '../../broker.js'
import { notSent } from '../../kit/http/outcomes.js'

/** Kite refuses every further change of an order. */
const MOST_CHANGES = 25

/** Counts the changes of each order that Kite may have counted. */
export class OrderChanges {
  readonly #counts = new Map<string, number>()

  /** Sends a change of an order. @throws BrokerError `validation`, never sent, after the last one that Kite takes */
  async sent<T>(orderId: string, send: () => Promise<T>): Promise<T> {
    const count = () => this.#counts.get(orderId) ?? 0
    if (count() >= MOST_CHANGES)
      throw notSent(
        'validation',
        `Zerodha takes at most ${MOST_CHANGES} changes of one order. Cancel it, and place a new one.`,
      )
    const counted = () => this.#counts.set(orderId, count() + 1)
    try {
      const answer = await send()
      counted()
      return answer
    } catch (error) {
      if (!(error instanceof BrokerError) || error.sent === 'maybe') counted()
      throw error
    }
  }
}
