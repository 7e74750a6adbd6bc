import type { IncomingMessage } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { EventBus, EventTopics } from '../../../core/events/index.js'
import type { Principal, Revocation } from '../../../core/identity/index.js'
import type { Logger } from '../../../core/logging/index.js'
import type { Clock, Timer } from '../../../core/time/index.js'
import { CLOSE_TIMEOUT_MS } from '../event-socket.js'
import { guarded, refuse, type UpgradeRequest } from '../upgrade.js'
import { MarketActions } from './actions.js'
import { isAllowedOrigin, MarketClient, SIGNED_OUT } from './client.js'
import type { MarketFanOut } from './fanout.js'
import { TurnWrites } from './outbox.js'
import type { MarketSubscriptions, StreamBroker } from './subscriptions.js'

export interface MarketSocketsParts {
  bus: EventBus
  clock: Clock
  log: Logger
  /** Returns the owner of an API key. @throws ServiceError when keys cannot be checked now */
  verifyKey: (apiKey: string) => Promise<Principal | undefined>
  /** Called with each invalid key, and the request that opened the connection. */
  onInvalidKey?: ((request: IncomingMessage, apiKey: string) => void) | undefined
  /** Calls back for every credential that ends. */
  onRevoked: (listener: (revocation: Revocation) => void) => () => void
  broker: StreamBroker
  fanOut: MarketFanOut
  subscriptions: MarketSubscriptions
  /** Origins on other hosts whose pages may open the stream. */
  allowedOrigins?: readonly string[] | undefined
}

const PATH = '/ws'
const AUTH_GRACE_MS = 15_000
const PING_INTERVAL_MS = 20_000
const MAX_MESSAGE_BYTES = 1_048_576
/** Far more than any trading desk needs, far fewer than would slow the service down. */
export const MAX_CLIENTS = 1000
/** Of clients that have not signed in there are fewer: nobody needs a key to open one. */
const MAX_STRANGERS = 100

/**
 * The market stream over WebSocket (docs/websocket.md): sends prices and order updates to signed-in clients.
 */
export class MarketSockets {
  readonly #parts: MarketSocketsParts
  readonly #actions: MarketActions
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
  })
  readonly #clients = new Set<MarketClient>()
  readonly #writes = new TurnWrites()
  readonly #heartbeat: Timer
  readonly #unhook: readonly (() => void)[]

  constructor(parts: MarketSocketsParts) {
    this.#parts = parts
    const { bus, clock, onRevoked } = parts
    this.#actions = new MarketActions(parts)
    this.#heartbeat = clock.setInterval(() => {
      for (const client of this.#clients) client.ping()
    }, PING_INTERVAL_MS)
    this.#unhook = [
      bus.subscribe('order.update', 'market-stream', (update) => this.#sendOrder(update)),
      onRevoked(({ credential, credentialId }) => {
        for (const client of this.#clients) {
          const { principal } = client
          if (principal?.credential === credential && principal.credentialId === credentialId) {
            client.close(SIGNED_OUT, 'api key revoked')
          }
        }
      }),
    ]
  }

  get count(): number {
    return this.#clients.size
  }

  /** Clients that are signed in. */
  get signedIn(): number {
    return [...this.#clients].filter(({ principal }) => principal).length
  }

  /** Handles an upgrade request of the HTTP port if it is for the market stream. @returns whether it was */
  upgrade(upgrade: UpgradeRequest): boolean {
    const { pathname } = upgrade.url
    if (pathname !== PATH && pathname !== `${PATH}/`) return false
    this.accept(upgrade)
    return true
  }

  /** Handles an upgrade request with any path, as the stream's own port needs it. */
  accept({ request, socket, head }: Omit<UpgradeRequest, 'url'>): void {
    if (!isAllowedOrigin(request, this.#parts.allowedOrigins ?? [])) {
      refuse(socket, 403, 'Forbidden')
      return
    }
    const strangers = [...this.#clients].filter(({ principal }) => !principal)
    if (this.#clients.size - strangers.length >= MAX_CLIENTS) {
      refuse(socket, 503, 'Service Unavailable')
      return
    }
    // The oldest goes: who means to sign in has done it by then.
    if (strangers.length >= MAX_STRANGERS) strangers[0]?.terminate()
    this.#server.handleUpgrade(request, socket, head, (ws) =>
      guarded(ws, this.#parts.log, () => this.#welcome(ws, request))(),
    )
  }

  /** Closes every connection, and terminates those whose client does not answer. */
  close(): void {
    const { clock } = this.#parts
    clock.clear(this.#heartbeat)
    for (const unhook of this.#unhook) unhook()
    const leaving = [...this.#clients]
    for (const client of leaving) client.close(1001, 'the service is stopping')
    clock.setTimeout(() => {
      for (const client of leaving) client.terminate()
    }, CLOSE_TIMEOUT_MS)
    this.#server.close()
  }

  #welcome(socket: WebSocket, request: IncomingMessage): void {
    const { clock, fanOut, log, onInvalidKey } = this.#parts
    const client = new MarketClient({
      socket,
      transport: request.socket,
      writes: this.#writes,
      clock,
      log,
      onInvalidKey: (apiKey) => onInvalidKey?.(request, apiKey),
      handle: (sender, text) => this.#actions.handle(sender, text),
    })
    this.#clients.add(client)
    const grace = clock.setTimeout(() => {
      if (!client.principal) client.close(SIGNED_OUT, 'auth timeout')
    }, AUTH_GRACE_MS)
    // Errors are a message that is too large or a frame that breaks the protocol. `close` follows and cleans
    // up.
    socket.on('error', () => undefined)
    socket.on(
      'close',
      guarded(socket, log, () => {
        clock.clear(grace)
        this.#clients.delete(client)
        fanOut.unsubscribeAll(client)
      }),
    )
  }

  /**
   * Sends an order update to its user. One without a user is of the broker account, so every user gets it.
   */
  #sendOrder(update: EventTopics['order.update']): void {
    if (this.#clients.size === 0) return
    const { user_id: owner, ...order } = update
    for (const client of this.#clients) {
      if (!client.wantsOrders || (owner !== undefined && owner !== client.username)) continue
      client.send({ type: 'order_update', user_id: client.username, ...order })
    }
  }
}
