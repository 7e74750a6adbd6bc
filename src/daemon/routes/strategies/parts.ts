import type {
  StrategyCatalog,
  StrategyEventStore,
  StrategyHistory,
  StrategyRuns,
  WebhookEventStore,
} from '../../../core/strategies/index.js'

/** The parts of the service that the routes of strategies use. */
export interface StrategyParts {
  strategyCatalog: StrategyCatalog
  strategyEvents: StrategyEventStore
  strategyHistory: StrategyHistory
  strategyWebhookEvents: WebhookEventStore
  strategyRuns: StrategyRuns
}
