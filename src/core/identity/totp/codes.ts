import { generateURI, verifySync } from 'otplib'
import { ServiceError } from '../../errors/index.js'

/** 160 bits, as RFC 4226 recommends. */
export const TOTP_SECRET_CHARACTERS = 32
/** The name that authenticator apps show above the account. */
const ISSUER = 'svc'
/** The clock of an authenticator may differ from ours by one step of 30 seconds. */
const DRIFT_SECONDS = 30
/** otplib throws for any other text. */
const CODE = /^\d{6}$/

/**
 * Returns the number of the 30-second step that a code belongs to, or undefined when the code is wrong now.
 * Spaces do not count, because authenticator apps show a code as `123 456`.
 */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(/\s/g, '')
  if (!CODE.test(token)) return undefined
  const result = verifySync({ secret, token, epoch: Math.floor(now / 1000), epochTolerance: DRIFT_SECONDS })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** Returns the `otpauth://` address that an authenticator app reads from the QR code. It contains the secret. */
export function provisioningUri(secret: string, email: string): string {
  return generateURI({ issuer: ISSUER, label: email, secret })
}

/** Returns the refusal of a wrong or used code. */
export function invalidCode(): ServiceError {
  return new ServiceError('unauthenticated', 'Invalid TOTP code.', { extra: { error: 'invalid_totp' } })
}

/** Returns the refusal of a request without a code that it needs. */
export function noCode(): ServiceError {
  const text = 'TOTP code is required.'
  return new ServiceError('validation', text, { errors: { totp_code: [text] } })
}
