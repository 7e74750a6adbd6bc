import { ServiceError } from '../errors/index.js'
import { type Instrument, optionSymbol } from '../instruments/index.js'
import { atTheMoney, stepsOf, strikeLadder } from './chain/ladder.js'
import { priceMissing, symbolMissing } from './failures.js'
import { noStrikes, type OptionSeries, optionSeriesOf, underlyingQuote } from './locate-options.js'
import type { OptionSources } from './ports.js'
import type { OptionType } from './pricing/black76.js'

export interface OptionRequest {
  /** `NIFTY`, or a name with an expiry: `NIFTY28OCT25FUT`. */
  underlying: string
  exchange: string
  /** Required unless the underlying's name has an expiry; overrides that one. */
  expiryDate?: string | undefined
  /** The distance between strikes. Without it, offsets count the listed strikes. */
  strikeInt?: number | undefined
  /** `ATM`, `ITM1` to `ITM50`, `OTM1` to `OTM50`, in any case. */
  offset: string
  optionType: OptionType
  /** The underlying's price, if already known, so that all legs of an order use the same price. */
  underlyingLtp?: number | undefined
}

interface ResolvedOption {
  symbol: string
  exchange: string
  lotSize: number
  tickSize: number
  /** 1 if no limit is known. */
  freezeQty: number
  underlyingLtp: number
}

/** Resolves an offset such as `OTM2` to a listed contract, using the current price. */
export class OptionResolver {
  readonly #sources: OptionSources

  constructor(sources: OptionSources) {
    this.#sources = sources
  }

  /**
   * Returns the contract of a request.
   * @throws ServiceError `validation` without an expiry or for an offset beyond the listed strikes,
   * `not_found` if there is no such expiry or contract, or the error of the quote
   */
  async resolve(given: OptionRequest): Promise<ResolvedOption> {
    const request = { ...given, offset: given.offset.toUpperCase() }
    const series = optionSeriesOf(request)
    if (!series) {
      throw new ServiceError(
        'validation',
        'Expiry date required. Provide via expiry_date parameter or embed in underlying (e.g., NIFTY28OCT25FUT).',
      )
    }
    const underlyingLtp = request.underlyingLtp ?? (await this.#ltp(series.base, request.exchange))
    const contract =
      request.strikeInt === undefined
        ? this.#listed(series, request, underlyingLtp)
        : this.#stepped(series, request, underlyingLtp, request.strikeInt)
    return {
      symbol: contract.symbol,
      exchange: contract.exchange,
      lotSize: contract.lotSize,
      tickSize: contract.tickSize,
      freezeQty: this.#sources.catalog.freezeQuantity(contract) ?? 1,
      underlyingLtp,
    }
  }

  async #ltp(base: string, exchange: string): Promise<number> {
    const prefix = `Failed to fetch LTP for ${base}. `
    const { quote } = await underlyingQuote(this.#sources, base, exchange, prefix)
    if (quote.ltp > 0) return quote.ltp
    throw priceMissing(`Could not determine LTP for ${base}.`)
  }

  /** Counts the strikes listed for this option type. */
  #listed(series: OptionSeries, { offset, optionType }: OptionRequest, ltp: number): Instrument {
    const { base, venue, expiry } = series
    const ladder = expiry ? strikeLadder(this.#sources.catalog, base, venue, expiry) : []
    const contracts = ladder.flatMap((rung) => rung[optionType] ?? [])
    if (contracts.length === 0) throw noStrikes(series)
    const contract = contracts[atTheMoney(contracts, ltp) + stepsOf(offset, optionType)]
    if (!contract) throw outOfRange(offset)
    return contract
  }

  /** Counts steps of a fixed width from the multiple nearest to the price. */
  #stepped(
    series: OptionSeries,
    { offset, optionType }: OptionRequest,
    ltp: number,
    step: number,
  ): Instrument {
    const { base, venue, expiry } = series
    if (!expiry) throw noStrikes(series)
    const strike = (roundHalfEven(ltp / step) + stepsOf(offset, optionType)) * step
    if (strike <= 0) throw outOfRange(offset)
    const symbol = optionSymbol(base, expiry, strike, optionType)
    const contract = this.#sources.catalog.find(symbol, venue)
    if (contract) return contract
    throw symbolMissing(symbol, venue)
  }
}

function outOfRange(offset: string): ServiceError {
  return new ServiceError(
    'validation',
    `Offset ${offset} is out of range for available strikes. Please use a smaller offset.`,
  )
}

/** Rounds halves to the even neighbour, as existing clients expect. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
