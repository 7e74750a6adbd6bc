import { z } from 'zod'
import type { Calendar } from '../../core/calendar/index.js'
import type { Body, ReadCall, ReadsPort } from '../../core/flows/index.js'
import type { Instruments } from '../../core/instruments/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { ListedMarket, MarketData } from '../../core/market/index.js'
import type { OptionSources } from '../../core/options/index.js'
import { type AccountViews, type Margins, marginBody, type StrategyBook } from '../../core/orders/index.js'
import type { Clock } from '../../core/time/index.js'
import { fields } from '../../core/validation/index.js'
import { type Read, read } from '../http/api-route.js'
import { keyOnly, orderStatusBody } from '../routes/account-views.js'
import { calendarReads } from '../routes/calendar.js'
import { marketReads } from '../routes/market.js'
import { optionReads } from '../routes/options.js'
import { symbolReads } from '../routes/symbols.js'
import { answering } from './order-port.js'

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

/** A question of nodes alone: no endpoint asks it. */
const strategyPnlBody = z.strictObject({ apikey: fields.apiKeyField(), strategy: fields.text() })

/** Stands where requests have their key: a run acts for its user without one. */
const KEY = 'flow'

/**
 * What workflows read, by the bodies and answers of the endpoints: the same schemas and the same functions, without
 * the way over HTTP. Whatever happens is an answer.
 */
export function flowReads(parts: FlowReadsParts): ReadsPort {
  const reads = readsOf(parts)
  return {
    ask: (call, { apikey: _, ...body }, { userId }) =>
      answering(parts.log, call, async () => ({
        httpStatus: 200,
        body: { status: 'success', ...(await reads[call].ask({ ...body, apikey: KEY }, userId)) },
      })),
  }
}

function readsOf(parts: FlowReadsParts): Readonly<Record<ReadCall, Read>> {
  const { account, margins, strategies } = parts
  const book = (answer: (userId: string) => Promise<Body>) => read(keyOnly, (_body, userId) => answer(userId))
  return {
    ...marketReads(parts),
    ...optionReads(parts.optionSources),
    ...symbolReads(parts),
    ...calendarReads(parts),
    orderbook: book((userId) => account.orderbook(userId)),
    tradebook: book((userId) => account.tradebook(userId)),
    positionbook: book((userId) => account.positionbook(userId)),
    holdings: book((userId) => account.holdings(userId)),
    funds: book((userId) => account.funds(userId)),
    orderstatus: read(orderStatusBody, ({ orderid }, userId) => account.orderStatus(userId, orderid)),
    margin: read(marginBody, async ({ positions }, userId) => ({
      data: await margins.estimate(userId, positions),
    })),
    strategypnl: read(strategyPnlBody, ({ strategy }, userId) => strategies.profit(userId, strategy)),
  }
}
