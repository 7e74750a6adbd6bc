import type { InstrumentDirectory } from '../../core/instruments/index.js'
import type { ListedMarket } from '../../core/market/index.js'
import { type LiveExecution, type OrderJournal, StrategyBook } from '../../core/orders/index.js'
import type { Sandbox } from '../../core/sandbox/index.js'
import type { Clock } from '../../core/time/index.js'

export interface StrategyBookSources {
  mode(): 'live' | 'analyze'
  clock: Clock
  journal: OrderJournal
  brokers: Pick<LiveExecution, 'client'>
  sandbox: Pick<Sandbox, 'books'>
  instruments: { directory: Pick<InstrumentDirectory, 'find'> }
  listed: Pick<ListedMarket, 'quote'>
}

/** Returns the strategy book, which computes the profit of strategies, on the parts of the service. */
export function strategyBook(sources: StrategyBookSources): StrategyBook {
  const { mode, clock, journal, brokers, instruments, listed } = sources
  const { books } = sources.sandbox
  return new StrategyBook({
    mode,
    clock,
    journal,
    broker: brokers,
    sandbox: {
      fills: async (userId, strategy) =>
        (await books.tradesOf(userId, strategy)).map(({ tradedAt, ...trade }) => ({
          ...trade,
          at: tradedAt,
        })),
      positions: async (userId) => ({ data: (await books.positions(userId)).positions }),
    },
    contractValue: ({ symbol, exchange }) => instruments.directory.find(symbol, exchange)?.contractValue ?? 1,
    quote: async ({ symbol, exchange }) =>
      (await listed.quote({ symbol, exchange }).catch(() => undefined))?.ltp,
  })
}
