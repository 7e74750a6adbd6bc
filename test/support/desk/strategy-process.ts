import { join } from 'node:path'
import { expect } from 'vitest'
import { exchangeLedger } from '../../../src/core/brokers/simulated/index.js'
import { eventually } from '../eventually.js'
import { damages, query } from '../files/files.js'
import { DaemonProcess } from '../process/daemon-process.js'

export type RunMode = 'live' | 'sandbox'

/** An order of a run as its strategy stores it. */
export interface StoredOrder {
  order_ref: string
  kind: string
  action: 'BUY' | 'SELL'
  status: string
  position_ref: string
  quantity: number
  filled_qty: number
  broker_order_id: string | null
}

const LIVE_FILLS = `select j.order_ref as ref, coalesce(max(f.quantity), 0) as filled from order_journal j
  left join order_fills f on f.order_ref = j.order_ref where j.strategy = ? group by j.order_ref`
const SANDBOX_FILLS = `select o.order_id as ref, coalesce(sum(t.quantity), 0) as filled from sandbox_orders o
  left join sandbox_trades t on t.order_id = o.order_id where o.strategy = ? group by o.order_id`

/** A strategy of a real daemon. */
export class Strategy {
  constructor(
    readonly desk: StrategyProcess,
    readonly id: number,
    readonly name: string,
    readonly token: string,
  ) {}

  get path(): string {
    return `/strategy/api/strategies/${this.id}`
  }

  start() {
    return this.desk.daemon.request('POST', `${this.path}/start`, { mode: this.desk.mode })
  }

  stop() {
    return this.desk.daemon.request('POST', `${this.path}/stop`)
  }

  /** Delivers a webhook call as a sender of alerts does. */
  hook(body: object) {
    const path = `/strategy/webhook/${this.token}`
    return this.desk.daemon.send<{ result?: string; run_id?: number }>(path, {
      method: 'POST',
      body: JSON.stringify(body),
    })
  }

  async status(): Promise<string> {
    return (await this.desk.daemon.request<{ data: { status: string } }>('GET', this.path)).body.data.status
  }

  orders(): Promise<StoredOrder[]> {
    const sql = 'select * from strategy_orders where strategy_id = ? order by id'
    return query<StoredOrder>(join(this.desk.daemon.home, 'svc.db'), sql, [this.id])
  }

  /** What the run's events told, in order. */
  async story(): Promise<string[]> {
    const sql = 'select ts, kind, message from strategy_events where strategy_id = ? order by id'
    const events = await query<{ ts: number; kind: string; message: string }>(
      join(this.desk.daemon.home, 'svc.db'),
      sql,
      [this.id],
    )
    return events.map(({ kind, message, ts }) => `${ts} ${kind}: ${message}`)
  }

  /** Signed units that the rows of the orders hold. */
  async held(): Promise<number> {
    return netOf(await this.orders())
  }

  /** Waits until the orders satisfy a condition. */
  async until(holds: (orders: StoredOrder[]) => boolean, what: string): Promise<void> {
    await eventually(async () => holds(await this.orders()), `${this.name}: ${what}`)
  }

  /** Stops the run, if there is one, and waits until nothing runs. */
  async end(): Promise<void> {
    if ((await this.status()) === 'running') {
      // 409: the run ended between the two requests, or a refused exit is tried again.
      expect([200, 409]).toContain((await this.stop()).status)
    }
    await this.ended()
  }

  async ended(): Promise<void> {
    const what = `${this.name}: the run has ended`
    await eventually(async () => (await this.status()) === 'stopped', what)
  }

  /**
   * Checks a strategy without a run against the records of its executor: each order was executed once and by this
   * strategy, its row tells what it filled, and every position is closed.
   */
  async expectFlat(): Promise<void> {
    const { daemon, mode } = this.desk
    const orders = await this.orders()
    const [file, sql] = mode === 'live' ? ['svc.db', LIVE_FILLS] : ['sandbox.db', SANDBOX_FILLS]
    const executed = await query<{ ref: string; filled: number }>(join(daemon.home, file), sql, [this.name])
    const fills = new Map(executed.map(({ ref, filled }) => [ref, Number(filled)]))
    const refs = orders.map(({ order_ref }) => order_ref)
    expect(refs, 'an order without a row').toEqual(expect.arrayContaining([...fills.keys()]))
    expect(new Set(refs).size).toBe(refs.length)
    const working = orders.filter(({ status }) => !['complete', 'cancelled', 'rejected'].includes(status))
    if (working.length > 0) expect({ orders, story: await this.story() }).toEqual('no order that works')
    for (const one of orders) {
      expect([one.order_ref, one.filled_qty]).toEqual([one.order_ref, fills.get(one.order_ref) ?? 0])
    }
    for (const ref of new Set(orders.map(({ position_ref }) => position_ref))) {
      expect(netOf(orders.filter(({ position_ref }) => position_ref === ref))).toBe(0)
    }
    if (mode === 'live') {
      const tags = (await exchangeLedger(join(daemon.home, 'brokers', 'simulated'))).map(({ tag }) => tag)
      for (const ref of refs) expect(tags.filter((tag) => tag === ref).length).toBeLessThanOrEqual(1)
    }
    const open = 'select id from strategy_runs where strategy_id = ? and stopped_at is null'
    expect(await query(join(daemon.home, 'svc.db'), open, [this.id])).toEqual([])
  }
}

/** A real daemon with strategies, in Live mode or in Analyzer mode, that tests kill. */
export class StrategyProcess {
  #strategies = 0

  private constructor(
    readonly daemon: DaemonProcess,
    readonly mode: RunMode,
  ) {}

  static async open(mode: RunMode): Promise<StrategyProcess> {
    const daemon = DaemonProcess.prepared({ WEBHOOK_RATE_LIMIT: '10000 per minute' })
    await daemon.start()
    await daemon.analyze(mode === 'sandbox')
    return new StrategyProcess(daemon, mode)
  }

  /** Stores a strategy under a name of its own, allowed to trade in the mode of this daemon. */
  async create(config: object): Promise<Strategy> {
    const name = `crash ${++this.#strategies}`
    const made = await this.daemon.request<{ data: { id: number }; webhook_token: string }>(
      'POST',
      '/strategy/api/strategies',
      { ...config, name },
    )
    expect(made.status).toBe(201)
    const { data, webhook_token } = made.body
    const strategy = new Strategy(this, data.id, name, webhook_token)
    if (this.mode === 'live') {
      const { status } = await this.daemon.request('POST', `${strategy.path}/live`, { enabled: true })
      expect(status).toBe(200)
    }
    return strategy
  }

  /** Closes everything that the account holds, as a person does, and waits until it is flat. */
  async closeByHand(): Promise<void> {
    expect((await this.daemon.api('closeposition', { strategy: 'by hand' })).status).toBe(200)
    const isFlat = async () => {
      const { body } = await this.daemon.api<{ data: { quantity: number }[] }>('positionbook')
      return body.data.every(({ quantity }) => Number(quantity) === 0)
    }
    await eventually(isFlat, 'the account is flat')
  }

  /** Kills the daemon and starts it again; the new process dies at a crash point. */
  async arm(point: string): Promise<void> {
    await this.daemon.crash({ env: { SVC_CRASH_AT: point } })
  }

  /** Waits until the daemon has died at its crash point, and starts it again. */
  async died(): Promise<void> {
    expect(await this.daemon.exited()).toEqual({ code: null, signal: 'SIGKILL' })
    await this.daemon.start()
  }

  /** Kills the daemon, changes its database, and starts it again. */
  async whileDown(change: (file: string) => Promise<void>): Promise<void> {
    await this.daemon.kill()
    await change(join(this.daemon.home, 'svc.db'))
    await this.daemon.start()
  }

  /** Ends the daemon and removes its home, which must be whole. */
  async close(): Promise<void> {
    await this.daemon.kill()
    const damaged = await damages(this.daemon.home)
    await this.daemon.dispose()
    expect(damaged).toEqual([])
  }
}

function netOf(orders: readonly StoredOrder[]): number {
  return orders.reduce(
    (net, { action, filled_qty }) => net + (action === 'BUY' ? filled_qty : -filled_qty),
    0,
  )
}
