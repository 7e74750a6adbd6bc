export { type AlertSettings, checkPriceAlert, type Repeat, readPriceAlert } from './alert-settings.js'
export { type MarketHours, readMarketHours, withinMarketHours } from './market-hours.js'
export { type FiredWatch, OrderWatches, type OrderWatchPorts } from './order-watch.js'
export type { FireOutcome } from './outcome.js'
export { type OrderUpdatePayload, type PriceAlertPayload, triggerPriceOf } from './payloads.js'
export {
  canonicalCondition,
  PRICE_CONDITIONS,
  type PriceLevels,
  priceMeets,
  priceMeetsAtOnce,
} from './price-conditions.js'
export { type FiredAlert, POLL_MS, PriceMonitor, type PriceMonitorPorts } from './price-monitor.js'
export type { RetireReason } from './retire.js'
export { latestFire, nextFire, type Schedule } from './schedule.js'
export { checkSchedule, MISFIRE_GRACE_MS, readSchedule } from './schedule-settings.js'
export { type ArmOptions, type MissedReason, Scheduler, type SchedulerPorts } from './scheduler.js'
export {
  assertArmable,
  isTriggerType,
  MISSED_RUNS,
  type MissedRuns,
  type ScheduleSettings,
  sameTrigger,
  TRIGGER_TYPES,
  type Trigger,
  type TriggerType,
  triggerNodeOf,
  triggerOf,
} from './settings.js'
export { checkOrderUpdate, readOrderUpdate, WATCH_STATUSES, type WatchSettings } from './watch-settings.js'
