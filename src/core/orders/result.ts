import type { ErrorCode } from '../errors/index.js'

/** How an order request ended: the status and body of the contract, and the code that scripts act on. */
export interface OrderResult {
  status: number
  code: 'ok' | ErrorCode
  body: Record<string, unknown>
  /** Our reference, when the order was journalled. */
  orderRef?: string
  /** One of several orders has no known outcome yet: another answer will follow for its key. */
  inDoubt?: boolean
  /** A crash or a stop kept some of several orders from being sent; asked again in time under its key, they are. */
  unfinished?: boolean
}

/** An answer as it is kept beside its order: all that whoever asks again must be told alike. */
export function storedAnswer({ status, code, body }: OrderResult): string {
  return JSON.stringify({ status, code, body })
}

/** The answer to an order that was kept by {@link storedAnswer}. */
export function answerFrom(stored: string, orderRef: string): OrderResult {
  return { ...(JSON.parse(stored) as Pick<OrderResult, 'status' | 'code' | 'body'>), orderRef }
}

export function success(body: Record<string, unknown>, orderRef?: string): OrderResult {
  return { status: 200, code: 'ok', body: { status: 'success', ...body }, ...(orderRef ? { orderRef } : {}) }
}

export function failure(
  code: ErrorCode,
  status: number,
  message: string,
  extra: Record<string, unknown> = {},
  orderRef?: string,
): OrderResult {
  const body = { status: 'error', message, ...extra }
  return { status, code, body, ...(orderRef ? { orderRef } : {}) }
}
