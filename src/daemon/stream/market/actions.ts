import { PublicError, publicMessageOf, ServiceError } from '../../../core/errors/index.js'
import type { Principal } from '../../../core/identity/index.js'
import type { Clock } from '../../../core/time/index.js'
import { isObject } from '../../../core/validation/index.js'
import { parseJson } from '../../http/body/bounded-json.js'
import { type MarketClient, SIGNED_OUT } from './client.js'
import type { MarketFanOut } from './fanout.js'
import { errorFrame } from './frames.js'
import { BadRequest, type Message, objectsIn, tooManySymbols } from './request.js'
import type { Ack, MarketSubscriptions, StreamBroker } from './subscriptions.js'

interface MarketActionsParts {
  clock: Clock
  fanOut: MarketFanOut
  subscriptions: MarketSubscriptions
  broker: StreamBroker
  /** Returns the owner of an API key. @throws ServiceError when keys cannot be checked now */
  verifyKey: (apiKey: string) => Promise<Principal | undefined>
}

type Action = (client: MarketClient, message: Message) => void | Promise<void>

/** Wrong API keys a connection may send before it is closed. */
const MAX_FAILED_SIGN_INS = 10
/** The longest message of a client that has not signed in. A longer one is not even parsed. */
const MAX_ANONYMOUS_CHARACTERS = 4096
const MESSAGE_TOO_BIG = 1009
const SHOWN_CHARACTERS = 60

/** The actions of the market stream and their answers (docs/websocket.md). */
export class MarketActions {
  readonly #parts: MarketActionsParts
  readonly #forAll: ReadonlyMap<unknown, Action>
  readonly #forSignedIn: ReadonlyMap<unknown, Action>

  constructor(parts: MarketActionsParts) {
    this.#parts = parts
    const authenticate: Action = (client, message) => this.#authenticate(client, message)
    this.#forAll = new Map<unknown, Action>([
      ['authenticate', authenticate],
      ['auth', authenticate],
      ['get_supported_brokers', (client) => this.#supportedBrokers(client)],
      ['ping', (client, message) => this.#pong(client, message)],
    ])
    this.#forSignedIn = new Map<unknown, Action>([
      ['subscribe', (client, message) => this.#subscribe(client, message)],
      ['unsubscribe', (client, message) => this.#unsubscribe(client, message)],
      ['unsubscribe_all', (client, message) => this.#unsubscribeAll(client, message)],
      ['subscribe_orders', (client, message) => this.#setOrders(client, message, true)],
      ['unsubscribe_orders', (client, message) => this.#setOrders(client, message, false)],
      ['get_broker_info', (client) => this.#brokerInfo(client)],
    ])
  }

  /**
   * Answers one message. Never throws or rejects. Returns a promise only when the answer is not immediate.
   */
  handle(client: MarketClient, text: string): void | Promise<void> {
    if (!client.principal && text.length > MAX_ANONYMOUS_CHARACTERS) {
      client.close(MESSAGE_TOO_BIG, 'sign in before a long message')
      return
    }
    if (objectsIn(text) === undefined) {
      refuse(client, tooManySymbols())
      return
    }
    let message: unknown
    try {
      message = parseJson(text)
    } catch (error) {
      const reason = error instanceof ServiceError ? error.message : 'Invalid JSON message'
      client.send(errorFrame('INVALID_JSON', reason))
      return
    }
    try {
      return this.#dispatch(client, message)?.catch((error: unknown) => refuse(client, error))
    } catch (error) {
      refuse(client, error)
    }
  }

  #dispatch(client: MarketClient, message: unknown): Promise<void> | undefined {
    if (!isObject(message)) throw new PublicError('A message must be a JSON object')
    const name = message.action ?? message.type
    const forSignedIn = this.#forSignedIn.get(name)
    const action = this.#forAll.get(name) ?? forSignedIn
    if (!action) client.send(errorFrame('INVALID_ACTION', `Invalid action: ${shown(name)}`))
    else if (action === forSignedIn && !client.principal) {
      client.send(errorFrame('NOT_AUTHENTICATED', 'You must authenticate first'))
    } else return action(client, message) ?? undefined
    return undefined
  }

  async #authenticate(client: MarketClient, message: Message): Promise<void> {
    const { broker, fanOut, verifyKey } = this.#parts
    const key = message.api_key ?? message.apikey
    if (typeof key !== 'string' || key === '') {
      client.send(errorFrame('AUTHENTICATION_ERROR', 'API key is required'))
      return
    }
    const principal = await verifyKey(key)
    if (!client.open) return
    if (!principal) {
      client.send(errorFrame('AUTHENTICATION_ERROR', 'Invalid API key'))
      client.refuseKey(key)
      if (client.failedSignIns >= MAX_FAILED_SIGN_INS) client.close(SIGNED_OUT, 'too many failed attempts')
      return
    }
    // Subscriptions count against the user's limit, so those of the previous user end here.
    if (client.principal && client.username !== principal.username) fanOut.unsubscribeAll(client)
    client.signIn(principal)
    const modes = (broker.connected() && broker.manifest().streaming?.modes) || []
    client.send({
      type: 'auth',
      status: 'success',
      message: 'Authentication successful',
      broker: broker.id(),
      user_id: principal.username,
      supported_features: { ltp: modes.includes(1), quote: modes.includes(2), depth: modes.includes(3) },
    })
  }

  async #subscribe(client: MarketClient, message: Message): Promise<void> {
    const { broker, subscriptions } = this.#parts
    const { acks, added } = await subscriptions.follow(client, message)
    client.send({
      type: 'subscribe',
      status: acks.some(({ status }) => status === 'error') ? 'partial' : 'success',
      subscriptions: acks,
      message: 'Subscription processing complete',
      broker: broker.id(),
      ...requestId(message),
    })
    await subscriptions.catchUp(client, added)
  }

  async #unsubscribe(client: MarketClient, message: Message): Promise<void> {
    if (message.unsubscribe_all === true) {
      this.#unsubscribeAll(client, message)
      return
    }
    const { successful, failed } = await this.#parts.subscriptions.unfollow(client, message)
    this.#ackUnsubscribe(client, message, successful, failed)
  }

  #unsubscribeAll(client: MarketClient, message: Message): void {
    this.#ackUnsubscribe(client, message, this.#parts.subscriptions.unfollowAll(client), [])
  }

  #ackUnsubscribe(client: MarketClient, message: Message, successful: Ack[], failed: Ack[]): void {
    client.send({
      type: 'unsubscribe',
      status: failed.length === 0 ? 'success' : successful.length === 0 ? 'error' : 'partial',
      message: 'Unsubscription processing complete',
      successful,
      failed,
      broker: this.#parts.broker.id(),
      ...requestId(message),
    })
  }

  #setOrders(client: MarketClient, message: Message, isOn: boolean): void {
    client.wantsOrders = isOn
    client.send({
      type: isOn ? 'subscribe_orders' : 'unsubscribe_orders',
      status: 'success',
      message: isOn ? 'Subscribed to order updates' : 'Unsubscribed from order updates',
      ...requestId(message),
    })
  }

  #brokerInfo(client: MarketClient): void {
    const { broker } = this.#parts
    client.send({
      type: 'broker_info',
      status: 'success',
      broker: broker.id(),
      adapter_status: broker.status(),
      user_id: client.username,
    })
  }

  #supportedBrokers(client: MarketClient): void {
    const brokers = this.#parts.broker.supported()
    client.send({ type: 'supported_brokers', status: 'success', brokers, count: brokers.length })
  }

  #pong(client: MarketClient, message: Message): void {
    client.send({
      type: 'pong',
      status: 'success',
      server_timestamp: this.#parts.clock.now(),
      client_timestamp: message.timestamp,
      _pingId: message._pingId,
    })
  }
}

function refuse(client: MarketClient, error: unknown): void {
  client.send(
    errorFrame(error instanceof BadRequest ? error.code : 'PROCESSING_ERROR', publicMessageOf(error)),
  )
}

const requestId = (message: Message): Message =>
  message.request_id === undefined ? {} : { request_id: message.request_id }

/** Returns the action as an error shows it. Clients of this protocol know a missing action as `None`. */
function shown(name: unknown): string {
  if (name === undefined || name === null) return 'None'
  return (typeof name === 'string' ? name : JSON.stringify(name)).slice(0, SHOWN_CHARACTERS)
}
