import type { OutcomeTable, PlainOutcome } from '../kit/http/outcomes.js'

/**
 * Angel's error codes, which it sends mostly with the HTTP status 200. Three prove nothing: something went wrong at Angel, and
 * an order may have been taken.
 */
export const OUTCOMES: OutcomeTable = {
  AG8001: { kind: 'auth', proves: true },
  AG8002: { kind: 'auth', proves: true },
  AG8003: { kind: 'auth', proves: true },
  AB8050: { kind: 'auth', proves: true },
  AB8051: { kind: 'auth', proves: true },
  AB1010: { kind: 'auth', proves: true },
  AB1011: { kind: 'auth', proves: true },
  AB1006: { kind: 'permission', proves: true },
  AB1008: { kind: 'validation', proves: true },
  AB1009: { kind: 'validation', proves: true },
  AB1012: { kind: 'validation', proves: true },
  AB4008: { kind: 'validation', proves: true },
  AB1013: { kind: 'not_found', proves: true },
  AB2002: { kind: 'rejected', proves: true },
  AB1004: { kind: 'unavailable', proves: false },
  AB2000: { kind: 'unavailable', proves: false },
  AB2001: { kind: 'unavailable', proves: false },
}

/** What Angel's gateway writes without its envelope. Every other text of a 403 proves nothing. */
export const PLAIN: readonly PlainOutcome[] = [
  {
    status: 403,
    words: /exceeding access rate/i,
    kind: 'rate_limit',
    proves: true,
    message: 'Angel One has refused the call: too many calls in a short time.',
  },
  {
    status: 403,
    words: /\bIPs?\b/i,
    kind: 'ip_not_allowed',
    proves: true,
    message:
      'Angel One refuses orders from this address. Register the static address of this machine with your app at smartapi.angelone.in.',
  },
]
