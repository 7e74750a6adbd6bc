import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { StrategyCatalog } from './catalog/catalog.js'
import { StrategyEventStore } from './store/event-store.js'
import { StrategyHistory } from './store/history-store.js'
import { StrategyStore } from './store/strategy-store.js'
import { WebhookEventStore } from './store/webhook-event-store.js'

/** Returns the parts that keep strategies, their events and their past. */
export function openStrategies({ db, clock }: { db: Database; clock: Clock }) {
  const strategyEvents = new StrategyEventStore(db)
  return {
    strategyEvents,
    strategyCatalog: new StrategyCatalog({ store: new StrategyStore(db), events: strategyEvents, clock }),
    strategyHistory: new StrategyHistory(db),
    strategyWebhookEvents: new WebhookEventStore(db),
  }
}
