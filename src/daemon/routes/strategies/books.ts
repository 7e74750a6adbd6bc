import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import type { AccountViews } from '../../../core/orders/index.js'
import {
  orderCounts,
  positionsOfRun,
  profitTotals,
  rowsOfRun,
  type StrategyCatalog,
  type StrategyHistory,
  type TradedRun,
  tradedRun,
} from '../../../core/strategies/index.js'
import { isObject } from '../../../core/validation/index.js'
import type { Handlers } from '../../http/handlers.js'
import { HttpRefusal } from '../../http/response/error-status.js'
import { idIn } from './request.js'

const NO_API_KEY = 'No API key is configured for this user'
const success = { status: 'success' } as const

interface BookParts {
  identity: Pick<Identity, 'apiKeys'>
  strategyCatalog: StrategyCatalog
  strategyHistory: StrategyHistory
  account: AccountViews
}

/** A run, with the books of the account it traded on. */
interface Traded extends TradedRun {
  account: AccountViews
  isLive: boolean
}

/**
 * Returns the handlers for the order book, the trade book and the positions of a run: the broker's for a live run,
 * otherwise the sandbox's, whatever the mode of the service is.
 */
export function strategyBookHandlers({ account, identity, strategyCatalog, strategyHistory }: BookParts) {
  const traded = async (id: string, runId: number | undefined, user: string): Promise<Traded | undefined> => {
    const strategy = await strategyCatalog.get(user, idIn(id))
    if (!identity.apiKeys.has(user)) throw new ServiceError('refused', NO_API_KEY)
    const found = await tradedRun(strategyHistory, strategy.id, runId)
    const isLive = found?.run.mode === 'live'
    return found && { ...found, isLive, account: account.of(isLive ? 'live' : 'analyze') }
  }
  return {
    'GET /strategy/api/strategies/:id/orderbook': async ({ params, query }, { username }) => {
      const of = await traded(params.id, query.run_id, username)
      if (!of) return { ...success, data: { orders: [], statistics: orderCounts([]) } }
      const book = await readable(of.account.orderbook(username))
      const orders = rowsOfRun(rowsIn(book.data, 'orders'), of.orders)
      return { ...success, ...book, data: { orders, statistics: orderCounts(orders) } }
    },
    'GET /strategy/api/strategies/:id/tradebook': async ({ params, query }, { username }) => {
      const of = await traded(params.id, query.run_id, username)
      if (!of) return { ...success, data: [] }
      const book = await readable(of.account.tradebook(username))
      return { ...success, ...book, data: rowsOfRun(rowsIn(book), of.orders) }
    },
    'GET /strategy/api/strategies/:id/positions': async ({ params, query }, { username }) => {
      const of = await traded(params.id, query.run_id, username)
      if (!of) return { ...success, data: [] }
      const book = await readable(of.account.positionbook(username))
      const data = positionsOfRun(rowsIn(book), of.orders)
      return { ...success, ...book, data, ...(!of.isLive && profitTotals(data)) }
    },
  } satisfies Partial<Handlers>
}

/**
 * Answers 502 for a book that the account refuses. A 401 would say that the session of the caller has ended, and it is
 * only that of the broker.
 */
async function readable<T>(book: Promise<T>): Promise<T> {
  try {
    return await book
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new HttpRefusal(error.code, error.message, 502, { cause: error })
  }
}

/** Returns the rows of a book. */
function rowsIn(book: unknown, member = 'data'): Record<string, unknown>[] {
  const rows: unknown = isObject(book) ? book[member] : undefined
  return Array.isArray(rows) ? rows.filter(isObject) : []
}
