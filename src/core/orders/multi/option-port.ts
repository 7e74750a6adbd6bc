/** What an option order says of the contract it means. */
export interface OptionRequest {
  /** `NIFTY`, or a future that names the expiry too: `NIFTY28OCT25FUT`. */
  underlying: string
  exchange: string
  /** `DDMMMYY`; without it the one embedded in `underlying`. */
  expiryDate?: string | undefined
  /** Distance of the strikes; without it the listed strikes are counted. */
  strikeInt?: number | undefined
  /** `ATM`, `ITMn` or `OTMn`, in either case. */
  offset: string
  optionType: 'CE' | 'PE'
  /** The underlying's price where it has just been read; otherwise it is asked for. */
  underlyingLtp?: number | undefined
}

export interface ResolvedOption {
  symbol: string
  exchange: string
  underlyingLtp: number
}

/** Finds the contract an option order means (contract, api-orders 7.3). */
export interface OptionResolver {
  /** @throws ServiceError with the texts and statuses of the contract */
  resolve(request: OptionRequest): Promise<ResolvedOption>
}
