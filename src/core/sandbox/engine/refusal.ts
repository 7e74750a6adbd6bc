import { ERROR_CODES } from '../../errors/index.js'
import type { SandboxRefusal, Veto } from '../schema.js'

/** Returns an expected refusal as a result. */
export function refusal(message: string, httpStatus = 400): SandboxRefusal {
  return { ok: false, httpStatus, message }
}

/** Asks the veto and returns its refusal as a result. */
export function vetoed(veto: Veto | undefined): SandboxRefusal | undefined {
  const reason = veto?.()
  return reason && { ...refusal(reason.message, ERROR_CODES[reason.code].http), code: reason.code }
}
