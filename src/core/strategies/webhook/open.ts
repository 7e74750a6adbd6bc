import type { InstrumentCatalog } from '../../instruments/index.js'
import type { Logger } from '../../logging/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { StrategyRuns } from '../ports.js'
import type { StrategyHistory } from '../store/history-store.js'
import { StrategyStore } from '../store/strategy-store.js'
import type { WebhookEventStore } from '../store/webhook-event-store.js'
import { ClaimStore } from './claim-store.js'
import { webhookRuns } from './runs.js'
import { webhookStrategies } from './strategies.js'
import { StrategyWebhook } from './webhook.js'

interface WebhookParts {
  db: Database
  events: WebhookEventStore
  history: StrategyHistory
  runs: Pick<StrategyRuns, 'start' | 'stop' | 'signal' | 'needsStop'>
  directory: InstrumentCatalog
  clock: Clock
  log: Logger
}

/** Opens the public webhook of strategies. */
export async function openWebhook(parts: WebhookParts): Promise<StrategyWebhook> {
  const { clock, db, directory, events, history, log, runs } = parts
  return new StrategyWebhook({
    clock,
    log,
    events,
    claims: await ClaimStore.open(db, events, clock),
    strategies: webhookStrategies({ history, store: new StrategyStore(db) }),
    runs: webhookRuns({ runs, isRunning: (strategyId) => history.isRunning(strategyId) }),
    instruments: {
      find: (symbol, exchange) => directory.find(symbol, exchange),
      hasExchange: (exchange) => !isEmpty(directory.forExchange(exchange)),
    },
  })
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false
  return true
}
