export type { BarSource } from './closes.js'
export { type Day, type DayInstrument, pnlOf } from './day.js'
export type { MinuteCloses, PnlDay, PnlPoint, PositionRow, Trade, TradeRow } from './schema.js'
export { type BookSource, PnlTracker } from './tracker.js'
