import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { SvcClient } from '../../../src/client/index.js'
import type { Approval } from '../../../src/tui/approvals/queue.js'
import type { DaemonAccess } from '../../../src/tui/live/live-feed.js'

const IST = '2026-11-20 10:15:00 IST'

export function order(id: number, fields: Partial<Approval> = {}): Approval {
  return {
    id,
    user_id: 'asha',
    api_type: 'placeorder',
    status: 'pending',
    created_at_ist: IST,
    created_at: IST,
    strategy: 'demo',
    symbol: `SYM${id}`,
    exchange: 'NSE',
    action: 'BUY',
    quantity: 10,
    price: '812.5',
    trigger_price: '0',
    price_type: 'LIMIT',
    product_type: 'MIS',
    approved_at_ist: null,
    approved_by: null,
    rejected_at_ist: null,
    rejected_by: null,
    rejected_reason: null,
    broker_order_id: null,
    broker_status: null,
    queued_mode: 'live',
    created_ltp: 810,
    expires_at: null,
    execution: null,
    order_ref: null,
    execution_error: null,
    raw_order_data: { symbol: `SYM${id}`, quantity: 10 },
    last_price: 815.25,
    ...fields,
  }
}

/** The routes and events of the approval queue, with rows that a test sets. */
export class QueueServer {
  rows: Approval[] = []
  account = { username: 'asha', analyze_mode: false, order_mode: 'semi_auto', broker: 'zerodha' }
  /** The requests that change something, with their bodies. */
  readonly changes: string[] = []
  /** The refusal of the next approvals. */
  refusal: { status: number; body: object } | undefined
  #port = 0
  #server = createServer()
  #events = new WebSocketServer({ noServer: true })

  static async started(rows: Approval[]): Promise<QueueServer> {
    const server = new QueueServer()
    server.rows = rows
    await server.start()
    onTestFinished(() => server.stop())
    return server
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      })
    })
    this.#events = new WebSocketServer({ server: this.#server, path: '/events' })
    this.#events.on('connection', (socket) => socket.send(frame('connected')))
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    const address: AddressInfo | string | null = this.#server.address()
    if (typeof address === 'object' && address) this.#port = address.port
  }

  async stop(): Promise<void> {
    for (const socket of this.#events.clients) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get access(): DaemonAccess {
    return {
      client: (timeoutMs) =>
        new SvcClient({ url: `http://127.0.0.1:${this.#port}`, token: 'session', timeoutMs }),
    }
  }

  /** Changes a row, as another client does, and publishes it. */
  change(id: number, fields: Partial<Approval>): void {
    this.rows = this.rows.map((row) => (row.id === id ? { ...row, ...fields } : row))
    this.publish('pending_order_updated')
  }

  add(row: Approval): void {
    this.rows = [row, ...this.rows]
    this.publish('pending_order_created')
  }

  publish(event: string): void {
    for (const socket of this.#events.clients) socket.send(frame(event))
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const url = new URL(request.url ?? '', 'http://queue')
    if (url.pathname === '/auth/whoami')
      return { status: 200, body: { status: 'success', data: this.account } }
    if (request.method === 'GET') return { status: 200, body: this.#page(url.searchParams) }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    this.changes.push(`${url.pathname}${text}`)
    const [, act, id] = /(approve|reject)\/(\d+)$/.exec(url.pathname) ?? []
    if (act === 'approve' && this.refusal) return this.refusal
    if (act === 'approve') this.change(Number(id), APPROVED)
    else this.change(Number(id), { ...REJECTED, rejected_reason: JSON.parse(text || '{}').reason })
    return { status: 200, body: { status: 'success', message: 'done' } }
  }

  #page(query: URLSearchParams): object {
    const status = query.get('status')
    const before = Number(query.get('before') ?? Number.MAX_SAFE_INTEGER)
    const found = this.rows.filter((row) => (status === 'all' || row.status === status) && row.id < before)
    const orders = found.slice(0, Number(query.get('limit') ?? 1000))
    return { status: 'success', data: { orders, statistics: {}, total: found.length } }
  }
}

const APPROVED: Partial<Approval> = {
  ...{ status: 'approved', approved_by: 'asha', approved_at_ist: IST },
  ...{ execution: 'done', broker_order_id: '2611' },
}
const REJECTED: Partial<Approval> = { status: 'rejected', rejected_by: 'asha', rejected_at_ist: IST }

const frame = (event: string) => JSON.stringify({ type: 'event', event, seq: 1, data: {}, ts: 0 })
