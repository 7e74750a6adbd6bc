import type { Outcome, OutcomeTable } from '../kit/http/outcomes.js'

/** Dhan has no code of its own for orders from an address that is not registered: only its words tell it. */
const ADDRESS_REFUSED = { words: /\b(static )?IPs?\b/i, kind: 'ip_not_allowed' } as const
/** Nor for an order that does not exist. */
const UNKNOWN_ORDER = {
  words: /\bnot found\b|\bno such order\b|\binvalid order ?id\b/i,
  kind: 'not_found',
} as const

const proven = (kind: Outcome['kind'], unless?: Outcome['unless']): Outcome => ({
  kind,
  proves: true,
  ...(unless && { unless }),
})

/**
 * Dhan's codes: `DH-9nn` of trading calls, three digits of data calls. Three prove nothing: the order system failed, or did not
 * answer, or data are missing within Dhan. A 5xx proves nothing whatever its code is.
 */
export const OUTCOMES: OutcomeTable = {
  'DH-901': proven('auth'),
  'DH-902': proven('permission', ADDRESS_REFUSED),
  'DH-903': proven('permission', ADDRESS_REFUSED),
  'DH-904': proven('rate_limit'),
  'DH-905': proven('validation', ADDRESS_REFUSED),
  'DH-906': proven('rejected', UNKNOWN_ORDER),
  'DH-907': proven('not_found'),
  'DH-908': { kind: 'unavailable', proves: false },
  'DH-909': { kind: 'unavailable', proves: false },
  'DH-910': proven('rejected', ADDRESS_REFUSED),
  '800': { kind: 'unavailable', proves: false },
  '804': proven('validation'),
  '805': proven('rate_limit'),
  '806': proven('permission'),
  '807': proven('auth'),
  '808': proven('auth'),
  '809': proven('auth'),
  '810': proven('auth'),
  '811': proven('validation'),
  '812': proven('validation'),
  '813': proven('validation'),
  '814': proven('validation'),
}

/** The code of "no holdings", which is no failure. */
export const NO_HOLDINGS = 'DH-1111'
