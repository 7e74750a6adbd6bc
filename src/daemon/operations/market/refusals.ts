/** The refusals of operations that ask the broker for prices. */
export const MARKET_REFUSALS = [
  'refused',
  'not_found',
  'unsupported',
  'broker_rejected',
  'broker_missing',
  'broker_protocol',
] as const
