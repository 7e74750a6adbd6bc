import { type SymbolRef, symbolKey } from '../../market/schema.js'
import { type Money, toMoney } from '../../money/index.js'
import type {
  FundsView,
  HoldingsView,
  OrderBookView,
  OrderView,
  PositionBookView,
  TradeView,
} from '../../orders/index.js'
import { sessionDate, sessionStart } from '../../time/index.js'
import type { Engine } from '../engine/engine.js'
import type { Decision } from '../engine/execution.js'
import type { Account } from '../engine/state.js'
import type { Runtime } from '../runtime.js'
import type { DayMark, SandboxFunds, SandboxHolding, SandboxInstruments, SandboxPosition } from '../schema.js'
import { lastKnownPrice, type OpenValue } from './account-totals.js'
import {
  fundsView,
  holdingsView,
  type Marked,
  orderBookView,
  orderView,
  positionBookView,
  tradeView,
} from './views.js'

/** A copy of an account at current prices; later decisions do not change it. */
export interface MarkedAccount {
  account: Account
  positions: Marked<SandboxPosition>[]
  holdings: Marked<SandboxHolding>[]
}

/** The books of an account as the API shows them. They contain durable state only. */
export class MarkedAccounts {
  readonly #runtime: Runtime
  readonly #instruments: SandboxInstruments

  constructor(runtime: Runtime, instruments: SandboxInstruments) {
    this.#runtime = runtime
    this.#instruments = instruments
  }

  async order(userId: string, orderId: string): Promise<OrderView | undefined> {
    await this.#runtime.concluded()
    const order = await this.#runtime.store.order(orderId)
    return order?.userId === userId ? orderView(order) : undefined
  }

  async orderbook(userId: string): Promise<OrderBookView> {
    await this.#runtime.concluded()
    return orderBookView(await this.#runtime.store.orders(userId, this.#sessionStart()))
  }

  /**
   * Returns how many orders and GTTs the user placed in this session, rejected ones included. Orders that the
   * sandbox sends itself do not count: closes, square-offs, settlements and the orders of GTTs.
   */
  async placedToday(userId: string): Promise<number> {
    await this.#runtime.concluded()
    return this.#runtime.store.countPlaced(userId, this.#sessionStart())
  }

  /** Returns how many orders and GTTs with a tag may still trade. */
  async countWorking(userId: string, strategy: string): Promise<number> {
    await this.#runtime.concluded()
    return this.#runtime.read(({ state }) => {
      const isOfTag = (one: { userId: string; strategy: string }) =>
        one.userId === userId && one.strategy === strategy
      return [...state.waiting.values(), ...state.gtts.values()].filter(isOfTag).length
    })
  }

  async tradebook(userId: string): Promise<TradeView[]> {
    await this.#runtime.concluded()
    return (await this.#runtime.store.trades(userId, this.#sessionStart())).map(tradeView)
  }

  /** Resolves when every decision until now is stored or dropped. */
  concluded(): Promise<void> {
    return this.#runtime.concluded()
  }

  /** Returns the open positions and those that became flat in this session. */
  async positions(userId: string): Promise<PositionBookView> {
    const from = this.#sessionStart()
    const { positions } = await this.marked(userId)
    const shown = positions.filter(({ row }) => row.quantity !== 0 || row.updatedAt >= from)
    return positionBookView(shown, this.#session())
  }

  /** Returns the profit of this session alone; undefined when it needs a previous close that is unknown. */
  async dayPnl(userId: string): Promise<Money | undefined> {
    const marks = new Map<string, DayMark>()
    const read = () =>
      this.#runtime.read((engine, decision) => {
        const { totals } = this.#settled(engine, userId, decision)
        return { profit: totals.dayAt(marks), unmarked: totals.unmarked }
      })
    const { profit, unmarked } = await read()
    if (unmarked.length === 0) return profit
    await Promise.all(
      unmarked.map(async (ref) => marks.set(symbolKey(ref), await this.#runtime.dayMark(ref))),
    )
    return (await read()).profit
  }

  async holdings(userId: string): Promise<HoldingsView> {
    const { holdings } = await this.marked(userId)
    return holdingsView(holdings)
  }

  async funds(userId: string): Promise<FundsView> {
    const { funds, value } = await this.value(userId)
    return fundsView(funds, value, this.#session())
  }

  /** Returns the funds, and the value of what is open. The market is asked for symbols without a tick only. */
  async value(userId: string): Promise<{ funds: SandboxFunds; value: OpenValue }> {
    const prices = new Map<string, Money>()
    const read = () =>
      this.#runtime.read((engine, decision) => {
        const { funds, totals } = this.#settled(engine, userId, decision)
        return { funds: { ...funds }, value: totals.valueAt(prices), unpriced: totals.unpriced }
      })
    const known = await read()
    if (known.unpriced.length === 0) return known
    await this.#glance(known.unpriced, prices)
    return read()
  }

  /**
   * Returns the account with its rows at their last prices. It fetches the prices first, then reads the rows
   * in one step.
   */
  async marked(userId: string): Promise<MarkedAccount> {
    const open = await this.#runtime.read((engine, decision) => {
      const account = engine.account(userId, decision)
      return [...account.positions.values(), ...account.holdings.values()]
        .filter((row) => row.quantity !== 0)
        .map(({ symbol, exchange }) => ({ symbol, exchange }))
    })
    const prices = new Map<string, Money>()
    await this.#glance(open, prices)
    return this.#runtime.read((engine, decision) => {
      const account = engine.account(userId, decision)
      const mark = <Row extends SandboxPosition | SandboxHolding>(row: Row): Marked<Row> => ({
        row: { ...row },
        ltp: prices.get(symbolKey(row)) ?? lastKnownPrice(row),
        instrument: this.#instruments.find(row.symbol, row.exchange),
      })
      return {
        account: { ...account, funds: { ...account.funds } },
        positions: [...account.positions.values()].map(mark),
        holdings: [...account.holdings.values()].filter(({ quantity }) => quantity !== 0).map(mark),
      }
    })
  }

  /** Adds the latest prices of symbols, as far as they are known. */
  async #glance(refs: readonly SymbolRef[], prices: Map<string, Money>): Promise<void> {
    await Promise.all(
      refs.map(async (ref) => {
        const ltp = await this.#runtime.glance(ref)
        if (ltp !== undefined) prices.set(symbolKey(ref), toMoney(ltp))
      }),
    )
  }

  /** Returns an account whose totals are up to date. */
  #settled(engine: Engine, userId: string, decision: Decision): Account {
    const account = engine.account(userId, decision)
    account.totals.settle(decision.session, (ref) => this.#runtime.seen(ref))
    return account
  }

  #session(): string {
    return sessionDate(this.#runtime.clock.now())
  }

  #sessionStart(): number {
    return sessionStart(this.#runtime.clock.now())
  }
}
