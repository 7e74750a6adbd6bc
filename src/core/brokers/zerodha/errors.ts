import type { OutcomeTable } from '../kit/http/outcomes.js'

/** Kite refuses orders from an address that the app does not name as it refuses anything else that is not permitted. */
const ADDRESS_REFUSED = /\bIPs?\b/i

/**
 * Kite's `error_type`s. Three prove nothing: the gateway lost the order system, could not read its response, or does not
 * know the outcome.
 */
export const OUTCOMES: OutcomeTable = {
  TokenException: { kind: 'auth', proves: true },
  PermissionException: {
    kind: 'permission',
    proves: true,
    unless: { words: ADDRESS_REFUSED, kind: 'ip_not_allowed' },
  },
  UserException: { kind: 'permission', proves: true },
  InputException: { kind: 'validation', proves: true },
  OrderException: { kind: 'rejected', proves: true },
  MarginException: { kind: 'rejected', proves: true },
  HoldingException: { kind: 'rejected', proves: true },
  NetworkException: { kind: 'unavailable', proves: false },
  DataException: { kind: 'protocol', proves: false },
  GeneralException: { kind: 'unavailable', proves: false },
}
