import type { ErrorCode, Veto } from '../../errors/index.js'
import type { SandboxRefusal } from '../schema.js'

/** Returns an expected refusal as a result. */
export function refusal(message: string, code: ErrorCode = 'refused'): SandboxRefusal {
  return { ok: false, code, message }
}

/** Asks the veto and returns its refusal as a result. */
export function vetoed(veto: Veto | undefined): SandboxRefusal | undefined {
  const reason = veto?.()
  return reason && refusal(reason.message, reason.code)
}
