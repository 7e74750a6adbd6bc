import { StrategyCatalog } from '../../../../src/core/strategies/catalog/catalog.js'
import { RunStore } from '../../../../src/core/strategies/runs/index.js'
import { StrategyEventStore } from '../../../../src/core/strategies/store/event-store.js'
import { StrategyStore } from '../../../../src/core/strategies/store/strategy-store.js'
import { StrategyVersionStore } from '../../../../src/core/strategies/store/version-store.js'
import type { VirtualClock } from '../../../../src/core/time/index.js'
import { ApiRig, type Mode } from '../../../daemon/operations/api-rig.js'
import { type DeskOptions, USER } from '../../../support/desk/desk.js'
import { eventually } from '../../../support/eventually.js'

/** Two shares: one bought, one sold, intraday. */
export const PAIR = {
  name: 'pair',
  strategy_kind: 'batch',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  universe_tab: 'stocks_fno',
  strategy_type: 'intraday',
  entry_time: '09:20',
  exit_time: '15:15',
  product: 'MIS',
  legs: [
    { segment: 'cash', position: 'S', lots: 5 },
    { segment: 'cash', position: 'B', lots: 10 },
  ],
}

export const SIGNALS = {
  name: 'signals',
  strategy_kind: 'signal',
  underlying: 'SBIN',
  underlying_exchange: 'NSE',
  strategy_type: 'intraday',
  entry_time: '09:20',
  exit_time: '15:15',
  product: 'MIS',
  legs: [{ symbol: 'SBIN', exchange: 'NSE', segment: 'cash', qty: 10 }],
}

/** A complete service with a user who has an API key, and a catalog of strategies on its database. */
export class RunRig {
  readonly catalog: StrategyCatalog
  readonly store: RunStore

  private constructor(readonly rig: ApiRig) {
    const { svc } = rig.desk.service.databases
    const parts = {
      store: new StrategyStore(svc),
      events: new StrategyEventStore(svc),
      versions: new StrategyVersionStore(svc),
    }
    this.catalog = new StrategyCatalog({ ...parts, clock: this.clock })
    this.store = new RunStore(svc)
  }

  static async open(mode: Mode = 'live', options: DeskOptions = {}) {
    return new RunRig(await ApiRig.open(mode, options))
  }

  /** Starts the service again on the same home, without a clean stop. */
  reopen(mode: Mode = 'live'): Promise<RunRig> {
    return RunRig.open(mode, { home: this.rig.desk.home, clock: this.clock })
  }

  get clock(): VirtualClock {
    return this.rig.desk.clock
  }

  get runs() {
    return this.rig.desk.service.strategyRuns
  }

  async create(config: object, live = false): Promise<number> {
    const { strategy } = await this.catalog.create(USER, config)
    if (live) await this.catalog.setLive(USER, strategy.id, true)
    return strategy.id
  }

  settled<T>(promise: Promise<T>): Promise<T> {
    return this.rig.settled(promise)
  }

  query(sql: string) {
    return this.rig.desk.service.databases.svc.queryRaw(sql)
  }

  /** The orders of all runs as `leg kind action status filled`. */
  async orders(): Promise<string[]> {
    const rows = await this.query('select * from strategy_orders order by id')
    return rows.map((row) => `${row.leg_id} ${row.kind} ${row.action} ${row.status} ${row.filled_qty}`)
  }

  async events(): Promise<string[]> {
    return (await this.query('select kind from strategy_events where run_id is not null order by id')).map(
      ({ kind }) => String(kind),
    )
  }

  async run() {
    const [row] = await this.query('select * from strategy_runs order by id desc limit 1')
    return row
  }

  async status(id: number): Promise<string> {
    return (await this.catalog.get(USER, id)).status
  }

  /** Waits until the last run has ended; moves the clock on meanwhile. */
  async ended(): Promise<void> {
    await eventually(async () => {
      await this.clock.advance(1000)
      await this.runs.settled()
      return (await this.run())?.stopped_at !== null
    }, 'the run has ended')
  }

  /** The net quantity of all positions at the simulated broker, without signs. */
  async brokerNet(): Promise<number> {
    const { portfolio } = this.rig.desk.service.brokers.client()
    const positions = await this.settled(portfolio.positions())
    return positions.reduce((net, { quantity }) => net + Math.abs(quantity), 0)
  }
}
