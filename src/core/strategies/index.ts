export * from './books.js'
export { type ListedStrategy, StrategyCatalog, type WithToken } from './catalog/catalog.js'
export type { ChangeAuthor } from './catalog/change-source.js'
export {
  type AppliedStrategy,
  type ApplyStrategies,
  applyStrategies,
  type PlannedStrategy,
  planStrategies,
} from './catalog/gitops.js'
export { contentHash, isRunning, type Strategy } from './catalog/strategy.js'
export { WEBHOOK_TOKEN_PREFIX, webhookTokenHash } from './catalog/token.js'
export * from './config/index.js'
export { type LiveLeg, type LiveRun, lastRunView, liveRunView } from './live-view.js'
export { completeLocks, type LockedStrategy, lockAndStop } from './lock.js'
export { openStrategies } from './open.js'
export { resolveLegs, type TradingRules } from './resolve/index.js'
export { NOT_LIVE, type RunPublisher, RunService, RunStore, reservedText } from './runs/index.js'
export type * from './runs/schema.js'
export type { EventQuery, NewStrategyEvent, StrategyEvent, StrategyEventStore } from './store/event-store.js'
export type { StrategyHistory } from './store/history-store.js'
export { countRunning } from './store/running-store.js'
export type { NewWebhookEvent, WebhookEventStore } from './store/webhook-event-store.js'
export * from './views.js'
export * from './webhook/index.js'
