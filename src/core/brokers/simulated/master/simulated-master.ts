import type { Instrument } from '../../../instruments/schema.js'
import { istDate } from '../../../time/index.js'
import type { HolidayPredicate } from './expiry-calendar.js'
import { COMMODITIES } from './listed/commodities.js'
import { COINS } from './listed/crypto.js'
import { FNO_STOCKS } from './listed/fno-stocks.js'
import { INDEX_DERIVATIVES } from './listed/indices.js'
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
import type { MasterSelection } from './selection.js'
import { MasterSink } from './sink.js'

interface SimulatedMasterOptions {
  /** Epoch milliseconds. Its IST date decides which contracts are listed. */
  now: number
  /** An expiry on a holiday of its exchange moves to the previous trading day. */
  isHoliday?: HolidayPredicate
  /** The rows to generate; absent: all. */
  selection?: MasterSelection
}

/** Rows per chunk: large enough to be fast, small enough for two chunks in memory. */
const CHUNK = 5000

/**
 * Generates the instrument master of the simulated broker: real symbols with real lots, ticks and expiry
 * rules, about 100,000 rows. The same date and holidays give the same rows, including tokens.
 */
export function* simulatedMaster(options: SimulatedMasterOptions): Generator<Instrument[]> {
  const date = { today: istDate(options.now), isHoliday: options.isHoliday ?? (() => false) }
  const sink = new MasterSink(options.selection)
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
