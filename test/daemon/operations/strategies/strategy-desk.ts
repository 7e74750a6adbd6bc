import { bearer, HttpDesk, type Reply } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'

/** A batch strategy that buys SBIN and nothing else, at any hour. */
export const BUY = {
  name: 'buy',
  strategy_kind: 'batch',
  strategy_type: 'positional',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  universe_tab: 'stocks_fno',
  legs: [{ segment: 'cash', position: 'B', lots: 10 }],
}

/** A signal strategy with two shares that may be sold short. */
export const SIGNALS = {
  name: 'signals',
  strategy_kind: 'signal',
  strategy_type: 'positional',
  product: 'MIS',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  legs: [
    { symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 },
    { symbol: 'INFY', exchange: 'NSE', segment: 'cash', qty: 4 },
  ],
}

/** More shares than the order book of the simulated exchange has in one second: the order fills in parts. */
export const DEEP = 8_000

export interface Hooked {
  status: number
  body: {
    status: string
    result?: string
    message: string
    strategy_id?: number
    run_id?: number
    stop_pending?: boolean
    exits?: { leg_id: number; ok: boolean; position_ref: string; exit_owner: string; error: string | null }[]
    signals?: { symbol: string; result: string; message: string; run_id?: number }[]
  }
}

/** The whole daemon behind a socket, with the real engine and the simulated broker. */
export class StrategyDesk {
  private constructor(
    readonly http: HttpDesk,
    readonly url: string,
    readonly session: { authorization: string },
  ) {}

  static async open(env: Record<string, string> = {}): Promise<StrategyDesk> {
    const http = await HttpDesk.open({ env })
    const { port } = await http.listen()
    return new StrategyDesk(http, `http://127.0.0.1:${port}`, bearer(await http.signIn()))
  }

  get service() {
    return this.http.desk.service
  }

  get clock() {
    return this.http.desk.clock
  }

  settled<T>(promise: Promise<T>): Promise<T> {
    return this.http.desk.settled(promise)
  }

  /** Stores a strategy as a signed-in user does. */
  async create(config: object, { live = false } = {}): Promise<{ id: number; token: string }> {
    const { body } = await this.ask('POST', '/strategy/api/strategies', config)
    const { data, webhook_token } = body as { data: { id: number }; webhook_token: string }
    if (live) await this.ask('POST', `/strategy/api/strategies/${data.id}/live`, { enabled: true })
    return { id: data.id, token: webhook_token }
  }

  /** Sends a session request; moves the clock on while it waits. */
  ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const call = { headers: this.session, ...(body !== undefined && { body }) }
    return this.settled(this.http.request(method, path, call))
  }

  /** Calls `/api/v1/strategy` with the user's key. */
  keyed(verb: string, body: object, apikey = this.http.apikey): Promise<Reply> {
    return this.settled(this.http.request('POST', `/api/v1/strategy/${verb}`, { body: { apikey, ...body } }))
  }

  /** Delivers an alert over the socket. The clock stands still unless the answer waits for it. */
  async hook(
    token: string,
    body: object | string | Uint8Array<ArrayBuffer>,
    { path = '', waits = true } = {},
  ): Promise<Hooked> {
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const sent = fetch(`${this.url}/strategy/webhook/${token}${path}`, { method: 'POST', body: text })
    const response = await (waits ? this.settled(sent) : sent)
    const answer = { status: response.status, body: (await response.json()) as Hooked['body'] }
    await this.service.strategyRuns.settled()
    return answer
  }

  rows(sql: string) {
    return this.service.databases.svc.queryRaw(sql)
  }

  /** The orders of all runs as `leg kind action status filled`, oldest first. */
  async orders(): Promise<string[]> {
    const rows = await this.rows('select * from strategy_orders order by id')
    return rows.map((row) => `${row.leg_id} ${row.kind} ${row.action} ${row.status} ${row.filled_qty}`)
  }

  /** The newest run. */
  async run() {
    const [row] = await this.rows('select * from strategy_runs order by id desc limit 1')
    return row
  }

  /** Moves the clock on until a condition holds. */
  async until(holds: () => boolean | Promise<boolean>, what: string, stepMs = 200): Promise<void> {
    const look = async () => {
      await this.clock.advance(stepMs)
      await this.service.strategyRuns.settled()
      return holds()
    }
    await eventually(look, what)
  }

  /** Waits until the newest run has ended, and returns it. */
  async ended() {
    await this.until(async () => (await this.run())?.stopped_at !== null, 'the run has ended')
    return this.run()
  }

  /** The signed positions at the simulated broker, without those that are closed. */
  async held(): Promise<Record<string, number>> {
    const rows = await this.settled(this.service.brokers.client().portfolio.positions())
    return Object.fromEntries(rows.flatMap((row) => (row.quantity ? [[row.symbol, row.quantity]] : [])))
  }
}
