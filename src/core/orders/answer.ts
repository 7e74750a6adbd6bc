import type { ErrorCode } from '../errors/index.js'

/** How an order request ended: the status and body of the contract, and the code that scripts act on. */
export interface Answer {
  status: number
  code: 'ok' | ErrorCode
  body: Record<string, unknown>
  /** Our reference, when the order was journalled. */
  orderRef?: string
  /** One of several orders has no known outcome yet: another answer will follow for its key. */
  inDoubt?: boolean
  /** A crash kept some of several orders from being sent; asked again in time under its key, they are. */
  unfinished?: boolean
}

export function success(body: Record<string, unknown>, orderRef?: string): Answer {
  return { status: 200, code: 'ok', body: { status: 'success', ...body }, ...(orderRef ? { orderRef } : {}) }
}

export function failure(
  code: ErrorCode,
  status: number,
  message: string,
  extra: Record<string, unknown> = {},
  orderRef?: string,
): Answer {
  const body = { status: 'error', message, ...extra }
  return { status, code, body, ...(orderRef ? { orderRef } : {}) }
}
