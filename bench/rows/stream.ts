import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type WebSocket, WebSocketServer } from 'ws'
import { silentLogger } from '../../src/core/logging/index.js'
import type { SymbolRef, Tick } from '../../src/core/market/index.js'
import { loadEvents, loadMarket, loadStream, loadTime } from '../compiled.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'
import type { Order } from '../stream/clients.js'

const CLIENTS = 50
const SYMBOLS_EACH = 100
const ROUNDS_PER_CHECK = 20
const GOAL = { of: 'ratio', atLeast: 0.6 } as const
const KEY = 'k'

/**
 * The ticks that the market stream delivers, compared with a bare loop over the same WebSocket library, in
 * its own process, that broadcasts the same prepared bytes to the same clients. Both are measured in turn.
 */
export const stream: Benchmark = {
  name: 'stream',
  summary: `ticks delivered to ${CLIENTS} clients of ${SYMBOLS_EACH} symbols each, beside a bare ws loop`,
  async run(run) {
    const clients = fork(CLIENT_FILE, { execArgv: ['--import', 'tsx'] })
    try {
      return [await compare(clients, true, run), await compare(clients, false, run)]
    } finally {
      clients.kill()
    }
  },
}

/**
 * A server under test: publishes one tick of a symbol, and reports whether all bytes have left the process.
 */
interface Target {
  port: number
  /** The first messages of each client. */
  messages: readonly unknown[]
  /** The number of frames that the clients receive before the first tick. */
  answers: number
  publish(symbol: number): void
  flushed(): boolean
  close(): void
}

const CLIENT_FILE = fileURLToPath(new URL('../stream/clients.ts', import.meta.url))

function tickOf(ref: SymbolRef): Tick {
  return {
    ...ref,
    ltp: 1424.05,
    bid: 1424,
    ask: 1424.05,
    bidSize: 120,
    askSize: 85,
    open: 1415,
    high: 1432.5,
    low: 1408,
    prevClose: 1418,
    volume: 1_204_511,
    oi: 0,
    timestamp: 1_748_428_245_123,
    lastQuantity: 25,
    averagePrice: 1421.37,
    totalBuyQuantity: 512_300,
    totalSellQuantity: 498_120,
  }
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function bareLoop(universe: readonly SymbolRef[]): Promise<Target> {
  const { tickFrame } = await loadStream()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const server = createServer()
  const view = { mode: 2, levels: 5 } as const
  const feeds = universe.map((ref) => ({
    bytes: Buffer.from(tickFrame(tickOf(ref), { ...view, symbol: ref.symbol }, { broker: 'simulated' })),
    clients: [] as WebSocket[],
  }))
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      for (const feed of feeds) feed.clients.push(client)
      client.send('joined')
    })
  })
  return {
    port: await listening(server),
    messages: [],
    answers: CLIENTS,
    publish: (symbol) => {
      const feed = feeds[symbol]
      for (const client of feed?.clients ?? []) client.send(feed?.bytes ?? '', { binary: false })
    },
    flushed: () => [...sockets.clients].every((client) => client.bufferedAmount === 0),
    close: () => {
      for (const client of sockets.clients) client.terminate()
      server.close()
    },
  }
}

async function marketStream(universe: readonly SymbolRef[]): Promise<Target> {
  const [{ EventBus }, { TickHub }, { SystemClock }, { MarketFanOut, MarketSockets, MarketSubscriptions }] =
    await Promise.all([loadEvents(), loadMarket(), loadTime(), loadStream()])
  const clock = new SystemClock()
  const hub = new TickHub({ clock, onListenerError: (error) => console.error(error) })
  const broker = {
    id: () => 'simulated',
    connected: () => true,
    manifest: () => ({ streaming: { modes: [1, 2, 3] as const, depthLevels: [5] } }),
    supported: () => ['simulated'],
    status: () => 'connected',
  }
  const fanOut = new MarketFanOut({ hub, broker: broker.id })
  const subscriptions = new MarketSubscriptions({
    fanOut,
    broker,
    isKnown: ({ symbol }) => symbol.startsWith('SYMBOL'),
  })
  const sockets = new MarketSockets({
    bus: new EventBus(silentLogger),
    clock,
    log: silentLogger,
    broker,
    fanOut,
    subscriptions,
    verifyKey: async () => ({ username: 'asha', credential: 'api_key', credentialId: '1', scopes: ['read'] }),
    onRevoked: () => () => undefined,
  })
  const server = createServer()
  const transports = new Set<{ writableLength: number; destroyed: boolean }>()
  server.on('upgrade', (request, socket, head) => {
    transports.add(socket)
    sockets.accept({ request, socket, head })
  })
  const ticks = universe.map(tickOf)
  return {
    port: await listening(server),
    messages: [
      { action: 'authenticate', api_key: KEY },
      { action: 'subscribe', symbols: universe, mode: 2 },
    ],
    answers: CLIENTS * 2,
    publish: (symbol) => {
      const tick = ticks[symbol]
      if (tick) hub.publish(tick)
    },
    flushed: () =>
      [...transports].every(({ destroyed, writableLength }) => destroyed || writableLength === 0),
    close: () => {
      sockets.close()
      server.close()
    },
  }
}

async function ask(clients: ChildProcess, order: Order): Promise<void> {
  const answer = once(clients, 'message')
  clients.send(order)
  await answer
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/**
 * Publishes every symbol in turn for some seconds. A round starts as soon as the bytes of the last one have
 * left. It publishes all symbols in one turn of the event loop, like a feed that sends them together, or each
 * symbol in its own turn.
 * @returns ticks delivered per second
 */
async function measure(target: Target, clients: ChildProcess, together: boolean, seconds: number) {
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < seconds * 1000) {
    sent += CLIENTS * SYMBOLS_EACH * ROUNDS_PER_CHECK
    const here = once(clients, 'message')
    clients.send({ kind: 'expect', total: target.answers + sent } satisfies Order)
    for (let round = 0; round < ROUNDS_PER_CHECK; round++) {
      for (let symbol = 0; symbol < SYMBOLS_EACH; symbol++) {
        target.publish(symbol)
        if (!together) await nextTurn()
      }
      do await nextTurn()
      while (!target.flushed())
    }
    await here
  }
  return sent / ((performance.now() - startedAt) / 1000)
}

async function compare(clients: ChildProcess, together: boolean, run: Run): Promise<Row> {
  const universe = Array.from({ length: SYMBOLS_EACH }, (_, i) => ({ symbol: `SYMBOL${i}`, exchange: 'NSE' }))
  const rateOf = async (start: (universe: readonly SymbolRef[]) => Promise<Target>, seconds: number) => {
    const target = await start(universe)
    const messages = Array.from({ length: CLIENTS }, () => target.messages)
    await ask(clients, { kind: 'open', port: target.port, messages, answers: target.answers })
    const rate = await measure(target, clients, together, seconds)
    await ask(clients, { kind: 'close' })
    target.close()
    return rate
  }
  const seconds = run.seconds(2, 0.7)
  const rounds: { value: number; floor: number }[] = []
  for (let round = 0; round <= run.rounds(5, 2); round++) {
    const floor = await rateOf(bareLoop, seconds)
    const value = await rateOf(marketStream, seconds)
    // The first round warms up.
    if (round > 0) rounds.push({ value, floor })
  }
  return {
    name: `stream to ${CLIENTS} clients, ${together ? 'all symbols in one turn' : 'one symbol a turn'}`,
    value: median(rounds.map(({ value }) => value)),
    floor: median(rounds.map(({ floor }) => floor)),
    ratio: median(rounds.map(({ value, floor }) => value / floor)),
    unit: 'ticks/s',
    goal: GOAL,
  }
}
