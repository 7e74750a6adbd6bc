import { ServiceError } from '../../../core/errors/index.js'
import {
  ChainMemory,
  manyOptionGreeks,
  type OptionChain,
  type OptionGreeks,
  OptionResolver,
  type OptionSources,
  optionChain,
  optionGreeks,
  syntheticFuture,
} from '../../../core/options/index.js'
import type { Handlers } from '../../http/handlers.js'
import { repeatable } from '../../http/response/ready-bytes.js'

/** The most causes that the summary of a batch names. */
const SHOWN_CAUSES = 3

/** Returns the handlers for option symbols, chains and Greeks. */
export function optionHandlers(options: OptionSources) {
  const resolver = new OptionResolver(options)
  const chains = new ChainMemory<OptionChain>()
  return {
    'POST /api/v1/optionsymbol': async ({ body: { underlying, exchange, offset, ...rest } }) => {
      const found = await resolver.resolve({
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
    'POST /api/v1/optionchain': async ({ body: { underlying, exchange, ...rest } }) => {
      const request = {
        underlying,
        exchange,
        expiryDate: rest.expiry_date,
        strikeCount: rest.strike_count ?? undefined,
        withGreeks: rest.with_greeks,
        interestRate: rest.interest_rate,
      }
      return repeatable(await optionChain(options, request, chains))
    },
    'POST /api/v1/syntheticfuture': async ({ body: { underlying, exchange, expiry_date: expiryDate } }) => ({
      status: 'success',
      ...(await syntheticFuture(options, { underlying, exchange, expiryDate })),
    }),
    'POST /api/v1/optiongreeks': async ({ body: { symbol, exchange, ...rest } }) => ({
      ...(await optionGreeks(options, {
        symbol,
        exchange,
        interestRate: rest.interest_rate,
        forwardPrice: rest.forward_price ?? undefined,
        underlyingSymbol: rest.underlying_symbol ?? undefined,
        underlyingExchange: rest.underlying_exchange ?? undefined,
        expiryTime: rest.expiry_time ?? undefined,
      })),
    }),
    'POST /api/v1/multioptiongreeks': async ({ body: { symbols, ...common } }) => {
      const requests = symbols.map(({ symbol, exchange, ...rest }) => ({
        symbol,
        exchange,
        interestRate: common.interest_rate,
        underlyingSymbol: rest.underlying_symbol ?? undefined,
        underlyingExchange: rest.underlying_exchange ?? undefined,
        expiryTime: common.expiry_time ?? undefined,
      }))
      return batchAnswer(await manyOptionGreeks(options, requests), requests)
    },
  } satisfies Partial<Handlers>
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
