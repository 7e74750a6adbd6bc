import type { Instrument } from '../../../src/core/instruments/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import type { Tick } from '../../../src/core/market/index.js'
import type { StrategyOrder } from '../../../src/core/orders/index.js'
import type { Service } from '../../../src/daemon/service.js'
import { loadConfiguration, loadInstruments, loadService, loadTime } from '../../compiled.js'

const USER = 'asha'
export const LEGS = 4
/** The second expiry of the chain: no leg is squared off because its contract ends today. */
const EXPIRY = 'next'

const MOST_STRIKES = 8

/** A held leg of a run. */
export interface HeldLeg {
  symbol: string
  exchange: string
  entry: number
}

/**
 * The complete service in this process, with sandbox runs that hold all their legs. Its hub gets ticks from
 * {@link publish} only.
 */
export class RunDesk {
  readonly #service: Service
  readonly #close: () => Promise<void>

  private constructor(service: Service, close: () => Promise<void>) {
    this.#service = service
    this.#close = close
  }

  static async open(home: string): Promise<RunDesk> {
    const [{ closeService, openService, prepareInstruments, recover }, { loadConfig }, { SystemClock }] =
      await Promise.all([loadService(), loadConfiguration(), loadTime()])
    const { values: config } = loadConfig({ home, env: {} })
    const service = await openService({ home, config, clock: new SystemClock(), log: silentLogger })
    await prepareInstruments(service)
    await recover(service)
    // Only the benchmark sends ticks. The prices of the embedded market would be most of the work.
    service.hub.attach(undefined)
    const { apiKeys, users } = service.identity
    await users.setup({ username: USER, email: 'asha@example.org', password: 'Passw0rd!' })
    await apiKeys.rotate(USER)
    await service.sandbox.start()
    await service.settings.setAnalyzeMode(true)
    // The account pays for all legs.
    await service.sandbox.changeSetting('option_buy_leverage', '50')
    return new RunDesk(service, () => closeService(service))
  }

  /** Starts runs, each with four bought options of its own. Returns all legs. */
  async start(runs: number): Promise<HeldLeg[]> {
    const { strategyCatalog, strategyRuns } = this.#service
    const configs = await this.#configs(runs)
    const held: HeldLeg[] = []
    for (const config of configs) {
      const { strategy } = await strategyCatalog.create(USER, config)
      await strategyRuns.start(strategy.id, { mode: 'sandbox', trigger: 'manual' })
      await strategyRuns.settled()
      for (const { entryAverage, exchange, symbol } of strategyRuns.active(strategy.id)?.snapshot().legs ??
        []) {
        if (entryAverage === null) throw new Error(`the entry of ${symbol} is not filled`)
        held.push({ symbol, exchange, entry: entryAverage })
      }
    }
    return held
  }

  publish(tick: Tick): void {
    this.#service.hub.publish(tick)
  }

  /** Calls the listener when an order leaves for the sandbox, and when the sandbox has stored it. */
  watchOrders(listener: (order: StrategyOrder, step: 'sent' | 'stored') => void): void {
    const { strategyOrders } = this.#service.orders
    const place = strategyOrders.place.bind(strategyOrders)
    strategyOrders.place = async (order) => {
      listener(order, 'sent')
      const end = await place(order)
      listener(order, 'stored')
      return end
    }
  }

  /** Stores one row, durably, in the file of the runs. */
  async storeRow(): Promise<void> {
    const [sql, now] = ['update strategies set updated_at = ? where id = 1', Date.now()] as const
    await this.#service.databases.svc.write((tx) => tx.exec(sql, [now]))
  }

  /** The number of checkpoints that are stored. */
  async checkpoints(): Promise<number> {
    const [row] = await this.#service.databases.svc.queryRaw('select count(*) as n from strategy_checkpoints')
    return Number(row?.n)
  }

  settled(): Promise<void> {
    return this.#service.strategyRuns.settled()
  }

  close(): Promise<void> {
    return this.#close()
  }

  /** Returns strategies whose legs all differ. */
  async #configs(count: number): Promise<object[]> {
    const configs: object[] = []
    for (const [underlying, strikes] of await this.#chains()) {
      for (let from = 0; from + 2 <= strikes.length && configs.length < count; from += 2) {
        configs.push(configOf(`${underlying} ${from}`, underlying, strikes.slice(from, from + 2)))
      }
    }
    if (configs.length < count) throw new Error(`the market lists contracts for ${configs.length} runs only`)
    return configs
  }

  /** Returns the middle strikes of the second expiry of each underlying. Far ones cost too little to fall to a stop. */
  async #chains(): Promise<Map<string, number[]>> {
    const { compareExpiries } = await loadInstruments()
    const options = new Map<string, Instrument[]>()
    for (const instrument of this.#service.instruments.directory.forExchange('NFO')) {
      if (instrument.instrumentType !== 'CE' && instrument.instrumentType !== 'PE') continue
      options.set(instrument.name, [...(options.get(instrument.name) ?? []), instrument])
    }
    const chains = new Map<string, number[]>()
    for (const [name, listed] of options) {
      const [, expiry] = [...new Set(listed.map((one) => one.expiry))].sort(compareExpiries)
      const strikes = (type: string) =>
        listed.flatMap((one) => (one.expiry === expiry && one.instrumentType === type ? [one.strike] : []))
      const puts = new Set(strikes('PE'))
      const both = strikes('CE')
        .filter((strike) => puts.has(strike))
        .sort((a, b) => a - b)
      const first = Math.max(0, (both.length - MOST_STRIKES) >> 1)
      chains.set(name, both.slice(first, first + MOST_STRIKES))
    }
    return chains
  }
}

function configOf(name: string, underlying: string, strikes: readonly number[]): object {
  const risk = { sl_pts: 50, target_pts: 90, trail: { x: 80, y: 10 }, risk_unit: 'percent' }
  return {
    name,
    underlying,
    underlying_exchange: 'NFO',
    strategy_type: 'positional',
    product: 'NRML',
    overall_sl_mtm: 10_000_000,
    overall_target_mtm: 10_000_000,
    daily_loss_limit_inr: 10_000_000,
    lock_profit: {
      mode: 'lock_and_trail',
      if_profit_reaches: 9_000_000,
      lock_profit: 1000,
      trail_step: 1000,
    },
    legs: strikes.flatMap((strike) =>
      ['CE', 'PE'].map((option_type) => ({
        segment: 'options',
        position: 'B',
        lots: 1,
        expiry: EXPIRY,
        strike_mode: 'strike',
        option_type,
        strike,
        ...risk,
      })),
    ),
  }
}
