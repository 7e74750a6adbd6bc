import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import {
  manyOptionGreeks,
  multiOptionGreeksPayload,
  type OptionGreeks,
  optionChain,
  optionChainPayload,
  optionGreeks,
  optionGreeksPayload,
  optionSymbolPayload,
  syntheticFuture,
  syntheticFuturePayload,
} from '../../../core/options/index.js'
import { repeatable } from '../../http/response/ready-bytes.js'
import { amount, count, message, ok, text } from '../common/answers.js'
import { keyed } from '../reads.js'
import { MARKET_REFUSALS } from './refusals.js'

const options = keyed('Options', 'data')
const greeks = keyed('Options', 'greeks')

const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '23NOV26' }
const CALL = { symbol: 'NIFTY23NOV2626000CE', exchange: 'NFO' }
const NAMED = { symbol: text, exchange: text }
/** The most causes that the summary of a batch names. */
const SHOWN_CAUSES = 3

const optionSymbolAnswer = ok({
  ...NAMED,
  lotsize: amount,
  tick_size: amount,
  freeze_qty: amount,
  underlying_ltp: amount,
})

const side = z
  .strictObject({
    symbol: text,
    label: text.meta({ description: 'ATM, ITM1, OTM1, …' }),
    ltp: amount,
    bid: amount,
    ask: amount,
    bid_qty: amount,
    ask_qty: amount,
    open: amount,
    high: amount,
    low: amount,
    prev_close: amount,
    volume: amount,
    oi: amount,
    lotsize: amount,
    tick_size: amount,
    implied_volatility: amount.optional(),
    delta: amount.optional(),
    gamma: amount.optional(),
    theta: amount.optional(),
    vega: amount.optional(),
  })
  .nullable()

export const chainAnswer = ok({
  underlying: text,
  underlying_symbol: text,
  underlying_exchange: text,
  underlying_ltp: amount,
  underlying_prev_close: amount,
  expiry_date: text,
  expiry_ts: count.nullable(),
  server_ts: count,
  atm_strike: amount,
  quotes_included: z.boolean(),
  greeks_included: z.boolean(),
  forward_price: amount.nullable(),
  chain: z.array(z.strictObject({ strike: amount, ce: side, pe: side })),
})

const syntheticFutureAnswer = ok({
  underlying: text,
  underlying_ltp: amount,
  expiry: text,
  atm_strike: amount,
  synthetic_future_price: amount,
})

const greeksAnswer = ok({
  ...NAMED,
  underlying: text,
  strike: amount,
  option_type: z.enum(['CE', 'PE']),
  expiry_date: text,
  days_to_expiry: amount,
  spot_price: amount,
  option_price: amount,
  interest_rate: amount,
  implied_volatility: amount,
  greeks: z.strictObject({ delta: amount, gamma: amount, theta: amount, vega: amount, rho: amount }),
  intrinsic_value: amount.optional(),
  time_value: amount.optional(),
  note: text.optional(),
})

const manyGreeks = z.strictObject({
  status: z.enum(['success', 'partial', 'error']),
  data: z.array(z.union([greeksAnswer, z.strictObject({ status: z.literal('error'), ...NAMED, message })])),
  summary: z.strictObject({ total: count, success: count, failed: count }),
  message: message.optional(),
})

/** Option symbols, chains and Greeks. */
export const OPTION_OPERATIONS = {
  'POST /api/v1/optionsymbol': options('Returns the option at an offset from the money.', {
    body: optionSymbolPayload,
    example: { ...NIFTY, offset: 'ATM', option_type: 'CE' },
    answer: optionSymbolAnswer,
    errors: MARKET_REFUSALS,
    tool: {
      name: 'get_option_symbol',
      title: 'Find the option at a distance from the money',
      scope: 'read:market',
      toolset: 'marketdata',
      defaults: { exchange: 'NSE_INDEX' },
      without: ['strategy'],
    },
    run: async ({ optionResolver }, { body: { underlying, exchange, offset, ...rest } }) => {
      const found = await optionResolver.resolve({
        underlying,
        exchange,
        offset,
        optionType: rest.option_type,
        expiryDate: rest.expiry_date ?? undefined,
        strikeInt: rest.strike_int ?? undefined,
      })
      return {
        status: 'success',
        symbol: found.symbol,
        exchange: found.exchange,
        lotsize: found.lotSize,
        tick_size: found.tickSize,
        freeze_qty: found.freezeQty,
        underlying_ltp: found.underlyingLtp,
      }
    },
  }),
  'POST /api/v1/optionchain': options(
    'Returns the option chain of one expiry with quotes, and with Greeks on request.',
    {
      body: optionChainPayload,
      example: { ...NIFTY, strike_count: 5, with_greeks: true },
      answer: chainAnswer,
      errors: MARKET_REFUSALS,
      run: async ({ chains, optionSources }, { body: { underlying, exchange, ...rest } }) => {
        const request = {
          underlying,
          exchange,
          expiryDate: rest.expiry_date,
          strikeCount: rest.strike_count ?? undefined,
          withGreeks: rest.with_greeks,
          interestRate: rest.interest_rate,
        }
        return repeatable(await optionChain(optionSources, request, chains))
      },
    },
  ),
  'POST /api/v1/syntheticfuture': options(
    'Computes the price of a synthetic future: a long call and a short put at the money.',
    {
      body: syntheticFuturePayload,
      example: NIFTY,
      answer: syntheticFutureAnswer,
      errors: MARKET_REFUSALS,
      tool: {
        name: 'get_synthetic_future',
        title: 'Compute a synthetic future',
        scope: 'read:market',
        toolset: 'marketdata',
        defaults: { exchange: 'NSE_INDEX' },
      },
      run: async ({ optionSources }, { body: { underlying, exchange, expiry_date: expiryDate } }) => ({
        status: 'success',
        ...(await syntheticFuture(optionSources, { underlying, exchange, expiryDate })),
      }),
    },
  ),
  'POST /api/v1/optiongreeks': greeks('Computes Greeks and implied volatility of one option.', {
    body: optionGreeksPayload,
    example: { ...CALL, underlying_symbol: 'NIFTY', underlying_exchange: 'NSE_INDEX' },
    answer: greeksAnswer,
    errors: MARKET_REFUSALS,
    latencyKind: 'GREEKS',
    tool: {
      name: 'get_option_greeks',
      title: 'Compute the Greeks of an option',
      scope: 'read:market',
      toolset: 'marketdata',
      defaults: { exchange: 'NFO' },
    },
    run: ({ optionSources }, { body: { symbol, exchange, ...rest } }) =>
      optionGreeks(optionSources, {
        symbol,
        exchange,
        interestRate: rest.interest_rate,
        forwardPrice: rest.forward_price ?? undefined,
        underlyingSymbol: rest.underlying_symbol ?? undefined,
        underlyingExchange: rest.underlying_exchange ?? undefined,
        expiryTime: rest.expiry_time ?? undefined,
      }),
  }),
  'POST /api/v1/multioptiongreeks': options('Computes Greeks of up to 50 options.', {
    body: multiOptionGreeksPayload,
    example: { symbols: [CALL, { symbol: 'NIFTY23NOV2626000PE', exchange: 'NFO' }] },
    answer: manyGreeks,
    errors: MARKET_REFUSALS,
    run: async ({ optionSources }, { body: { symbols, ...common } }) => {
      const requests = symbols.map(({ symbol, exchange, ...rest }) => ({
        symbol,
        exchange,
        interestRate: common.interest_rate,
        underlyingSymbol: rest.underlying_symbol ?? undefined,
        underlyingExchange: rest.underlying_exchange ?? undefined,
        expiryTime: common.expiry_time ?? undefined,
      }))
      return batchAnswer(await manyOptionGreeks(optionSources, requests), requests)
    },
  }),
}

/**
 * Returns the answers in the order of the requests, with a summary. A batch fails only when every request
 * fails.
 */
function batchAnswer(
  answers: readonly (OptionGreeks | ServiceError)[],
  requests: readonly { symbol: string; exchange: string }[],
) {
  const failures = answers.filter((answer) => answer instanceof ServiceError)
  const total = answers.length
  const failed = failures.length
  const causes = [...new Set(failures.map(({ message }) => message))].slice(0, SHOWN_CAUSES).join('; ')
  const isTotal = failed === total
  const message = isTotal
    ? `All option Greeks calculations failed: ${causes}`
    : `${failed} option Greeks calculation(s) failed: ${causes}`
  return {
    status: failed === 0 ? ('success' as const) : isTotal ? ('error' as const) : ('partial' as const),
    data: requests.flatMap(({ symbol, exchange }, place) => {
      const answer = answers[place]
      if (!(answer instanceof ServiceError)) return answer ?? []
      return { status: 'error' as const, symbol, exchange, message: answer.message }
    }),
    summary: { total, success: total - failed, failed },
    ...(failed > 0 && { message }),
  }
}
