import type { OrderCall } from '../../../operations/index.js'
import type { Body, CallResult } from '../../ports.js'
import { type NodeResult, type NodeRun, resultOfCall } from '../definition.js'

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
