import { generateURI, verifySync } from 'otplib'

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
