export type { JobStatus } from './clock/job-scheduler.js'
export { usualSquareOff } from './clock/trading-hours.js'
export type { SandboxGttService } from './gtt/gtt-service.js'
export type { SandboxOptions } from './runtime.js'
export { Sandbox } from './sandbox.js'
export type * from './schema.js'
export { SETTINGS, type SettingKey } from './settings.js'
export { SANDBOX_FILLS } from './storage/strategy-fills.js'
export type { MarkedAccounts } from './views/marked-accounts.js'
export {
  type DailyPnlView,
  EXPORTS,
  type ExportKind,
  type PnlOverview,
  type PositionReport,
  type Reports,
} from './views/reports.js'
