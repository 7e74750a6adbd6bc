import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { BrokerError } from '../../../src/core/brokers/index.js'
import { EventBus } from '../../../src/core/events/index.js'
import { Identity } from '../../../src/core/identity/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import {
  type StreamMode,
  type SymbolRef,
  symbolKey,
  type Tick,
  TickHub,
} from '../../../src/core/market/index.js'
import { SecretBox } from '../../../src/core/secrets/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { MarketFanOut } from '../../../src/daemon/stream/market/fanout.js'
import { MarketSockets } from '../../../src/daemon/stream/market/socket.js'
import { MarketSubscriptions } from '../../../src/daemon/stream/market/subscriptions.js'
import { INSTRUMENTS } from '../../core/brokers/simulated/support.js'
import { deskClock } from '../../support/desk/desk-clock.js'
import { eventually } from '../../support/eventually.js'
import { tempDir } from '../../support/files/temp.js'

export const USER = 'asha'
export const SBIN: SymbolRef = { symbol: 'SBIN', exchange: 'NSE' }
export const INFY: SymbolRef = { symbol: 'INFY', exchange: 'NSE' }
export const FUTURE: SymbolRef = { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO' }
/** 20 November 2026, 11:00 IST. */
export const NOW = Date.parse('2026-11-20T11:00:00+05:30')

/** A complete quote with the given members; `levels` adds an order book with that many levels. */
export function tickOf(ref: SymbolRef, changes: Partial<Tick> = {}, levels = 0): Tick {
  const side = (sign: number) =>
    Array.from({ length: levels }, (_, level) => ({
      price: 800 + sign * (level + 1),
      quantity: 10,
      orders: 2,
    }))
  return {
    ...ref,
    ltp: 802.5,
    bid: 802.45,
    ask: 802.5,
    bidSize: 40,
    askSize: 60,
    open: 801,
    high: 805,
    low: 799,
    prevClose: 800,
    volume: 1000,
    oi: 0,
    timestamp: NOW,
    lastQuantity: 5,
    averagePrice: 801.2,
    totalBuyQuantity: 5000,
    totalSellQuantity: 6000,
    ...(levels > 0 && { depth: { buy: side(-1), sell: side(1) } }),
    ...changes,
  }
}

export interface RigOptions {
  /** Symbols in addition to those of the simulated broker. */
  symbols?: readonly SymbolRef[]
  depthLevels?: readonly number[]
  allowedOrigins?: readonly string[]
}

/**
 * The market stream on a real port with a real account, under a virtual clock; the test publishes the ticks.
 */
export async function openRig({ symbols = [], depthLevels = [5, 20], allowedOrigins }: RigOptions = {}) {
  const clock = deskClock(NOW)
  const db = await Database.open({ file: join(tempDir(), 'svc.db'), schema: 'svc' })
  const secretBox = await SecretBox.derive({ appKey: 'k'.repeat(40), salt: 'ab'.repeat(16) })
  const config = {
    pepper: 'p'.repeat(40),
    sessionExpiryTime: '03:00',
    disableSessionExpiry: false,
    reauthMinutes: 15,
  }
  const identity = await Identity.open({ db, clock, config, secretBox, log: silentLogger })
  const account = { username: USER, email: 'asha@example.org', password: 'Passw0rd!' }
  const { apiKey } = await identity.users.setup(account)

  const asked: string[] = []
  const refused = new Set<string>()
  const hub = new TickHub({
    clock,
    onListenerError: (error) => {
      throw error
    },
  })
  hub.attach({
    subscribe: (refs: readonly SymbolRef[], mode: StreamMode) => {
      const bad = refs.find((ref) => refused.has(symbolKey(ref)))
      if (bad) throw new BrokerError('not_found', `The feed has no ${bad.symbol}`, { sent: 'yes' })
      asked.push(`+${refs.map(symbolKey).join()} ${mode}`)
    },
    unsubscribe: (refs) => asked.push(`-${refs.map(symbolKey).join()}`),
  })
  const venue = { connected: true, status: 'connected' }
  const broker = {
    id: () => 'simulated',
    connected: () => venue.connected,
    manifest: () => ({ streaming: { modes: [1, 2, 3] as const, depthLevels } }),
    supported: () => ['simulated', 'zerodha'],
    status: () => venue.status,
  }
  const known = new Set([...INSTRUMENTS, ...symbols].map(symbolKey))
  const fanOut = new MarketFanOut({ hub, broker: broker.id })
  const subscriptions = new MarketSubscriptions({
    fanOut,
    broker,
    isKnown: (ref) => known.has(symbolKey(ref)),
  })
  const bus = new EventBus(silentLogger)
  const sockets = new MarketSockets({
    bus,
    clock,
    log: silentLogger,
    broker,
    fanOut,
    subscriptions,
    verifyKey: (key) => identity.apiKeys.verify(key),
    onRevoked: (listener) => identity.onRevoked(listener),
    allowedOrigins,
  })

  const server = createServer()
  const transports = new Set<Duplex>()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    transports.add(socket)
    sockets.accept({ request, socket, head })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Client[] = []
  onTestFinished(async () => {
    for (const client of clients) client.socket.terminate()
    sockets.close()
    server.close()
    await identity.close()
    await db.close()
  })

  const connect = async (options: ClientOptions = {}, path = '/'): Promise<Client> => {
    const client = new Client(new WebSocket(`ws://127.0.0.1:${port}${path}`, options))
    clients.push(client)
    await client.opened
    return client
  }
  return {
    apiKey,
    asked,
    bus,
    clock,
    connect,
    fanOut,
    hub,
    identity,
    port,
    refused,
    sockets,
    transports,
    venue,
    /** Returns a signed-in client; its sign-in answer is already taken. */
    signIn: async (): Promise<Client> => {
      const client = await connect()
      const answer = await client.ask({ action: 'authenticate', api_key: apiKey })
      if (answer.status !== 'success') throw new Error(JSON.stringify(answer))
      return client
    },
  }
}

export type Rig = Awaited<ReturnType<typeof openRig>>
export type Frame = Record<string, unknown>

/** A client of the stream that stores the frames it receives. */
export class Client {
  readonly frames: Frame[] = []
  readonly opened: Promise<unknown>
  readonly closed: Promise<{ code: number; reason: string }>

  constructor(readonly socket: WebSocket) {
    this.opened = once(socket, 'open')
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
    })
    socket.on('message', (message) => this.frames.push(JSON.parse(String(message)) as Frame))
    socket.on('error', () => undefined)
    // A refused upgrade rejects this promise; not every test awaits it.
    this.opened.catch(() => undefined)
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Returns the next frame that was not taken yet. */
  async next(): Promise<Frame> {
    await eventually(() => this.frames.length > 0, 'a frame comes')
    return this.frames.shift() ?? {}
  }

  async ask(message: unknown): Promise<Frame> {
    this.send(message)
    return this.next()
  }

  /** Waits until everything sent so far is processed and its answers have arrived, and takes them all. */
  async drained(): Promise<Frame[]> {
    const mark = Math.random()
    this.send({ action: 'ping', _pingId: mark })
    const isHere = () => this.frames.some(({ type, _pingId }) => type === 'pong' && _pingId === mark)
    await eventually(isHere, 'everything is answered')
    return this.frames.splice(0).slice(0, -1)
  }
}

/** Subscribes a client and takes the answer. */
export async function follow(
  client: Client,
  ref: SymbolRef,
  mode: unknown = 2,
  more: Frame = {},
): Promise<Frame> {
  return client.ask({ action: 'subscribe', ...ref, mode, ...more })
}
