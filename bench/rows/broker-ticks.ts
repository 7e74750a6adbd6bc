import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { WebSocket, WebSocketServer } from 'ws'
import { FakeAngel } from '../../test/fixtures/fake-angel/server.js'
import { FakeDhan } from '../../test/fixtures/fake-dhan/server.js'
import { FakeKite } from '../../test/fixtures/fake-kite/server.js'
import { FakeUpstox } from '../../test/fixtures/fake-upstox/server.js'
import { DaemonProcess } from '../../test/support/process/daemon-process.js'
import { EVERY_FAKE_BROKER, type FakeBroker } from '../../test/support/process/fake-brokers.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

/** A fake broker in this process: a price that moves here is on its feed at once. */
interface Fake {
  port: number
  setPrice(key: string, price: number): void
  stop(): Promise<void>
}

/** How the fake of a broker is started, and what it calls the share. */
interface Start {
  fake(limits: 'none'): Promise<Fake>
  key: string
}

const STARTS: Readonly<Record<string, Start>> = {
  zerodha: { key: 'NSE:SBIN', fake: (limits) => FakeKite.start({ limits }) },
  dhan: { key: 'NSE_EQ:3045', fake: (limits) => FakeDhan.start({ limits }) },
  angel: { key: 'NSE:SBIN-EQ', fake: (limits) => FakeAngel.start({ limits }) },
  upstox: { key: 'NSE_EQ|INE062A01020', fake: (limits) => FakeUpstox.start({ limits }) },
}

const SBIN = { symbol: 'SBIN', exchange: 'NSE' } as const
const WARM_UP = 20
/** No two ticks share a turn of the event loop on either side. */
const PAUSE_MS = 5
const LIMIT_MS = 10_000
const FEED_PAUSE_MS = 100

/**
 * How long a price takes from the feed of a broker, in the broker's own frames, through the service to a client of the market
 * stream. The floor is one message over one bare WebSocket.
 */
export const brokerTicks: Benchmark = {
  name: 'broker-ticks',
  summary: 'a price, from the feed of each broker to a client of the market stream',
  async run(run) {
    const rows: Row[] = []
    for (const broker of EVERY_FAKE_BROKER) rows.push(...(await measured(broker, run)))
    return rows
  },
}

async function measured(broker: FakeBroker, run: Run): Promise<Row[]> {
  const start = STARTS[broker.id]
  if (!start) throw new Error(`bench/rows/broker-ticks.ts starts no fake of ${broker.id}`)
  const fake = await start.fake('none')
  const endpoints = Object.entries(broker.endpoints(`127.0.0.1:${fake.port}`))
  const env = { BROKER_ENDPOINTS: endpoints.map(([name, address]) => `${name}=${address}`).join(',') }
  const daemon = new DaemonProcess({ home: run.folder(), env })
  try {
    await daemon.start()
    await daemon.signUp()
    await daemon.request('POST', '/broker/use', { broker: broker.id })
    await daemon.request('POST', '/broker/login', { fields: broker.fields })
    const prices = await Prices.of(daemon)
    const move = (price: number) => fake.setPrice(start.key, price)
    await prices.begun(move)
    const bare = await Bare.open()
    const count = run.pick(4000, 1000, 200)
    const through: number[] = []
    const direct: number[] = []
    for (let tick = 0; tick < count + WARM_UP; tick++) {
      // In turn, so that other load on the machine meets both.
      direct.push(await bare.timed())
      const price = 800 + (tick % 2 === 0 ? 0.5 : 1)
      through.push(await prices.timed(price, () => move(price)))
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    prices.close()
    bare.close()
    return rowsOf(broker.id, through.slice(WARM_UP), direct.slice(WARM_UP))
  } finally {
    await daemon.dispose()
    await fake.stop()
  }
}

function rowsOf(id: string, through: readonly number[], direct: readonly number[]): Row[] {
  const name = `a tick of ${id}, from its feed to the client`
  return [
    { name: `${name}, p50`, value: median(through), floor: median(direct), unit: 'ms' },
    { name: `${name}, p99`, value: p99(through), floor: p99(direct), unit: 'ms' },
  ]
}

function p99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
}

/** A client of the market stream that waits for one price after the other. */
class Prices {
  #awaited: { price: number; arrived(): void } | undefined
  #count = 0

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (text) => {
      const frame: { type: string; data?: { ltp?: number } } = JSON.parse(String(text))
      if (frame.type !== 'market_data') return
      this.#count += 1
      if (frame.data?.ltp === this.#awaited?.price) this.#awaited?.arrived()
    })
  }

  static async of({ apikey, home }: DaemonProcess): Promise<Prices> {
    const { ws_url }: { ws_url: string } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8'))
    const socket = new WebSocket(ws_url)
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'authenticate', api_key: apikey }))
    const acknowledged = new Promise<void>((resolve) => {
      socket.on('message', (text) => {
        if (String(text).includes('"type":"subscribe"')) resolve()
      })
    })
    socket.send(JSON.stringify({ action: 'subscribe', ...SBIN, mode: 'LTP' }))
    await acknowledged
    return new Prices(socket)
  }

  /** Moves the price until one arrives: the feed of the broker opens after the client has subscribed. */
  async begun(move: (price: number) => void): Promise<void> {
    const endsAt = performance.now() + LIMIT_MS
    for (let price = 801; this.#count === 0; price += 0.5) {
      if (performance.now() > endsAt) throw new Error('no price arrived')
      move(price)
      await new Promise((resolve) => setTimeout(resolve, FEED_PAUSE_MS))
    }
  }

  /** Returns the milliseconds from the move of a price until this client has it. */
  async timed(price: number, move: () => void): Promise<number> {
    const arrival = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the price ${price} did not arrive`)), LIMIT_MS)
      this.#awaited = {
        price,
        arrived: () => {
          clearTimeout(late)
          resolve()
        },
      }
    })
    const movedAt = performance.now()
    move()
    await arrival
    return performance.now() - movedAt
  }

  close(): void {
    this.socket.terminate()
  }
}

/** One WebSocket from this process to itself. */
class Bare {
  private constructor(
    private readonly server: WebSocketServer,
    private readonly sender: WebSocket,
    private readonly receiver: WebSocket,
  ) {}

  static async open(): Promise<Bare> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await once(server, 'listening')
    const { port } = addressOf(server.address())
    const receiver = new WebSocket(`ws://127.0.0.1:${port}`)
    const [[sender]] = await Promise.all([once(server, 'connection'), once(receiver, 'open')])
    return new Bare(server, sender, receiver)
  }

  async timed(): Promise<number> {
    const arrival = once(this.receiver, 'message')
    const sentAt = performance.now()
    this.sender.send('800.5')
    await arrival
    return performance.now() - sentAt
  }

  close(): void {
    this.receiver.terminate()
    this.server.close()
  }
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (typeof address === 'object' && address) return address
  throw new Error('the server has no port')
}
