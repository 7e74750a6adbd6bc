import { isObject } from '../../language/interpolation.js'
import type { Body, OrderCall } from '../../ports.js'
import type { NodeResult, NodeRun } from '../definition.js'

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
function withFailures(result: NodeResult): NodeResult {
  const { results } = result
  if (result.status === 'error' || !Array.isArray(results)) return result
  const failures = results.filter((one: unknown) => !isObject(one) || one.status !== 'success')
  const counted = { ...result, failed: failures.length }
  if (failures.length === 0 || failures.length < results.length) return counted
  const [first]: unknown[] = failures
  const reason = isObject(first) && typeof first.message === 'string' ? `: ${first.message}` : ''
  const message = `All ${results.length} orders failed${reason}`
  return { ...counted, status: 'error', message, error: message }
}
