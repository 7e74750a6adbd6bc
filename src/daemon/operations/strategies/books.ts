import { ServiceError } from '../../../core/errors/index.js'
import {
  orderCounts,
  positionsOfRun,
  profitTotals,
  rowsOfRun,
  tradedRun,
} from '../../../core/strategies/index.js'
import type { RunningService } from '../../daemon.js'
import { HttpRefusal } from '../../http/response/error-status.js'
import * as account from '../account/book-schemas.js'
import { rowId } from '../common/row-id.js'
import { ID, missing, reading, runQuery, strategies } from './strategy-facts.js'

const NO_API_KEY = 'No API key is configured for this user'

/** A book of the account of a run: of the given run, or of the newest. */
const ofRun = {
  ...reading,
  ...ID,
  query: runQuery,
  errors: [...missing, 'validation', 'broker_rejected', 'broker_missing', 'broker_protocol'],
} as const

/**
 * The books of the account that a run traded on: the broker's for a live run, otherwise the sandbox's, whatever the
 * mode of the service is.
 */
export const STRATEGY_BOOK_OPERATIONS = {
  'GET /strategy/api/strategies/:id/orderbook': strategies(
    'Lists the orders of a run in the order book of today.',
    {
      ...ofRun,
      answer: account.orderbook,
      run: async (service, { params, query }, { username }) => {
        const of = await traded(service, params.id, query.run_id, username)
        if (!of) return { status: 'success', data: { orders: [], statistics: orderCounts([]) } }
        const book = await readable(of.account.orderbook(username))
        const orders = rowsOfRun(book.data.orders, of.orders)
        return { status: 'success', ...book, data: { orders, statistics: orderCounts(orders) } }
      },
    },
  ),
  'GET /strategy/api/strategies/:id/tradebook': strategies(
    'Lists the trades of a run in the trade book of today.',
    {
      ...ofRun,
      answer: account.tradebook,
      run: async (service, { params, query }, { username }) => {
        const of = await traded(service, params.id, query.run_id, username)
        if (!of) return { status: 'success', data: [] }
        const book = await readable(of.account.tradebook(username))
        return { status: 'success', ...book, data: rowsOfRun(book.data, of.orders) }
      },
    },
  ),
  'GET /strategy/api/strategies/:id/positions': strategies(
    'Lists the positions of the contracts that a run traded.',
    {
      ...ofRun,
      answer: account.positionbook,
      run: async (service, { params, query }, { username }) => {
        const of = await traded(service, params.id, query.run_id, username)
        if (!of) return { status: 'success', data: [] }
        const book = await readable(of.account.positionbook(username))
        if (!('mode' in book)) return { status: 'success', data: positionsOfRun(book.data, of.orders) }
        const data = positionsOfRun(book.data, of.orders)
        return { status: 'success', ...book, data, ...profitTotals(data) }
      },
    },
  ),
}

/** Returns a run with its orders and the books of the account it traded on; undefined without a run. */
async function traded(
  { account, identity, strategyCatalog, strategyHistory }: RunningService,
  id: string,
  runId: number | undefined,
  user: string,
) {
  const strategy = await strategyCatalog.get(user, rowId(id))
  if (!identity.apiKeys.has(user)) throw new ServiceError('refused', NO_API_KEY)
  const found = await tradedRun(strategyHistory, strategy.id, runId)
  return found && { ...found, account: account.of(found.run.mode === 'live' ? 'live' : 'analyze') }
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
