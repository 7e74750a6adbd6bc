import type { InstrumentCatalog } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { Database } from '../../core/storage/index.js'
import { type StrategyRuns, StrategyWebhook, WebhookStore, webhookRuns } from '../../core/strategies/index.js'
import type { Clock } from '../../core/time/index.js'

interface WebhookParts {
  db: Database
  runs: Pick<StrategyRuns, 'start' | 'stop' | 'signal'>
  directory: InstrumentCatalog
  clock: Clock
  log: Logger
}

/** Opens the public webhook of strategies. */
export async function openStrategyWebhook({
  clock,
  db,
  directory,
  log,
  runs,
}: WebhookParts): Promise<StrategyWebhook> {
  const store = await WebhookStore.open(db)
  return new StrategyWebhook({
    clock,
    log,
    strategies: store,
    records: store,
    runs: webhookRuns({ runs, isRunning: (strategyId) => store.isRunning(strategyId) }),
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
