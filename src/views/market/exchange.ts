import type { Body } from '../../client/endpoints.js'

export type Exchange = Body<'symbol'>['exchange']

/** Every exchange of the API; the type asks for each of them. */
const EVERY: Readonly<Record<Exchange, true>> = {
  NSE: true,
  BSE: true,
  NFO: true,
  BFO: true,
  CDS: true,
  BCD: true,
  MCX: true,
  NCDEX: true,
  NCO: true,
  NSE_INDEX: true,
  BSE_INDEX: true,
  MCX_INDEX: true,
  GLOBAL_INDEX: true,
  CRYPTO: true,
}

/** The exchanges, the most used first. */
export const EXCHANGES = Object.keys(EVERY)

const KNOWN: ReadonlySet<string> = new Set(EXCHANGES)

export const isExchange = (code: string): code is Exchange => KNOWN.has(code)

/** The exchanges that take orders: indices have prices alone. */
export const TRADED_EXCHANGES: readonly Exchange[] = EXCHANGES.filter(isExchange).filter(
  (code) => !code.endsWith('_INDEX'),
)

export const isTraded = (code: string): code is Exchange => TRADED_EXCHANGES.some((one) => one === code)
