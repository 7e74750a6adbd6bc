import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'

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
  id,
  run_id: 31,
  leg_id: leg,
  kind: 'entry',
  position_ref: `p${leg}`,
  symbol,
  action: 'SELL',
  qty: 75,
  filled_qty: 75,
  avg_fill_price: 100,
  status: 'complete',
})

/** The routes and events of strategies, with one batch strategy that a test changes. */
export class StrategyServer {
  account = { username: 'asha', analyze_mode: false, order_mode: 'auto', broker: 'zerodha' }
  strategy = {
    id: 3,
    name: 'Straddle',
    strategy_kind: 'batch',
    strategy_type: 'positional',
    entry_time: null as string | null,
    exit_time: null as string | null,
    product: 'NRML',
    underlying: 'NIFTY',
    status: 'stopped',
    updated_at: AT,
    live_enabled: true,
    webhook_locked: false,
    current_run_id: null as number | null,
    legs: LEGS,
    run_state: null as 'reserved' | null,
    last_finalized_run: { id: 30, pnl_realized: -250.5, stopped_at: AT },
  }
  /** True for a stopped strategy that has run before. */
  hasRun = false
  /** The mode of the run. */
  mode: 'sandbox' | 'live' = 'sandbox'
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
  /** The legs of the run, as the stream sends them. */
  legs: { leg_id: number; ltp: number | null; tick_source: string }[] = LIVE_LEGS
  /** The requests that change something, with their bodies. */
  readonly changes: string[] = []
  refusal: { status: number; body: object } | undefined
  /** The strategies after the first one, which never run. */
  others: { id: number; name: string }[] = []
  /** The times that the list was read. */
  reads = 0
  /** True if changes get no answer. */
  isSilent = false
  /** True if the runs of a strategy are read without an answer. */
  isHeld = false
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
    server.#events.on('connection', (socket) => {
      socket.send(frame('connected'))
      socket.on('message', (text) => {
        const { action } = JSON.parse(String(text))
        if (action === 'strategy_subscribe') server.sendRun('strategy_snapshot', server.#run())
      })
    })
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
    this.sendRun('strategy_snapshot', this.#run())
  }

  /** Sends a frame of the run to every client. */
  sendRun(type: string, members: object): void {
    const text = JSON.stringify({ type, strategy_id: 3, ...members, ts_ms: Date.now() })
    for (const socket of this.#events.clients) socket.send(text)
  }

  #run(): object {
    if (this.strategy.current_run_id === null) return { run_id: null, legs: [] }
    return { run_id: 31, mode: this.mode, state: 'running', mtm_total: 225, legs: this.legs }
  }

  publish(event: string, data: object = {}): void {
    for (const socket of this.#events.clients) socket.send(frame(event, data))
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body: object } | undefined> {
    const { pathname } = new URL(request.url ?? '', 'http://strategies')
    if (request.method === 'GET') {
      if (this.isHeld && pathname.endsWith('/runs')) await new Promise(() => undefined)
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
        mode: this.mode,
        trigger_source: 'manual',
        started_at: AT,
        stop_requested_reason: null,
        reserved_at: this.strategy.run_state === 'reserved' ? AT : null,
        pnl_realized: 0,
      },
    ]
    if (pathname === '/auth/whoami') return this.account
    if (pathname.endsWith('/strategies')) {
      this.reads += 1
      return [this.strategy, ...this.others]
    }
    const other = this.others.find(({ id }) => pathname.includes(`/strategies/${id}`))
    if (other !== undefined) return /\d$/.test(pathname) ? other : []
    const isRunning = this.strategy.current_run_id !== null
    if (pathname.endsWith('/runs')) return isRunning || this.hasRun ? runs : []
    if (pathname.endsWith('/events')) return this.events
    if (pathname.endsWith('/orders')) return this.orders
    return this.strategy
  }
}

const live = (leg: number, symbol: string, ltp: number, stop: number) => ({
  leg_id: leg,
  symbol,
  exchange: 'NFO',
  position: 'S',
  qty: 75,
  status: 'open',
  ltp,
  entry_avg: 100,
  mtm: (100 - ltp) * 75,
  realized_pnl: 0,
  effective_sl: stop,
  effective_target: 80,
  tick_source: 'ws',
})
const LIVE_LEGS = [live(1, 'NIFTY24NOV26C', 92, 104), live(2, 'NIFTY24NOV26P', 105, 110)]

const frame = (event: string, data: object = {}) =>
  JSON.stringify({ type: 'event', event, seq: 1, data, ts: 0 })
