import { dateToExpiry, lotInUnits, perpetualSymbol } from '../../../instruments/index.js'
import type { Exchange } from '../../../instruments/schema.js'
import { ExpiryCalendar, type HolidayPredicate, mergeDates } from './expiry-calendar.js'
import { CASH_STOCKS } from './listed/cash-stocks.js'
import type { Commodity } from './listed/commodities.js'
import type { Coin } from './listed/crypto.js'
import { CURRENCY_PAIRS, CURRENCY_TICK } from './listed/currencies.js'
import { FNO_STOCKS } from './listed/fno-stocks.js'
import {
  BSE_INDICES,
  GLOBAL_INDICES,
  type IndexDerivative,
  type IndexRow,
  MCX_INDICES,
  NSE_INDICES,
} from './listed/indices.js'
import { equityTick, stockStrikeStep } from './price-rules.js'
import type { CashRow, FnoRow } from './rows.js'
import type { MasterSink } from './sink.js'

const TUESDAY = 2
const FRIDAY = 5
const QUARTERS = [3, 6, 9, 12] as const
const MONTHLY_EXPIRIES = 3
const OPTION_TICK = 0.05

/**
 * Number of strikes on each side of the money. Chains of later months are narrower for shares, as on the
 * exchange.
 */
const PER_SIDE = { index: 100, stock: [30, 26, 22], commodity: 60, currency: 40, crypto: 50 } as const

/** Companies listed only on the NSE. */
const NSE_ONLY = new Set(['BSE', 'CDSL'])

/** The inputs that determine the expiries of a master. */
interface MasterDate {
  /** `YYYY-MM-DD`, in IST. */
  today: string
  isHoliday: HolidayPredicate
}

/** Converts dates to the expiry text of symbols and columns. The calendar returns only real dates. */
const texts = (dates: readonly string[]): string[] => dates.map((date) => dateToExpiry(date) ?? '')

function cash(sink: MasterSink, exchange: Exchange, rows: readonly (CashRow | FnoRow)[]): void {
  for (const [symbol, name, price] of rows) {
    const tickSize = equityTick(price)
    sink.add({ symbol, name, exchange, expiry: '', strike: 0, lotSize: 1, instrumentType: 'EQ', tickSize })
  }
}

function indexRows(sink: MasterSink, exchange: Exchange, rows: readonly IndexRow[]): void {
  const common = { exchange, expiry: '', strike: 0, lotSize: 1, instrumentType: 'INDEX', tickSize: 0.05 }
  for (const [symbol, name] of rows) sink.add({ ...common, symbol, name })
}

export function addCash(sink: MasterSink): void {
  cash(sink, 'NSE', FNO_STOCKS)
  cash(sink, 'NSE', CASH_STOCKS)
  cash(
    sink,
    'BSE',
    FNO_STOCKS.filter(([symbol]) => !NSE_ONLY.has(symbol)),
  )
}

export function addIndices(sink: MasterSink): void {
  indexRows(sink, 'NSE_INDEX', NSE_INDICES)
  indexRows(sink, 'BSE_INDEX', BSE_INDICES)
  indexRows(sink, 'MCX_INDEX', MCX_INDICES)
  indexRows(sink, 'GLOBAL_INDEX', GLOBAL_INDICES)
}

const LEVELS = new Map([...NSE_INDICES, ...BSE_INDICES].map(([symbol, , level]) => [symbol, level]))

export function addIndexContracts(sink: MasterSink, index: IndexDerivative, date: MasterDate): void {
  const calendar = new ExpiryCalendar(date.today, index.exchange, date.isHoliday)
  const series = { exchange: index.exchange, name: index.symbol, lotSize: index.lotSize }
  const months = calendar.monthly(index.weekday, MONTHLY_EXPIRIES)
  for (const expiry of texts(months)) sink.future(series, expiry, index.futureTick)
  const listed = mergeDates(
    calendar.weekly(index.weekday, index.weeklies),
    months,
    calendar.monthly(index.weekday, index.quarterlies, QUARTERS),
  )
  for (const expiry of texts(listed)) {
    sink.options({
      ...series,
      expiry,
      tickSize: OPTION_TICK,
      around: LEVELS.get(index.symbol) ?? 0,
      strikeStep: index.strikeStep,
      perSide: PER_SIDE.index,
    })
  }
}

export function addStockContracts(sink: MasterSink, stock: FnoRow, expiries: readonly string[]): void {
  const [name, , price, , lotSize] = stock
  const series = { exchange: 'NFO', name, lotSize } as const
  for (const expiry of expiries) sink.future(series, expiry, equityTick(price))
  expiries.forEach((expiry, rank) => {
    sink.options({
      ...series,
      expiry,
      tickSize: OPTION_TICK,
      around: price,
      strikeStep: stockStrikeStep(price),
      perSide: PER_SIDE.stock[rank] ?? PER_SIDE.stock[2],
    })
  })
}

/** Returns the monthly expiries of share contracts; all shares have the same calendar. */
export function stockExpiries(date: MasterDate): string[] {
  return texts(new ExpiryCalendar(date.today, 'NFO', date.isHoliday).monthly(TUESDAY, MONTHLY_EXPIRIES))
}

/** @throws RangeError for a contract whose units are not settled */
function contractOf(exchange: 'MCX' | 'CDS', name: string) {
  const lotSize = lotInUnits({ exchange, name })
  if (lotSize === undefined) throw new RangeError(`no contract units of ${name} on ${exchange}`)
  return { exchange, name, lotSize } as const
}

export function addCommodity(sink: MasterSink, commodity: Commodity, date: MasterDate): void {
  const calendar = new ExpiryCalendar(date.today, 'MCX', date.isHoliday)
  const series = contractOf('MCX', commodity.symbol)
  const futures = calendar.dayOfMonth(commodity.day, commodity.futures, commodity.months)
  for (const expiry of texts(futures)) sink.future(series, expiry, commodity.tickSize)
  const { options } = commodity
  if (!options) return
  for (const expiry of texts(calendar.before(futures, options.leadDays).slice(0, options.expiries))) {
    sink.options({
      ...series,
      expiry,
      tickSize: options.tickSize,
      around: commodity.basePrice,
      strikeStep: options.strikeStep,
      perSide: PER_SIDE.commodity,
    })
  }
}

/** Currency futures expire two working days before the month ends; weekly options expire on Fridays. */
export function addCurrencies(sink: MasterSink, date: MasterDate): void {
  const calendar = new ExpiryCalendar(date.today, 'CDS', date.isHoliday)
  const months = calendar.beforeMonthEnd(2, 12)
  for (const pair of CURRENCY_PAIRS) {
    const series = contractOf('CDS', pair.symbol)
    for (const expiry of texts(months)) sink.future(series, expiry, CURRENCY_TICK)
    const listed = mergeDates(calendar.weekly(FRIDAY, pair.weeklies), months.slice(0, MONTHLY_EXPIRIES))
    for (const expiry of texts(listed)) {
      sink.options({
        ...series,
        expiry,
        tickSize: CURRENCY_TICK,
        around: pair.basePrice,
        strikeStep: pair.strikeStep,
        perSide: PER_SIDE.currency,
      })
    }
  }
}

export function addCoin(sink: MasterSink, coin: Coin, date: MasterDate): void {
  const { symbol: name, contractValue, tickSize } = coin
  const series = { exchange: 'CRYPTO', name, lotSize: 1, contractValue } as const
  const undated = { ...series, expiry: '', strike: 0 }
  sink.add({ ...undated, symbol: perpetualSymbol(name, 'USD'), instrumentType: 'PERPFUT', tickSize })
  if (coin.spot) {
    const { minimum, tickSize: spotTick } = coin.spot
    const spot = { exchange: 'CRYPTO', name, expiry: '', strike: 0, lotSize: minimum } as const
    sink.add({ ...spot, symbol: `${name}INR`, instrumentType: 'SPOT', tickSize: spotTick })
  }
  if (coin.options) addCoinChains(sink, { ...coin, options: coin.options }, series, date)
}

function addCoinChains(
  sink: MasterSink,
  coin: Coin & { options: NonNullable<Coin['options']> },
  series: { exchange: 'CRYPTO'; name: string; lotSize: number; contractValue: number },
  date: MasterDate,
): void {
  const calendar = new ExpiryCalendar(date.today, 'CRYPTO', () => false)
  const months = calendar.monthly(FRIDAY, MONTHLY_EXPIRIES)
  for (const expiry of texts(months)) sink.future(series, expiry, coin.tickSize)
  const listed = mergeDates(calendar.daily(3), calendar.weekly(FRIDAY, 4), months)
  for (const expiry of texts(listed)) {
    sink.options({
      ...series,
      expiry,
      tickSize: coin.options.tickSize,
      around: coin.basePrice,
      strikeStep: coin.options.strikeStep,
      perSide: PER_SIDE.crypto,
    })
  }
}
