import { type BrokerContext, BrokerError, type BrokerOrder, type OrderFeed } from '../../broker.js'
import { addressAt } from '../../kit/http/addresses.js'
import { jsonOf } from '../../kit/http/response.js'
import { BrokerSocket } from '../../kit/socket/broker-socket.js'
import type { AngelCredentials } from '../api.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'
import { OUTCOMES } from '../outcomes.js'
import { type OrderRow, orderRow, orderUpdate } from '../wire.js'
import { PING, SILENCE_LIMIT_MS } from './tick-feed.js'

const PATH = '/smart-order-update'
/** The connection is accepted. */
const CONNECTED = 'AB00'

/** Order updates that Angel pushes over a connection of their own. */
export class AngelOrderUpdates implements OrderFeed {
  readonly #context: BrokerContext
  readonly #redact: (text: string) => string
  readonly #socket: BrokerSocket
  #onUpdate: ((order: BrokerOrder) => void) | undefined
  #onUnreadable: (() => void) | undefined

  /** @param orderOf converts a row that was pushed */
  constructor(
    context: BrokerContext,
    { jwt }: AngelCredentials,
    redact: (text: string) => string,
    private readonly orderOf: (row: OrderRow) => BrokerOrder,
  ) {
    const { clock, endpoints, log, sessionRefused } = context
    this.#context = context
    this.#redact = redact
    this.#socket = new BrokerSocket(
      {
        clock,
        log,
        name: 'order feed',
        address: () => addressAt(endpoints.orders ?? DEFAULT_ENDPOINTS.orders, PATH),
        headers: { Authorization: `Bearer ${jwt}` },
        ping: PING,
        silenceLimitMs: SILENCE_LIMIT_MS,
        onRefused: sessionRefused,
      },
      {
        onOpen: () => undefined,
        onBinary: (bytes) => this.#onText(Buffer.from(bytes).toString('utf8')),
        onText: (text) => this.#onText(text),
      },
    )
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

  /** Texts are answers to pings, and frames of one order each. */
  #onText(text: string): void {
    const body = jsonOf(text)
    if (body === undefined) return
    const { data: frame } = orderUpdate.safeParse(body)
    const code = frame?.['status-code'] ?? ''
    if (code === CONNECTED) return
    if (Object.hasOwn(OUTCOMES, code) && OUTCOMES[code]?.kind === 'auth') {
      const message = this.#redact(frame?.['error-message'] || 'Angel One has ended the session.')
      this.#socket.refuse(new BrokerError('auth', message, { brokerCode: code, sent: 'yes' }))
      return
    }
    const row = orderRow.safeParse(frame?.orderData)
    if (row.success) this.#onUpdate?.(this.orderOf(row.data))
    else {
      this.#context.log.warn('angel.unreadable_order_update', { code: this.#redact(code) })
      this.#onUnreadable?.()
    }
  }
}
