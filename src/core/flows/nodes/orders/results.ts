import type { OrderCall } from '../../../orders/index.js'
import type { Body, CallResult } from '../../ports.js'
import { type NodeResult, type NodeRun, resultOfCall } from '../definition.js'
import { flags, list, number, numbers, object, optional, optionals, text, texts } from '../output.js'

/** The key under which the order journal and the tag of the broker know the order. */
export const ORDER_REF = optionals(texts('order_ref'))

/** The results of the parts of an order. A failed part has a message instead of an id. */
export const PARTS = {
  results: list(
    object({
      ...numbers('order_num', 'quantity'),
      status: text(),
      ...optionals(texts('orderid', 'message')),
    }),
    'One entry per order, with `orderid` or `message`.',
  ),
  failed: number('Number of failed orders.'),
}

/** The pieces of an order that is above the freeze quantity. */
const PIECES = list(
  object({
    ...numbers('order_num', 'quantity'),
    status: text(),
    ...optionals(texts('orderid', 'message', 'order_ref')),
  }),
)

/** The members that only an order in pieces has. */
export const IN_PIECES = optionals({
  total_quantity: number('Present if the order was sent in pieces: their sum.'),
  split_size: number('The size of a full piece.'),
  results: { ...PIECES, description: 'One entry per piece. `orderid` is the first.' },
})

/** The results of the positions of a close. */
export const CLOSURES = optionals({
  results: list(
    object({
      ...texts('symbol', 'exchange', 'product', 'status'),
      ...optionals(texts('orderid', 'message', 'order_ref')),
      ...optionals(numbers('total_quantity', 'split_size')),
      split_results: optional(PIECES),
    }),
    'One entry per position. Present if one stays open or was closed in pieces.',
  ),
})

/** The results of the lines of a basket. */
export const LINES = {
  results: list(
    object({
      ...texts('symbol', 'status'),
      ...optionals(texts('exchange', 'product', 'orderid', 'message')),
      ...optionals(flags('batch_order', 'is_last_order')),
    }),
    'One entry per order, buys first, with `orderid` or `message`.',
  ),
  failed: number('Number of failed orders.'),
}

/** The results of the legs of an option strategy. A split leg has `orders`. */
export const LEGS = {
  results: list(
    object({
      leg: number(),
      ...texts('action', 'offset', 'option_type', 'status'),
      ...optionals(texts('symbol', 'exchange', 'product', 'mode', 'orderid', 'message')),
      ...optionals(numbers('total_quantity', 'split_size')),
      split_results: optional(
        list(
          object({
            ...numbers('order_num', 'quantity'),
            status: text(),
            ...optionals(texts('orderid', 'message')),
          }),
        ),
      ),
    }),
    'One entry per leg, in their order, with `orderid` or `message`.',
  ),
  failed: number('Number of failed legs.'),
}

/** Sends an order and logs the request and its result. */
export async function sendOrder(
  run: NodeRun,
  announcement: string,
  call: OrderCall,
  body: Body,
): Promise<NodeResult> {
  run.log(announcement)
  const result = withFailures(await run.order(call, body))
  run.log(`Order result: ${JSON.stringify(result)}`, levelOf(result))
  return result
}

function levelOf({ status, failed }: NodeResult): 'info' | 'warn' | 'error' {
  if (status === 'error') return 'error'
  return failed === undefined || failed === 0 ? 'info' : 'warn'
}

/**
 * Counts the failed orders of a request. If all of them failed, the node fails too, so that its branch does
 * not continue as if something had been traded.
 */
function withFailures(answer: CallResult): NodeResult {
  const { ok, parts } = answer
  const result = resultOfCall(answer)
  if (!ok || !parts) return result
  const failures = parts.filter((part) => !part.ok)
  const counted = { ...result, failed: failures.length }
  const [first] = failures
  if (!first || failures.length < parts.length) return counted
  const reason = first.message === undefined ? '' : `: ${first.message}`
  const message = `All ${parts.length} orders failed${reason}`
  return { ...counted, status: 'error', message, error: message }
}
