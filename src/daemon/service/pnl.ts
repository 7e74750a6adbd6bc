import { type BrokerClient, brokerFailure } from '../../core/brokers/index.js'
import type { Calendar } from '../../core/calendar/index.js'
import type { InstrumentDirectory } from '../../core/instruments/index.js'
import type { ListedMarket, MarketData } from '../../core/market/index.js'
import type { LiveExecution } from '../../core/orders/index.js'
import { type BarSource, type BookSource, PnlTracker } from '../../core/pnl/index.js'
import type { Sandbox } from '../../core/sandbox/index.js'
import type { Clock } from '../../core/time/index.js'

interface PnlSources {
  mode(): 'live' | 'analyze'
  clock: Clock
  brokers: Pick<LiveExecution, 'client' | 'brokerId'>
  sandbox: Pick<Sandbox, 'books'>
  market: Pick<MarketData, 'history'>
  listed: Pick<ListedMarket, 'quotes' | 'requireListed'>
  instruments: { directory: Pick<InstrumentDirectory, 'find'> }
  calendar: Pick<Calendar, 'sessionOf'>
  alwaysOpen(): boolean
}

/** Returns the tracker of the profit and loss of a day, on the parts of the service. */
export function pnlTracker(sources: PnlSources): PnlTracker {
  const { clock, instruments } = sources
  return new PnlTracker({
    clock,
    books: booksOf(sources),
    bars: barsOf(sources),
    contractValue: ({ symbol, exchange }) => instruments.directory.find(symbol, exchange)?.contractValue ?? 1,
  })
}

/** Reads the books of the mode: the sandbox's, or the broker's, which have one account for all users. */
function booksOf({ brokers, mode, sandbox: { books } }: PnlSources): BookSource {
  const ask = async <T>(question: (client: BrokerClient) => Promise<T>): Promise<T> => {
    try {
      return await question(brokers.client())
    } catch (error) {
      throw brokerFailure(error)
    }
  }
  return {
    account: (userId) => JSON.stringify([mode(), brokers.brokerId, userId]),
    trades: async (userId) => {
      // The sandbox's book has the newest trade first; trades of one second stay in their order.
      if (mode() === 'analyze') return (await books.tradebook(userId)).reverse()
      const trades = await ask((client) => client.orders.trades())
      return trades.map(({ price: average_price, ...row }) => ({ ...row, average_price }))
    },
    positions: async (userId) => {
      if (mode() !== 'analyze') return ask((client) => client.portfolio.positions())
      const { positions } = await books.positions(userId)
      return positions.map(({ unrealized_pnl: unrealized, ...row }) => ({ ...row, unrealized }))
    },
  }
}

function barsOf({ alwaysOpen, brokers, calendar, listed, market }: PnlSources): BarSource {
  return {
    broker: () => brokers.brokerId,
    history: async (query) => {
      listed.requireListed(query)
      return market.history(query)
    },
    previousCloses: async (refs) =>
      (await listed.quotes(refs)).map((quote) => ('error' in quote ? 0 : quote.prevClose)),
    closesAt: (exchange, date) => (alwaysOpen() ? undefined : calendar.sessionOf(exchange, date)?.close),
  }
}
