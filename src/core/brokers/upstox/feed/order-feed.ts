import type { BrokerContext, BrokerOrder, OrderFeed } from '../../broker.js'
import { jsonOf } from '../../kit/http/response.js'
import type { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { UpstoxApi } from '../api.js'
import { toOrder } from '../orders/rows.js'
import { feedText, orderRow } from '../wire.js'
import { feedSocket } from './connection.js'

/** Order updates, as text. Upstox repeats nothing after a gap: the core compares the book then. */
export class UpstoxOrderFeed implements OrderFeed {
  readonly #context: BrokerContext
  readonly #socket: BrokerSocket
  #onUpdate: ((order: BrokerOrder) => void) | undefined
  #onUnreadable: (() => void) | undefined

  constructor(context: BrokerContext, api: UpstoxApi) {
    this.#context = context
    const feed = {
      name: 'order feed',
      authorize: '/v2/feed/portfolio-stream-feed/authorize',
      query: { update_types: 'order' },
    }
    this.#socket = feedSocket(context, api, feed, {
      onOpen: () => undefined,
      onBinary: (bytes) => this.#onText(new TextDecoder().decode(bytes)),
      onText: (text) => this.#onText(text),
    })
  }

  open(onUpdate: (order: BrokerOrder) => void, onUnreadable?: () => void): Promise<void> {
    this.#onUpdate = onUpdate
    this.#onUnreadable = onUnreadable
    return this.#socket.open()
  }

  state(): { connected: boolean; connections: number } {
    return this.#socket.state()
  }

  close(): void {
    this.#socket.close()
  }

  #onText(text: string): void {
    const message = jsonOf(text)
    if (feedText.safeParse(message).data?.update_type !== 'order') return
    const row = orderRow.safeParse(message)
    if (row.success) this.#onUpdate?.(toOrder(this.#context, row.data))
    else {
      this.#context.log.warn('upstox.unreadable_order_update')
      this.#onUnreadable?.()
    }
  }
}
