import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { FAKE_ACCOUNT, FakeKite } from '../../test/fixtures/fake-kite/server.js'
import { DaemonProcess } from '../../test/support/process/daemon-process.js'
import type { Row } from '../report.js'
import { type Benchmark, median } from '../run.js'

/** The broker takes ten orders a second, so more would measure the wait for their turn. */
const PAUSE_MS = 130
const WARM_UP = 10
const ORDERS_PATH = 'POST /orders'

/**
 * How long an order takes from the client's request to the first byte at the broker: through the service, which has stored
 * it durably by then, and without it.
 */
export const firstByte: Benchmark = {
  name: 'first-byte',
  summary: 'live placeorder, from the request to the first byte at the broker',
  async run(run) {
    const fake = await FakeKite.start({ limits: 'none' })
    const gate = await Gate.before(fake.port)
    const at = `127.0.0.1:${gate.port}`
    const env = { BROKER_ENDPOINTS: `zerodha.api=http://${at},zerodha.ticker=ws://127.0.0.1:${fake.port}` }
    const daemon = new DaemonProcess({ home: run.folder(), env })
    try {
      await daemon.start()
      await daemon.signUp()
      await signIn(daemon)
      const { apikey, url } = daemon
      const ours = new Sender(Number(new URL(url).port), '/api/v1/placeorder', 'application/json')
      const theirs = new Sender(gate.port, '/orders/regular', 'application/x-www-form-urlencoded')
      const count = run.pick(600, 200, 60)
      const through: number[] = []
      const direct: number[] = []
      for (let order = 0; order < count + WARM_UP; order++) {
        // In turn, so that other load on the machine meets both.
        direct.push(await gate.timed(() => theirs.send(KITE_ORDER)))
        through.push(await gate.timed(() => ours.send(orderOf(apikey))))
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
      return rowsOf(through.slice(WARM_UP), direct.slice(WARM_UP))
    } finally {
      await daemon.dispose()
      gate.close()
      await fake.stop()
    }
  },
}

function rowsOf(through: readonly number[], direct: readonly number[]): Row[] {
  const added = through.map((value) => value - median(direct))
  const name = 'live order, request to first byte at the broker'
  return [
    { name: `${name}, p50`, value: median(through), floor: median(direct), unit: 'ms' },
    { name: `${name}, p99`, value: p99(through), floor: p99(direct), unit: 'ms' },
    { name: `${name}, added, p50`, value: median(added), unit: 'ms' },
    { name: `${name}, added, p99`, value: p99(added), unit: 'ms' },
  ]
}

const KITE_ORDER = String(
  new URLSearchParams({
    exchange: 'NSE',
    tradingsymbol: 'INFY',
    transaction_type: 'BUY',
    order_type: 'LIMIT',
    product: 'MIS',
    quantity: '1',
    price: '1450',
    validity: 'DAY',
  }),
)

function orderOf(apikey: string): string {
  const what = { symbol: 'INFY', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'MIS' }
  return JSON.stringify({ apikey, strategy: 'benchmark', ...what, pricetype: 'LIMIT', price: 1450 })
}

async function signIn(daemon: DaemonProcess): Promise<void> {
  const { accessToken, apiKey } = FAKE_ACCOUNT
  await daemon.request('POST', '/broker/use', { broker: 'zerodha' })
  await daemon.request('POST', '/broker/login', { fields: { api_key: apiKey, access_token: accessToken } })
}

function p99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN
}

/** Sends one request after the other over one kept connection. */
class Sender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(
    private readonly port: number,
    private readonly path: string,
    private readonly type: string,
  ) {}

  send(body: string): Promise<void> {
    const { accessToken, apiKey } = FAKE_ACCOUNT
    const headers = {
      'content-type': this.type,
      'content-length': Buffer.byteLength(body),
      'x-kite-version': '3',
      authorization: `token ${apiKey}:${accessToken}`,
    }
    const options = { agent: this.#agent, host: '127.0.0.1', port: this.port, path: this.path, headers }
    return new Promise((resolve, reject) => {
      const sent = request({ ...options, method: 'POST' }, (answer) => {
        answer.resume()
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve()
          else reject(new Error(`${this.path} answered ${answer.statusCode}`))
        })
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }
}

/** Stands before the broker and notes when the first byte of an order arrives. */
class Gate {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #arrived: ((at: number) => void) | undefined

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const broker = connect(port, '127.0.0.1')
      client.setNoDelay(true)
      broker.setNoDelay(true)
      client.on('data', (bytes) => {
        if (bytes.toString('latin1', 0, ORDERS_PATH.length) === ORDERS_PATH)
          this.#arrived?.(performance.now())
        broker.write(bytes)
      })
      broker.pipe(client)
      for (const socket of [client, broker]) {
        this.#sockets.add(socket)
        socket.on('error', () => socket.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          client.destroy()
          broker.destroy()
        })
      }
    })
  }

  static async before(port: number): Promise<Gate> {
    const gate = new Gate(port)
    await new Promise<void>((resolve) => gate.#server.listen(0, '127.0.0.1', resolve))
    return gate
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address()
    return typeof address === 'object' && address ? address.port : 0
  }

  /** Returns the milliseconds until the first byte of the order that `send` sends has arrived. */
  async timed(send: () => Promise<void>): Promise<number> {
    const arrival = new Promise<number>((resolve) => {
      this.#arrived = resolve
    })
    const sentAt = performance.now()
    await send()
    return (await arrival) - sentAt
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}
