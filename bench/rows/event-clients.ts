import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { WebSocketServer } from 'ws'
import { silentLogger } from '../../src/core/logging/index.js'
import type { Listener } from '../../src/daemon/stream/event-audiences.js'
import { loadEventAudiences, loadEvents, loadTime } from '../compiled.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'
import type { Order } from '../stream/clients.js'

const CLIENTS = 10
/** An order in Analyzer mode: it was accepted, its state changed, and it filled. */
const EVENTS_OF_ORDER = ['analyzer_update', 'order_update', 'analyzer_update'] as const
/** The orders whose events one turn of the event loop publishes: one alone, and a batch that shares a commit. */
const ORDERS_PER_TURN = [1, 16]
const GOAL = { of: 'value', atMost: 30 } as const
const USER = 'asha'
const NOBODY = 'ravi'
const CLIENT_FILE = fileURLToPath(new URL('../stream/clients.ts', import.meta.url))

/**
 * What clients of the event stream cost an order, in processor time of the whole process, beside the same WebSocket
 * library that sends each event to each client.
 */
export const eventClients: Benchmark = {
  name: 'event-clients',
  summary: `the processor time that ${CLIENTS} clients of /events add to an order`,
  async run(run) {
    const clients = fork(CLIENT_FILE, { execArgv: ['--import', 'tsx'] })
    try {
      const rows: Row[] = []
      for (const orders of ORDERS_PER_TURN) rows.push(await compare(clients, orders, run))
      return rows
    } finally {
      clients.kill()
    }
  },
}

async function compare(clients: ChildProcess, ordersPerTurn: number, run: Run): Promise<Row> {
  const orders = run.pick(16_000, 3_200, 800)
  const rounds: { value: number; floor: number }[] = []
  for (let round = 0; round <= run.rounds(7, 3); round++) {
    const measured = { floor: 0, value: 0 }
    for (const kind of ['floor', 'value'] as const) {
      const target = await openTarget(kind)
      const opening = {
        kind: 'open',
        port: target.port,
        messages: Array(CLIENTS).fill([]),
        answers: CLIENTS,
      } as const
      await ask(clients, opening)
      const without = await perOrder(target, NOBODY, ordersPerTurn, orders)
      const here = once(clients, 'message')
      const total = CLIENTS * (1 + orders * EVENTS_OF_ORDER.length)
      clients.send({ kind: 'expect', total } satisfies Order)
      measured[kind] = (await perOrder(target, USER, ordersPerTurn, orders)) - without
      await here
      await ask(clients, { kind: 'close' })
      target.close()
    }
    // The first round warms up.
    if (round > 0) rounds.push(measured)
  }
  const turn = ordersPerTurn === 1 ? 'one order a turn' : `${ordersPerTurn} orders a turn`
  return {
    name: `${CLIENTS} event clients, added to an order, ${turn}`,
    value: median(rounds.map(({ value }) => value)),
    floor: median(rounds.map(({ floor }) => floor)),
    unit: 'µs',
    goal: GOAL,
  }
}

/** Returns the microseconds of processor time for an order whose events belong to a user. */
async function perOrder(
  target: Target,
  user: string,
  ordersPerTurn: number,
  orders: number,
): Promise<number> {
  const before = process.cpuUsage()
  for (let order = 0; order < orders; order += ordersPerTurn) {
    for (let i = 0; i < ordersPerTurn; i++) target.publish(order + i, user)
    do await nextTurn()
    while (!target.flushed())
  }
  const { system, user: own } = process.cpuUsage(before)
  return (system + own) / orders
}

interface Target {
  port: number
  publish(order: number, user: string): void
  flushed(): boolean
  close(): void
}

/** Opens the event stream to clients: as the daemon writes it, or with one `send` for each event and client. */
async function openTarget(kind: 'floor' | 'value'): Promise<Target> {
  const [{ EventStream }, { SystemClock }, { EventAudiences }] = await Promise.all([
    loadEvents(),
    loadTime(),
    loadEventAudiences(),
  ])
  const numbers = { reserved: async () => 0, reserve: async () => undefined }
  const stream = await EventStream.open(new SystemClock(), silentLogger, numbers)
  const audiences = new EventAudiences(stream)
  const everything = { name: 'everything', maySee: () => true }
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const listeners: Listener[] = []
  const server = createServer()
  server.on('upgrade', (request, transport, head) => {
    sockets.handleUpgrade(request, transport, head, (socket) => {
      const listener = { username: USER, socket, transport }
      listeners.push(listener)
      socket.send('connected')
      socket.on('error', () => socket.terminate())
      if (kind === 'value') audiences.join(listener, everything)
      else stream.subscribe(USER, (frame) => socket.send(frame.text))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    publish: (order, user) => {
      for (const event of EVENTS_OF_ORDER) stream.publish(event, dataOf(order), user)
    },
    flushed: () => listeners.every(({ transport }) => transport.destroyed || transport.writableLength === 0),
    close: () => {
      for (const listener of listeners) {
        audiences.leave(listener)
        listener.socket.terminate()
      }
      server.close()
    },
  }
}

const dataOf = (order: number) => ({
  mode: 'analyze',
  user_id: USER,
  orderid: `26112000${order}`,
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  price: 800.05,
  trigger_price: 0,
  pricetype: 'MARKET',
  product: 'MIS',
  order_status: 'complete',
  filled_quantity: 10,
  pending_quantity: 0,
  average_price: 800.05,
  rejection_reason: '',
  broker: 'sandbox',
})

async function ask(clients: ChildProcess, order: Order): Promise<void> {
  const answer = once(clients, 'message')
  clients.send(order)
  await answer
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
