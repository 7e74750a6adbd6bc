import { BrokerError } from '../../broker.js'
import { notSent } from '../http/outcomes.js'

/** Counts the changes of each order that the broker may have counted, because it takes only so many. */
export class OrderChanges {
  readonly #counts = new Map<string, number>()

  constructor(
    private readonly brokerName: string,
    private readonly most: number,
  ) {}

  /** Sends a change of an order. @throws BrokerError `validation`, never sent, after the last one that the broker takes */
  async sent<T>(orderId: string, send: () => Promise<T>): Promise<T> {
    const count = () => this.#counts.get(orderId) ?? 0
    if (count() >= this.most)
      throw notSent(
        'validation',
        `${this.brokerName} takes at most ${this.most} changes of one order. Cancel it, and place a new one.`,
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
