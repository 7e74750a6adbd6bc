import type { Service } from '../../service.js'
import { MarketFanOut } from './fanout.js'
import { MarketSubscriptions, type StreamBroker } from './subscriptions.js'
import type { Receiver } from './topic.js'

/** The subscriptions of the market stream, both over its sockets and over the session routes. */
export class MarketStream {
  readonly broker: StreamBroker
  readonly fanOut: MarketFanOut
  readonly subscriptions: MarketSubscriptions
  readonly #sessionReceivers = new Map<string, Receiver>()

  constructor({ brokers, feedWatch, hub, instruments }: Service) {
    this.broker = {
      id: () => brokers.brokerId,
      connected: () => brokers.connected(),
      manifest: () => brokers.manifest(),
      supported: () =>
        brokers
          .list()
          .map(({ manifest }) => manifest.id)
          .sort(),
      status: () => {
        const { state } = feedWatch.state()
        return state === 'lost' || state === 'disconnected' ? state : 'connected'
      },
    }
    this.fanOut = new MarketFanOut({ hub, broker: this.broker.id })
    this.subscriptions = new MarketSubscriptions({
      fanOut: this.fanOut,
      broker: this.broker,
      isKnown: ({ symbol, exchange }) => instruments.directory.find(symbol, exchange) !== undefined,
    })
  }

  /**
   * Returns the receiver of a user's session routes. Its prices stay current for reading; nothing is pushed.
   */
  sessionReceiver(username: string): Receiver {
    const known = this.#sessionReceivers.get(username)
    if (known) return known
    const receiver: Receiver = { username, open: true, offer: () => true, forget: () => undefined }
    this.#sessionReceivers.set(username, receiver)
    return receiver
  }
}
