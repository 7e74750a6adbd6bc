export type { BarSource } from './closes.js'
export { type Day, type DayInstrument, emptyDay, pnlOf } from './day.js'
export type { LatestDay, MinuteCloses, PnlDay, PnlPoint, PositionRow, Trade, TradeRow } from './schema.js'
export { type BookSource, PnlTracker } from './tracker.js'
