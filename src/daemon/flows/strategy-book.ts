import type { Calendar } from '../../core/calendar/index.js'
import type { InstrumentDirectory } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { ListedMarket } from '../../core/market/index.js'
import {
  type Contract,
  countWorking,
  type LegRules,
  LIVE_FILLS,
  type LiveExecution,
  type OrderJournal,
  StrategyBook,
  StrategyTotals,
} from '../../core/orders/index.js'
import { SANDBOX_FILLS, type Sandbox } from '../../core/sandbox/index.js'
import type { Database } from '../../core/storage/index.js'
import { type Clock, sessionDate } from '../../core/time/index.js'

interface StrategyBookSources {
  mode(): 'live' | 'analyze'
  clock: Clock
  log: Pick<Logger, 'warn'>
  databases: { svc: Database; sandbox: Database }
  journal: OrderJournal
  calendar: Pick<Calendar, 'sessionOf'>
  brokers: Pick<LiveExecution, 'client'>
  sandbox: Pick<Sandbox, 'books'>
  instruments: { directory: Pick<InstrumentDirectory, 'find'> }
  listed: Pick<ListedMarket, 'quote'>
}

/**
 * The broker squares off intraday positions without our tag. The sandbox's trades include its own square-off.
 */
const LIVE_RULES: LegRules = {
  sessionOf: sessionDate,
  endsWithSession: ({ product, exchange }: Contract) => product === 'MIS' && exchange !== 'CRYPTO',
}
const SANDBOX_RULES: LegRules = { sessionOf: sessionDate, endsWithSession: () => false }

/** Returns the strategy book, which computes the profit of strategies, on the parts of the service. */
export function strategyBook(sources: StrategyBookSources): StrategyBook {
  const { mode, clock, log, databases, calendar, journal, brokers, instruments, listed } = sources
  const { books } = sources.sandbox
  const live = new StrategyTotals(databases.svc, LIVE_FILLS, LIVE_RULES, log)
  const sandbox = new StrategyTotals(databases.sandbox, SANDBOX_FILLS, SANDBOX_RULES, log)
  return new StrategyBook({
    mode,
    clock,
    journal,
    broker: brokers,
    live: {
      totals: live,
      rules: LIVE_RULES,
      working: (userId, strategy) => countWorking(databases.svc, userId, strategy),
    },
    sandbox: {
      totals: sandbox,
      rules: SANDBOX_RULES,
      working: (userId, strategy) => books.countWorking(userId, strategy),
      concluded: () => books.concluded(),
      positions: async (userId) => (await books.positions(userId)).positions,
    },
    contractValue: ({ symbol, exchange }) => instruments.directory.find(symbol, exchange)?.contractValue ?? 1,
    sessionOf: (exchange, date) => calendar.sessionOf(exchange, date),
    quote: async ({ symbol, exchange }) =>
      (await listed.quote({ symbol, exchange }).catch(() => undefined))?.ltp,
  })
}
