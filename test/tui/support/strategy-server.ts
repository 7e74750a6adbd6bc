import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { SvcClient } from '../../../src/client/index.js'
import type { DaemonAccess } from '../../../src/tui/live/live-feed.js'

const AT = '2026-11-20T04:45:00+00:00'
const LEG = {
  segment: 'options',
  position: 'S',
  lots: 1,
  strike_mode: 'atm',
  atm_offset: 'ATM',
  strike: null,
}
const RISK = { expiry: 'weekly', sl_pts: 10, target_pts: 20, trail: null, risk_unit: 'points', reentry: null }

const JSON_TYPE = { 'content-type': 'application/json' }

/** A short straddle of two legs. */
export const LEGS = [
  { id: 1, ...LEG, ...RISK, option_type: 'CE' },
  { id: 2, ...LEG, ...RISK, option_type: 'PE' },
]

const order = (id: number, leg: number, symbol: string) => ({
  ...{ id, run_id: 31, leg_id: leg, kind: 'entry', position_ref: `p${leg}`, symbol, action: 'SELL' },
  ...{ qty: 75, filled_qty: 75, avg_fill_price: 100, status: 'complete' },
})

/** The routes and events of strategies, with one batch strategy that a test changes. */
export class StrategyServer {
  account = { username: 'asha', analyze_mode: false, order_mode: 'auto', broker: 'zerodha' }
  strategy = {
    ...{ id: 3, name: 'Straddle', strategy_kind: 'batch', underlying: 'NIFTY', status: 'stopped' },
    ...{ live_enabled: true, webhook_locked: false, current_run_id: null as number | null, legs: LEGS },
    last_finalized_run: { id: 30, pnl_realized: -250.5, stopped_at: AT },
  }
  orders = [order(1, 1, 'NIFTY24NOV26C'), order(2, 2, 'NIFTY24NOV26P')]
  events = [
    {
      id: 9,
      run_id: 31,
      ts: AT,
      kind: 'leg_exit_rejected',
      severity: 'critical',
      message: 'Exit rejected on leg 1: no margin',
      payload: null,
    },
    {
      id: 8,
      run_id: 31,
      ts: AT,
      kind: 'run_started',
      severity: 'info',
      message: 'Run started in sandbox mode (manual)',
      payload: null,
    },
  ]
  checkpointAt = new Date().toISOString()
  checkpoint: { legs: { legId: number; ltp: number; source: string; positions: object[] }[] } = { ...STATE }
  /** The requests that change something, with their bodies. */
  readonly changes: string[] = []
  refusal: { status: number; body: object } | undefined
  /** True if changes get no answer. */
  isSilent = false
  #port = 0
  readonly #server = createServer()
  readonly #events = new WebSocketServer({ server: this.#server, path: '/events' })

  static async started(): Promise<StrategyServer> {
    const server = new StrategyServer()
    server.#server.on('request', (request, response) => {
      void server.#answer(request).then((answer) => {
        if (answer === undefined) response.destroy()
        else response.writeHead(answer.status, JSON_TYPE).end(JSON.stringify(answer.body))
      })
    })
    server.#events.on('connection', (socket) => socket.send(frame('connected')))
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    const address = server.#server.address()
    if (typeof address === 'object' && address) server.#port = address.port
    onTestFinished(() => server.stop())
    return server
  }

  async stop(): Promise<void> {
    for (const socket of this.#events.clients) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get access(): DaemonAccess {
    const url = () => `http://127.0.0.1:${this.#port}`
    return { client: (timeoutMs) => new SvcClient({ url: url(), token: 'session', timeoutMs }) }
  }

  run(): void {
    this.strategy = { ...this.strategy, status: 'running', current_run_id: 31 }
    this.publish('strategy_event')
  }

  publish(event: string, data: object = {}): void {
    for (const socket of this.#events.clients) socket.send(frame(event, data))
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object } | undefined> {
    const { pathname } = new URL(request.url ?? '', 'http://strategies')
    if (request.method === 'GET') {
      return { status: 200, body: { status: 'success', data: this.#data(pathname) } }
    }
    let text = ''
    for await (const chunk of request) text += String(chunk)
    this.changes.push(`${pathname.replace('/strategy/api/strategies/', '')}${text}`)
    if (this.isSilent) return undefined
    if (this.refusal) return this.refusal
    const result = {
      run_id: 31,
      mode: 'sandbox',
      legs: [],
      exits: [],
      stop_pending: false,
      run_stopped: !pathname.includes('/legs/'),
    }
    if (pathname.endsWith('start')) this.run()
    return { status: 200, body: { status: 'success', message: 'Webhook locked', ...result } }
  }

  #data(pathname: string): unknown {
    const runs = [
      {
        id: 31,
        mode: 'sandbox',
        trigger_source: 'manual',
        started_at: AT,
        stop_requested_reason: null,
        pnl_realized: 0,
      },
    ]
    if (pathname === '/auth/whoami') return this.account
    if (pathname.endsWith('/strategies')) return [this.strategy]
    const isRunning = this.strategy.current_run_id !== null
    if (pathname.endsWith('/runs')) return isRunning ? runs : []
    if (pathname.endsWith('/events')) return this.events
    if (pathname.endsWith('/orders')) return this.orders
    if (pathname.endsWith('/checkpoints'))
      return [{ id: 1, ts: this.checkpointAt, leg_state: this.checkpoint }]
    return this.strategy
  }
}

const position = (ref: string, trailStop: number | null) => ({
  positionRef: ref,
  trailStop,
  isStopAtEntry: false,
})
const STATE = {
  legs: [
    { legId: 1, ltp: 92, source: 'ws', positions: [position('p1', 104)] },
    { legId: 2, ltp: 105, source: 'ws', positions: [position('p2', null)] },
  ],
}

const frame = (event: string, data: object = {}) =>
  JSON.stringify({ type: 'event', event, seq: 1, data, ts: 0 })
