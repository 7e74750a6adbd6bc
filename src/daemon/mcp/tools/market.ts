import { z } from 'zod'
import { optionChainPayload } from '../../../core/options/index.js'
import { fields } from '../../../core/validation/index.js'
import { OPERATIONS } from '../../operations/index.js'
import * as answers from '../../operations/market/answers.js'
import { historyInput, readBars } from './bars.js'
import { computedTools, operationTools } from './build.js'
import { nearestExpiry } from './expiries.js'
import type { Tool } from './tool.js'

const market = operationTools({ scope: 'read:market', toolset: 'marketdata' })
const computed = computedTools({ scope: 'read:market', toolset: 'marketdata' })

const NSE = { exchange: 'NSE' }
const UNDERLYING = { exchange: 'NSE_INDEX' }

const { with_greeks, interest_rate, strike_count, underlying, exchange } = optionChainPayload.shape
const chainInput = z.strictObject({
  underlying,
  exchange: exchange.default('NSE_INDEX'),
  expiry_date: fields.text(32).optional(),
  strike_count,
  with_greeks,
  interest_rate,
})

export const MARKET_TOOLS: readonly Tool[] = [
  market('get_quote', 'POST /api/v1/quotes', { title: 'Get a quote', defaults: NSE }),
  market('get_multi_quotes', 'POST /api/v1/multiquotes', { title: 'Get several quotes' }),
  market('get_market_depth', 'POST /api/v1/depth', {
    title: 'Get the order book of a symbol',
    defaults: NSE,
  }),
  computed('get_option_chain', {
    title: 'Get an option chain',
    description: `${OPERATIONS['POST /api/v1/optionchain'].summary} Without expiry_date: of the next expiry.`,
    input: chainInput,
    output: answers.optionChain,
    run: async ({ expiry_date, ...rest }, desk) => {
      const expiry = expiry_date ?? (await nearestExpiry(desk, rest.underlying, rest.exchange))
      return desk.ask('POST /api/v1/optionchain', { ...rest, expiry_date: expiry })
    },
  }),
  computed('get_historical_data', {
    title: 'Get bars',
    description:
      'Returns the newest bars of one symbol, oldest first. Give start_date, lookback_days, or neither; the last one may still be forming.',
    input: historyInput,
    output: answers.candles,
    run: async (input, desk) => ({
      status: 'success',
      data: (await readBars(desk, input)).slice(-input.bars),
    }),
  }),
  market('get_available_intervals', 'POST /api/v1/intervals', { title: 'List the bar intervals' }),
  market('get_option_symbol', 'POST /api/v1/optionsymbol', {
    title: 'Find the option at a distance from the money',
    defaults: UNDERLYING,
    without: ['strategy'],
  }),
  market('get_synthetic_future', 'POST /api/v1/syntheticfuture', {
    title: 'Compute a synthetic future',
    defaults: UNDERLYING,
  }),
  market('get_option_greeks', 'POST /api/v1/optiongreeks', {
    title: 'Compute the Greeks of an option',
    defaults: { exchange: 'NFO' },
  }),
]
