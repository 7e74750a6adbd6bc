import type { Principal } from '../../../core/identity/index.js'
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

  constructor({ brokers, feedWatch, hub, identity, instruments }: Service) {
    identity.onRevoked((ended) => this.#forget(keyOf(ended)))
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
   * Returns the receiver of the session routes for one session or token. Its prices stay current for reading, as long as the
   * session lasts; nothing is pushed.
   */
  sessionReceiver(principal: Principal): Receiver {
    const key = keyOf(principal)
    const known = this.#sessionReceivers.get(key)
    if (known) return known
    const { username } = principal
    const receiver: Receiver = { username, open: true, offer: () => true, forget: () => undefined }
    this.#sessionReceivers.set(key, receiver)
    return receiver
  }

  #forget(key: string): void {
    const receiver = this.#sessionReceivers.get(key)
    if (!receiver) return
    this.#sessionReceivers.delete(key)
    this.fanOut.unsubscribeAll(receiver)
  }
}

function keyOf({ credential, credentialId }: Pick<Principal, 'credential' | 'credentialId'>): string {
  return `${credential} ${credentialId}`
}
