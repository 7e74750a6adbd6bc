export type { Books } from './books.js'
export type { GttDesk } from './gtt-desk.js'
export {
  type DailyPnlView,
  EXPORTS,
  type ExportKind,
  type PnlOverview,
  type PositionReport,
  type Reports,
} from './reports.js'
export type { SandboxOptions } from './runtime.js'
export { Sandbox } from './sandbox.js'
export type { JobStatus } from './scheduler.js'
export type * from './schema.js'
export { SETTINGS, type SettingKey } from './settings.js'
export type {
  FundsView,
  HoldingsView,
  HoldingView,
  OrderBookView,
  OrderView,
  PositionBookView,
  PositionView,
  TradeView,
} from './views.js'
