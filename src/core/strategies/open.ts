import type { InstrumentDirectory } from '../instruments/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { StrategyCatalog } from './catalog/catalog.js'
import { type PublishEvent, StrategyEventStore } from './store/event-store.js'
import { StrategyHistory } from './store/history-store.js'
import { StrategyStore } from './store/strategy-store.js'
import { StrategyVersionStore } from './store/version-store.js'
import { WebhookEventStore } from './store/webhook-event-store.js'

interface OpenParts {
  db: Database
  clock: Clock
  directory: Pick<InstrumentDirectory, 'find'>
  publish?: PublishEvent
}

/** Returns the parts that keep strategies, their versions, their events and their past. */
export async function openStrategies({ db, clock, directory, publish }: OpenParts) {
  const strategyEvents = new StrategyEventStore(db)
  const strategyVersions = new StrategyVersionStore(db)
  return {
    strategyEvents,
    strategyVersions,
    strategyCatalog: new StrategyCatalog({
      store: new StrategyStore(db),
      events: strategyEvents,
      versions: strategyVersions,
      clock,
      lotSizeOf: (symbol, exchange) => directory.find(symbol, exchange)?.lotSize,
      ...(publish && { publish }),
    }),
    strategyHistory: new StrategyHistory(db),
    strategyWebhookEvents: await WebhookEventStore.open(db),
  }
}
