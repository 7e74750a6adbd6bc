import { symbolKey } from '../../market/schema.js'
import { type Money, toMoney, unitPrice } from '../../money/index.js'
import { sessionDate, sessionStart } from '../../time/index.js'
import { SQUARE_OFF_STRATEGY } from '../clock/jobs.js'
import { dayPnl, openingOf } from '../engine/ledger.js'
import type { Account } from '../engine/state.js'
import type { DayMark, Runtime } from '../runtime.js'
import type { SandboxHolding, SandboxInstruments, SandboxPosition } from '../schema.js'
import {
  type FundsView,
  fundsView,
  type HoldingsView,
  holdingsView,
  type Marked,
  type OrderBookView,
  type OrderView,
  orderBookView,
  orderView,
  type PositionBookView,
  positionBookView,
  type TradeView,
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
   * sandbox sends itself do not count: closes, square-offs and the orders of GTTs.
   */
  async placedToday(userId: string): Promise<number> {
    await this.#runtime.concluded()
    return this.#runtime.store.countPlaced(userId, this.#sessionStart(), SQUARE_OFF_STRATEGY)
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
    const session = this.#session()
    const counts = (row: SandboxPosition) => row.quantity !== 0 || openingOf(row, session).quantity !== 0
    const refs = await this.#runtime.read((engine, decision) =>
      [...engine.account(userId, decision).positions.values()]
        .filter(counts)
        .map(({ symbol, exchange }) => ({ symbol, exchange })),
    )
    const marks = new Map<string, DayMark>()
    await Promise.all(refs.map(async (ref) => marks.set(symbolKey(ref), await this.#runtime.dayMark(ref))))
    return this.#runtime.read((engine, decision) => {
      let total: Money | undefined = 0n
      for (const row of engine.account(userId, decision).positions.values()) {
        const { ltp = lastKnownPrice(row), prevClose } = marks.get(symbolKey(row)) ?? {}
        const profit = dayPnl(row, session, { ltp, prevClose })
        total = total === undefined || profit === undefined ? undefined : total + profit
      }
      return total
    })
  }

  async holdings(userId: string): Promise<HoldingsView> {
    const { holdings } = await this.marked(userId)
    return holdingsView(holdings)
  }

  async funds(userId: string): Promise<FundsView> {
    const { account, positions, holdings } = await this.marked(userId)
    return fundsView(account.funds, positions, holdings, this.#session())
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
    await Promise.all(
      open.map(async (ref) => {
        const ltp = await this.#runtime.glance(ref)
        if (ltp !== undefined) prices.set(symbolKey(ref), toMoney(ltp))
      }),
    )
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

  #session(): string {
    return sessionDate(this.#runtime.clock.now())
  }

  #sessionStart(): number {
    return sessionStart(this.#runtime.clock.now())
  }
}

/** The price without a market: the last one the row has seen, otherwise its average cost. */
function lastKnownPrice(row: SandboxPosition | SandboxHolding): Money {
  return row.ltp > 0n ? row.ltp : unitPrice(row.cost, Math.abs(row.quantity))
}
