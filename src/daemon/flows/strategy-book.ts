import type { Calendar } from '../../core/calendar/index.js'
import { expiryDateOf, type InstrumentDirectory } from '../../core/instruments/index.js'
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
import { type Clock, sessionDate, sessionStart } from '../../core/time/index.js'

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

type Directory = Pick<InstrumentDirectory, 'find'>

/** The broker squares off intraday positions without our tag, and settles contracts without an order. */
function liveRules(instruments: Directory): LegRules {
  const isIntraday = ({ product, exchange }: Contract) => product === 'MIS' && exchange !== 'CRYPTO'
  return {
    sessionOf: sessionDate,
    hasEnded: (leg, session) => isIntraday(leg) || hasExpired(leg, session, instruments),
  }
}

/**
 * The sandbox's trades include its own square-off and settlement. A contract that its account no longer held at expiry, because
 * strategies had bought and sold it, is not settled.
 */
function sandboxRules(instruments: Directory): LegRules {
  return { sessionOf: sessionDate, hasEnded: (leg, session) => hasExpired(leg, session, instruments) }
}

function hasExpired(contract: Contract, session: string, instruments: Directory): boolean {
  const lastSession = expiryDateOf(contract, instruments)
  return lastSession !== undefined && lastSession < session
}

/** Returns the strategy book, which computes the profit of strategies, on the parts of the service. */
export function strategyBook(sources: StrategyBookSources): StrategyBook {
  const { mode, clock, log, databases, calendar, journal, brokers, instruments, listed } = sources
  const { books } = sources.sandbox
  const rules = { live: liveRules(instruments.directory), sandbox: sandboxRules(instruments.directory) }
  const live = new StrategyTotals(databases.svc, LIVE_FILLS, rules.live, log)
  const sandbox = new StrategyTotals(databases.sandbox, SANDBOX_FILLS, rules.sandbox, log)
  return new StrategyBook({
    mode,
    clock,
    journal,
    broker: brokers,
    live: {
      totals: live,
      rules: rules.live,
      working: (userId, strategy) =>
        countWorking(databases.svc, { userId, strategy, since: sessionStart(clock.now()) }),
    },
    sandbox: {
      totals: sandbox,
      rules: rules.sandbox,
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
