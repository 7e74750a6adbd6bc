import { z } from 'zod'
import type { Calendar } from '../../core/calendar/index.js'
import type { ReadCall, ReadsPort } from '../../core/flows/index.js'
import type { Instruments } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { ListedMarket, MarketData } from '../../core/market/index.js'
import type { OptionSources } from '../../core/options/index.js'
import type { AccountViews, Margins, StrategyBook } from '../../core/orders/index.js'
import type { Clock } from '../../core/time/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { Caller } from '../http/caller.js'
import type { Input } from '../http/handlers.js'
import { OPERATIONS } from '../operations/index.js'
import type { KnownOperationName } from '../operations/types.js'
import { calendarHandlers } from '../routes/market/calendar.js'
import { marketHandlers } from '../routes/market/market.js'
import { optionHandlers } from '../routes/market/options.js'
import { symbolHandlers } from '../routes/market/symbols.js'
import { accountViewHandlers } from '../routes/orders/account.js'
import { readResult } from './call-result.js'
import { asCallResult } from './order-port.js'

export interface FlowReadsParts {
  market: MarketData
  listed: ListedMarket
  optionSources: OptionSources
  instruments: Instruments
  calendar: Calendar
  clock: Clock
  account: AccountViews
  margins: Margins
  strategies: Pick<StrategyBook, 'profit'>
  log: Pick<Logger, 'error'>
}

/** The reads of nodes that are operations of the API. */
type OperationCall = Exclude<ReadCall, 'strategypnl'>
type OperationOf<C extends OperationCall> = `POST /api/v1/${C}` & KnownOperationName

/** The payload of a read that only nodes have: no API operation offers it. */
const strategyPnlPayload = z.strictObject({ strategy: fields.text() })

type Ask = (body: unknown, caller: Caller) => Promise<object>

/**
 * Returns the port for reads of flows. It uses the payload schemas and functions of the API operations,
 * without HTTP. Failures are results, not exceptions.
 */
export function flowReads(parts: FlowReadsParts): ReadsPort {
  const reads = readsOf(parts)
  return {
    ask: (call, { apikey: _, ...body }, { userId }) =>
      asCallResult(parts.log, call, async () =>
        readResult({ ...(await reads[call](body, { username: userId })) }),
      ),
  }
}

function readsOf(parts: FlowReadsParts): Readonly<Record<ReadCall, Ask>> {
  const { account: views, margins, strategies } = parts
  const market = marketHandlers(parts)
  const options = optionHandlers(parts.optionSources)
  const symbols = symbolHandlers(parts)
  const calendar = calendarHandlers(parts)
  const account = accountViewHandlers({ account: views })
  return {
    quotes: by('quotes', market['POST /api/v1/quotes']),
    depth: by('depth', market['POST /api/v1/depth']),
    multiquotes: by('multiquotes', market['POST /api/v1/multiquotes']),
    history: by('history', market['POST /api/v1/history']),
    intervals: by('intervals', market['POST /api/v1/intervals']),
    optionsymbol: by('optionsymbol', options['POST /api/v1/optionsymbol']),
    optionchain: by('optionchain', options['POST /api/v1/optionchain']),
    syntheticfuture: by('syntheticfuture', options['POST /api/v1/syntheticfuture']),
    symbol: by('symbol', symbols['POST /api/v1/symbol']),
    expiry: by('expiry', symbols['POST /api/v1/expiry']),
    'market/holidays': by('market/holidays', calendar['POST /api/v1/market/holidays']),
    'market/timings': by('market/timings', calendar['POST /api/v1/market/timings']),
    orderbook: by('orderbook', account['POST /api/v1/orderbook']),
    tradebook: by('tradebook', account['POST /api/v1/tradebook']),
    positionbook: by('positionbook', account['POST /api/v1/positionbook']),
    holdings: by('holdings', account['POST /api/v1/holdings']),
    funds: by('funds', account['POST /api/v1/funds']),
    // The API's functions for these two would log the read as an API request, so they are not used here.
    orderstatus: by('orderstatus', async ({ body: { orderid } }, { username }) => ({
      status: 'success',
      ...(await views.orderStatus(username, orderid)),
    })),
    margin: by('margin', async ({ body: { positions } }, { username }) => ({
      status: 'success',
      data: await margins.estimate(username, positions),
    })),
    strategypnl: async (body, { username }) => {
      const { strategy } = parseWith(strategyPnlPayload, body)
      return { status: 'success', ...(await strategies.profit(username, strategy)) }
    },
  }
}

/** Validates a body with the payload schema of an operation, then calls the operation's function. */
function by<C extends OperationCall>(
  call: C,
  run: (input: Input<OperationOf<C>>, caller: Caller) => object | Promise<object>,
): Ask {
  const schema = OPERATIONS[`POST /api/v1/${call}`].body
  return async (body, caller) => {
    const input = { body: schema && parseWith(schema, body), query: undefined, params: {} }
    return run(input as Input<OperationOf<C>>, caller)
  }
}
