import { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import {
  type GreeksAnswer,
  manyOptionGreeks,
  multiOptionGreeksBody,
  OptionResolver,
  type OptionSources,
  optionChain,
  optionChainBody,
  optionGreeks,
  optionGreeksBody,
  optionSymbolBody,
  syntheticFuture,
  syntheticFutureBody,
} from '../../core/options/index.js'
import type { AppEnv } from '../env.js'
import { apiRoute, read } from '../http/api-route.js'

export interface OptionRoutesParts {
  identity: Identity
  options: OptionSources
}

/** Causes named in the summary of a batch. */
const SHOWN_CAUSES = 3

/** What these endpoints answer, for whoever asks: a request, or a node of a workflow. */
export function optionReads(options: OptionSources) {
  const resolver = new OptionResolver(options)
  return {
    optionsymbol: read(optionSymbolBody, async ({ underlying, exchange, offset, ...rest }) => {
      const found = await resolver.resolve({
        underlying,
        exchange,
        offset,
        optionType: rest.option_type,
        expiryDate: rest.expiry_date ?? undefined,
        strikeInt: rest.strike_int ?? undefined,
      })
      return {
        symbol: found.symbol,
        exchange: found.exchange,
        lotsize: found.lotSize,
        tick_size: found.tickSize,
        freeze_qty: found.freezeQty,
        underlying_ltp: found.underlyingLtp,
      }
    }),
    optionchain: read(optionChainBody, ({ underlying, exchange, ...rest }) =>
      optionChain(options, {
        underlying,
        exchange,
        expiryDate: rest.expiry_date,
        strikeCount: rest.strike_count ?? undefined,
        withGreeks: rest.with_greeks,
        interestRate: rest.interest_rate,
      }),
    ),
    syntheticfuture: read(syntheticFutureBody, ({ underlying, exchange, expiry_date: expiryDate }) =>
      syntheticFuture(options, { underlying, exchange, expiryDate }),
    ),
  }
}

/** Option endpoints of `/api/v1` (contract, api-market section 4). */
export function optionRoutes({ identity, options }: OptionRoutesParts): Hono<AppEnv> {
  const reads = optionReads(options)
  return new Hono<AppEnv>()
    .post('/optionsymbol', reads.optionsymbol.route(identity))
    .post('/optionchain', reads.optionchain.route(identity))
    .post('/syntheticfuture', reads.syntheticfuture.route(identity))
    .post(
      '/optiongreeks',
      apiRoute(identity, optionGreeksBody, ({ symbol, exchange, ...rest }) =>
        optionGreeks(options, {
          symbol,
          exchange,
          interestRate: rest.interest_rate,
          forwardPrice: rest.forward_price ?? undefined,
          underlyingSymbol: rest.underlying_symbol ?? undefined,
          underlyingExchange: rest.underlying_exchange ?? undefined,
          expiryTime: rest.expiry_time ?? undefined,
        }),
      ),
    )
    .post(
      '/multioptiongreeks',
      apiRoute(identity, multiOptionGreeksBody, async ({ symbols, ...common }) => {
        const requests = symbols.map(({ symbol, exchange, ...rest }) => ({
          symbol,
          exchange,
          interestRate: common.interest_rate,
          underlyingSymbol: rest.underlying_symbol ?? undefined,
          underlyingExchange: rest.underlying_exchange ?? undefined,
          expiryTime: common.expiry_time ?? undefined,
        }))
        const answers = await manyOptionGreeks(options, requests)
        return batchAnswer(answers, requests)
      }),
    )
}

/** The answers in their order with a summary; a batch has failed only when all of it has. */
function batchAnswer(
  answers: readonly (GreeksAnswer | ServiceError)[],
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
    status: failed === 0 ? 'success' : isTotal ? 'error' : 'partial',
    data: answers.map((answer, place) =>
      answer instanceof ServiceError
        ? {
            status: 'error',
            symbol: requests[place]?.symbol,
            exchange: requests[place]?.exchange,
            message: answer.message,
          }
        : answer,
    ),
    summary: { total, success: total - failed, failed },
    ...(failed > 0 && { message }),
  }
}
