import type { Instrument } from '../../../instruments/schema.js'
import { istDate } from '../../../time/index.js'
import { COMMODITIES } from './commodities.js'
import { COINS } from './crypto.js'
import type { HolidayPredicate } from './expiry-calendar.js'
import { FNO_STOCKS } from './fno-stocks.js'
import { INDEX_DERIVATIVES } from './indices.js'
import {
  addCash,
  addCoin,
  addCommodity,
  addCurrencies,
  addIndexContracts,
  addIndices,
  addStockContracts,
  stockExpiries,
} from './segments.js'
import { MasterSink } from './sink.js'

export interface SimulatedMasterOptions {
  /** Epoch milliseconds; the IST date of it decides which contracts are listed. */
  now: number
  /** Expiries that fall on a holiday of their exchange move to the trading day before. */
  isHoliday?: HolidayPredicate
}

/** Rows handed over at a time: enough to be fast, few enough to hold twice. */
const CHUNK = 5000

/**
 * The instrument master of the simulated broker: real symbols with real lots, ticks and expiry rules, about
 * 100,000 rows. The same date and holidays give the same rows, tokens included.
 */
export function* simulatedMaster(options: SimulatedMasterOptions): Generator<Instrument[]> {
  const date = { today: istDate(options.now), isHoliday: options.isHoliday ?? (() => false) }
  const sink = new MasterSink()
  const expiries = stockExpiries(date)
  const steps: (() => void)[] = [
    () => addCash(sink),
    () => addIndices(sink),
    ...INDEX_DERIVATIVES.map((index) => () => addIndexContracts(sink, index, date)),
    ...FNO_STOCKS.map((stock) => () => addStockContracts(sink, stock, expiries)),
    ...COMMODITIES.map((commodity) => () => addCommodity(sink, commodity, date)),
    () => addCurrencies(sink, date),
    ...COINS.map((coin) => () => addCoin(sink, coin, date)),
  ]
  for (const step of steps) {
    step()
    if (sink.waiting >= CHUNK) yield sink.take()
  }
  if (sink.waiting > 0) yield sink.take()
}
