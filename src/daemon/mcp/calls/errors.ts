import { type ErrorCode, publicMessageOf, serviceErrorIn } from '../../../core/errors/index.js'
import type { OrderAnswer } from '../../orders/answer.js'
import type { Tool } from '../tools/index.js'

/** An answer of the order path that is no success. */
export class ToolRefusal extends Error {
  readonly code: ErrorCode
  readonly orderRef: string | undefined
  readonly body: Readonly<Record<string, unknown>>

  constructor({ body, orderRef }: OrderAnswer, code: ErrorCode) {
    super(typeof body.message === 'string' ? body.message : 'The request was refused.')
    this.name = 'ToolRefusal'
    this.code = code
    this.orderRef = orderRef
    this.body = body
  }
}

/** What a caller learns about a call that failed. */
export interface ToolError {
  message: string
  error_type: ErrorCode
  /** True if the same call may be repeated: the failed one changed nothing. */
  retry_safe: boolean
  /** Present if the failed call may have changed something: find out first, with these words. */
  verify_first?: true
  verify_with?: string
  detail?: unknown
}

/** The failures after which nobody can say whether something was executed. */
const UNCLEAR: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['outcome_unknown', 'internal'])

/** Returns the facts about a failed call. The text of an unexpected error is not among them. */
export function toolErrorOf(error: unknown, { changes, name }: Pick<Tool, 'changes' | 'name'>): ToolError {
  const known = error instanceof ToolRefusal ? error : serviceErrorIn(error)
  const code = known?.code ?? 'internal'
  const message = error instanceof ToolRefusal ? error.message : publicMessageOf(known ?? error)
  const isUnclear = changes && UNCLEAR.has(code)
  const detail =
    error instanceof ToolRefusal ? error.body : known && 'errors' in known ? known.errors : undefined
  return {
    message,
    error_type: code,
    retry_safe: !isUnclear,
    ...(isUnclear && { verify_first: true, verify_with: checkOf(name, error) }),
    ...(detail !== undefined && { detail }),
  }
}

function checkOf(tool: string, error: unknown): string {
  const ref = error instanceof ToolRefusal ? error.orderRef : undefined
  if (ref !== undefined) return `get_order_status with order_id ${ref}`
  if (tool === 'send_telegram_alert') return 'Ask the receiver.'
  return 'get_order_book and get_position_book; or repeat the call with the same idempotency_key'
}

/** An error of the protocol: it names no tool that could have run. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
  ) {
    super(message)
    this.name = 'RpcError'
  }
}
