import { ServiceError } from '../errors/index.js'
import { type SymbolRef, symbolKey } from '../market/schema.js'
import { type Money, quantityUnits, toMoney, unitsFor, unitsIn } from '../money/index.js'
import { ACTIONS } from '../orders/schema.js'
import { addDays, type Clock, istDate, istInstant, sessionDate } from '../time/index.js'
import { type BarSource, Closes } from './closes.js'
import { type DayInstrument, emptyDay, pnlOf } from './day.js'
import { LatestDays } from './latest-days.js'
import {
  type DayBooks,
  type LatestDay,
  LONGEST_BREAK_DAYS,
  type MinuteCloses,
  type PnlDay,
  type PositionRow,
  type Trade,
  type TradeRow,
} from './schema.js'
import { parseTradeTime } from './trade-time.js'

/**
 * Returns the trade of a row; undefined if its time or its quantity cannot be read. `contractValue` is the
 * number of units of the underlying in one contract.
 */
function readTrade(row: TradeRow, today: string, contractValue: number): Trade | undefined {
  const action = ACTIONS.find((one) => one === row.action.toUpperCase())
  const at = [row.timestamp, row.fill_timestamp, row.fill_time]
    .map((time) => parseTradeTime(time, today))
    .find((time) => time !== undefined && isOfLastSession(time, today))
  if (action === undefined || at === undefined || !(row.average_price > 0)) return undefined
  const price = toMoney(row.average_price)
  const units = unitsOf(row, price, contractValue)
  return units > 0n ? { action, units, price, at } : undefined
}

/**
 * Returns whether a trade book of `today` can have a trade of this time. Some brokers send `0001-01-01 00:00:00` for a
 * missing time; the bars since then would be millions.
 */
function isOfLastSession(time: number, today: string): boolean {
  return time >= istInstant(addDays(today, -LONGEST_BREAK_DAYS)) && time < istInstant(addDays(today, 2))
}

/** Returns the units of a trade. Some books have only its value and price. */
function unitsOf(
  { quantity, trade_value: value = 0 }: TradeRow,
  price: Money,
  contractValue: number,
): bigint {
  if (quantity > 0) return quantityUnits(unitsIn(quantity, contractValue))
  return value > 0 && price > 0n ? unitsFor(toMoney(value), price) : 0n
}

/** How many times we read the books of an account before we report that it is trading too fast. */
const MOST_READINGS = 5

/** Reads one book of an account. */
export interface BookSource {
  trades(userId: string): Promise<DayBooks['trades']>
  positions(userId: string): Promise<DayBooks['positions']>
  /** Names the account that the books are of: each mode and each broker has another one. */
  account(userId: string): string
}

interface PnlTrackerParts {
  clock: Clock
  books: BookSource
  bars: BarSource
  /** Returns the units of the underlying in one contract. */
  contractValue(ref: SymbolRef): number
}

/** An instrument of the account, before its prices are read. */
interface Account extends SymbolRef {
  trades: Trade[]
  /** The signed units that were open before the first trade. */
  carried: bigint
}

/** Computes the profit and loss of an account over its trading day, by the minute (docs/pnl.md). */
export class PnlTracker {
  readonly #parts: PnlTrackerParts
  readonly #closes: Closes
  readonly #latest: LatestDays

  constructor(parts: PnlTrackerParts) {
    this.#parts = parts
    this.#closes = new Closes(parts.clock, parts.bars)
    this.#latest = new LatestDays(parts.clock)
  }

  /**
   * Returns the profit and loss of the trading day: the day of the earliest trade in the trade book, or today.
   * The first call for an account waits for two bars a second; the next has them in memory.
   * @throws ServiceError if a book or the bars cannot be read
   */
  async today(userId: string): Promise<PnlDay> {
    const books = await this.#books(userId)
    const now = this.#parts.clock.now()
    const session = sessionDate(now)
    const accounts = this.#accountsOf(books, session)
    if (accounts.length === 0 && books.positions.length === 0) return emptyDay()
    const first = Math.min(...accounts.flatMap(({ trades }) => trades[0]?.at ?? []))
    const date = first === Number.POSITIVE_INFINITY ? session : istDate(first)
    const instruments = await this.#priced(accounts, { date, isCurrent: date === session })
    return pnlOf({ date, now: this.#parts.clock.now(), instruments, bookProfit: profitOf(books.positions) })
  }

  /**
   * Returns the newest known day, for a page: it never waits for bars, and reads a newer day for the next page.
   * @throws ServiceError as {@link today}
   */
  latest(userId: string): Promise<LatestDay> {
    return this.#latest.get(this.#parts.books.account(userId), () => this.today(userId))
  }

  /** Returns the rows of the position book. @throws ServiceError if it cannot be read */
  positions(userId: string): Promise<readonly PositionRow[]> {
    return this.#parts.books.positions(userId)
  }

  /**
   * Reads both books at one moment: a fill between the two would look like a position from yesterday.
   * @throws ServiceError `unavailable` while the account never stops trading
   */
  async #books(userId: string): Promise<DayBooks> {
    const { books } = this.#parts
    let trades = await books.trades(userId)
    for (let reading = 0; reading < MOST_READINGS; reading++) {
      const positions = await books.positions(userId)
      const after = await books.trades(userId)
      if (after.length === trades.length) return { trades: after, positions }
      trades = after
    }
    throw new ServiceError(
      'unavailable',
      'Orders of this account are being filled at this moment. Try again.',
    )
  }

  /** Returns the traded and the carried instruments of the books, each exchange's separately. */
  #accountsOf({ positions, trades }: DayBooks, today: string): Account[] {
    const accounts = new Map<string, Account & { held: bigint | undefined }>()
    const accountOf = ({ exchange, symbol }: SymbolRef) => {
      const known = accounts.get(symbolKey({ exchange, symbol }))
      const account = known ?? { exchange, symbol, trades: [], carried: 0n, held: undefined }
      accounts.set(symbolKey(account), account)
      return account
    }
    for (const row of trades) {
      const trade = readTrade(row, today, this.#parts.contractValue(row))
      if (trade) accountOf(row).trades.push(trade)
    }
    for (const row of positions) {
      const account = accountOf(row)
      const units = quantityUnits(unitsIn(row.quantity, this.#parts.contractValue(row)))
      account.held = (account.held ?? 0n) + units
    }
    for (const account of accounts.values()) {
      account.trades.sort((a, b) => a.at - b.at)
      const traded = account.trades.reduce(
        (sum, { action, units }) => sum + (action === 'BUY' ? units : -units),
        0n,
      )
      // Without a row in the position book, nothing says that anything was carried.
      account.carried = account.held === undefined ? 0n : account.held - traded
    }
    return [...accounts.values()].filter((account) => account.trades.length > 0 || account.carried !== 0n)
  }

  async #priced(
    accounts: readonly Account[],
    day: { date: string; isCurrent: boolean },
  ): Promise<DayInstrument[]> {
    const carried = accounts.filter((account) => account.carried !== 0n)
    const [bars, closes] = await Promise.all([
      Promise.all(accounts.map((account) => this.#closes.minutes(account, day.date))),
      this.#closes.previous(carried, day),
    ])
    return accounts.map(({ carried: units, trades, ...ref }, index) => {
      const ownBars = bars[index] ?? NO_BARS
      const place = carried.findIndex((one) => symbolKey(one) === symbolKey(ref))
      const close = closes[place] ?? firstPrice(ownBars, trades)
      return {
        trades,
        bars: ownBars,
        carried: units !== 0n && close !== undefined ? { units, close } : undefined,
      }
    })
  }
}

const NO_BARS: MinuteCloses = { stamps: [], closes: [] }

/** Returns the first price of the day, for a contract that has no previous close. */
function firstPrice({ closes }: MinuteCloses, trades: readonly Trade[]): Money | undefined {
  return closes[0] ?? trades[0]?.price
}

function profitOf(positions: readonly PositionRow[]): Money | undefined {
  if (positions.length === 0) return undefined
  return positions.reduce((sum, { pnl }) => sum + toMoney(pnl), 0n)
}
