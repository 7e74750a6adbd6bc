/** Failures before any byte of the request is sent: name look-up, connect, TLS handshake. */
const BEFORE_SEND_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** The same, identified by the failed system call, for any code (EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, …). */
const BEFORE_SEND_SYSCALLS: ReadonlySet<string> = new Set(['connect', 'getaddrinfo'])

/**
 * Returns whether the failure of a `fetch` came before the first byte of the request could be sent. Unknown errors count
 * as no.
 */
export function neverLeft(thrown: unknown): boolean {
  const error = rootOf(thrown)
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(neverLeft)
  return (
    BEFORE_SEND_CODES.has(textField(error, 'code')) || BEFORE_SEND_SYSCALLS.has(textField(error, 'syscall'))
  )
}

/** Returns the reason of a failed `fetch`: its code, or its words. It may quote the address. */
export function reasonOf(thrown: unknown): string {
  const error = rootOf(thrown)
  return textField(error, 'code') || (error instanceof Error ? error.message : 'the connection failed')
}

/** `fetch` wraps the original error; the innermost error has the reason. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? rootOf(thrown.cause) : thrown
}

function textField(value: unknown, field: 'code' | 'syscall'): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined
  return typeof found === 'string' ? found : ''
}
