import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { optionChainPayload } from '../../../core/options/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { chainAnswer, OPTION_OPERATIONS } from '../../operations/market/options.js'
import { candles } from '../../operations/market/prices.js'
import { historyInput, readBars } from './bars.js'
import { computedTools } from './build.js'
import type { Tool, ToolContext } from './tool.js'

const expiryAnswer = z.object({ data: z.array(z.string()) })

/** The exchange of the contracts on underlyings of an exchange. */
const CONTRACTS: Readonly<Record<string, string>> = {
  NSE: 'NFO',
  NSE_INDEX: 'NFO',
  BSE: 'BFO',
  BSE_INDEX: 'BFO',
  MCX_INDEX: 'MCX',
}

/**
 * Returns the next expiry of the options on an underlying, as an option request takes it (24DEC26).
 * @throws ServiceError `not_found`
 */
async function nearestExpiry(context: ToolContext, underlying: string, exchange: string): Promise<string> {
  const answer = await context.ask('POST /api/v1/expiry', {
    symbol: underlying,
    exchange: CONTRACTS[exchange] ?? exchange,
    instrumenttype: 'options',
  })
  const [next] = parseWith(expiryAnswer, answer).data
  if (next === undefined) throw new ServiceError('not_found', `No options on ${underlying} are listed.`)
  return next.replaceAll('-', '')
}

const computed = computedTools({ scope: 'read:market', toolset: 'marketdata' })

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
  computed('get_option_chain', {
    title: 'Get an option chain',
    description: `${OPTION_OPERATIONS['POST /api/v1/optionchain'].summary} Without expiry_date: of the next expiry.`,
    input: chainInput,
    output: chainAnswer,
    run: async ({ expiry_date, ...rest }, context) => {
      const expiry = expiry_date ?? (await nearestExpiry(context, rest.underlying, rest.exchange))
      return context.ask('POST /api/v1/optionchain', { ...rest, expiry_date: expiry })
    },
  }),
  computed('get_historical_data', {
    title: 'Get bars',
    description:
      'Returns the newest bars of one symbol, oldest first. Give start_date, lookback_days, or neither; the last one may still be forming.',
    input: historyInput,
    output: candles,
    run: async (input, context) => ({
      status: 'success',
      data: (await readBars(context, input)).slice(-input.bars),
    }),
  }),
]
