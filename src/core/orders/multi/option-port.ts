/** The members of an option order that select its contract. */
export interface OptionRequest {
  /** `NIFTY`, or a future, which also names the expiry: `NIFTY28OCT25FUT`. */
  underlying: string
  exchange: string
  /** `DDMMMYY`; without it the one embedded in `underlying`. */
  expiryDate?: string | undefined
  /** Distance of the strikes; without it the listed strikes are counted. */
  strikeInt?: number | undefined
  /** `ATM`, `ITMn` or `OTMn`, in either case. */
  offset: string
  optionType: 'CE' | 'PE'
  /** The underlying's price, when the caller has just read it; otherwise the resolver reads it. */
  underlyingLtp?: number | undefined
}

export interface ResolvedOption {
  symbol: string
  exchange: string
  underlyingLtp: number
}

/** Finds the option contract for an option order. */
export interface OptionResolver {
  /** @throws ServiceError with the texts and statuses of the public API */
  resolve(request: OptionRequest): Promise<ResolvedOption>
}
