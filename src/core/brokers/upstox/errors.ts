import type { OutcomeTable } from '../kit/http/outcomes.js'

/**
 * Upstox refuses orders from an address that the account does not name, and documents no code for it: its words alone tell it
 * from other refusals.
 */
export const ADDRESS_REFUSED = /\bips?\b/i

/** The codes with a meaning of their own. With a status of 4xx, any other code proves a refusal, too. */
export const OUTCOMES: OutcomeTable = {
  UDAPI100050: { kind: 'auth', proves: true },
  UDAPI10005: { kind: 'rate_limit', proves: true },
  UDAPI100011: { kind: 'validation', proves: true },
  UDAPI100016: { kind: 'validation', proves: true },
  UDAPI100036: { kind: 'validation', proves: true },
  UDAPI100038: { kind: 'validation', proves: true },
  UDAPI1004: { kind: 'validation', proves: true },
  UDAPI1007: { kind: 'validation', proves: true },
  UDAPI1055: { kind: 'validation', proves: true },
  UDAPI1056: { kind: 'validation', proves: true },
  // The funds are closed from 00:00 to 05:30.
  UDAPI100072: { kind: 'unavailable', proves: true },
  // Any failure, also a delivery sale without an authorisation (eDIS): it is a refusal with a status of 4xx alone.
  UDAPI100500: { kind: 'rejected', proves: false },
  UDAPI1158: { kind: 'rejected', proves: true },
}
