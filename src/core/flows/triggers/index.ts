export { type FiredWatch, OrderWatches, type OrderWatchPorts } from './order-update/order-watch.js'
export {
  checkOrderUpdate,
  readOrderUpdate,
  WATCH_STATUSES,
  type WatchSettings,
} from './order-update/watch-settings.js'
export type { FireOutcome } from './outcome.js'
export { type OrderUpdatePayload, type PriceAlertPayload, triggerPriceOf } from './payloads.js'
export { type AlertSettings, checkPriceAlert, type Repeat, readPriceAlert } from './price/alert-settings.js'
export {
  type MarketHours,
  nextInMarketHours,
  readMarketHours,
  withinMarketHours,
} from './price/market-hours.js'
export {
  CONDITION_NAMES,
  canonicalCondition,
  PRICE_CONDITIONS,
  type PriceLevels,
  priceMeets,
  priceMeetsAtOnce,
} from './price/price-conditions.js'
export { type FiredAlert, POLL_MS, PriceMonitor, type PriceMonitorPorts } from './price/price-monitor.js'
export type { RetireReason } from './retire.js'
export {
  type ArmOptions,
  FlowScheduler,
  type MissedReason,
  type SchedulerPorts,
} from './schedule/flow-scheduler.js'
export { latestFire, nextFire, type Schedule } from './schedule/schedule.js'
export {
  checkSchedule,
  INTERVAL_UNITS,
  MISFIRE_GRACE_MS,
  readSchedule,
  SCHEDULE_TYPES,
} from './schedule/schedule-settings.js'
export {
  assertArmable,
  isTriggerType,
  MISSED_RUNS,
  type MissedRuns,
  runTriggerOf,
  type ScheduleSettings,
  sameTrigger,
  TRIGGER_TYPES,
  type Trigger,
  type TriggerType,
  triggerNodeOf,
  triggerOf,
} from './settings.js'
