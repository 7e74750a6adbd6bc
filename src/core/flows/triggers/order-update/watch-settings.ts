import { hasReference } from '../../graph/graph.js'
import type { FieldProblem } from '../../nodes/definition.js'
import type { Body } from '../../ports.js'
import { mustBeLiteral, REPEATS, type Repeat } from '../price/alert-settings.js'
import { choice, lower, type Parsed, trimmed, upper } from '../reading.js'

export const WATCH_STATUSES = ['any', 'open', 'trigger pending', 'complete', 'rejected', 'cancelled'] as const
type WatchStatus = (typeof WATCH_STATUSES)[number]

/** The conditions for order updates that start a workflow. Undefined conditions match everything. */
export interface WatchSettings {
  orderId: string | undefined
  symbol: string | undefined
  exchange: string | undefined
  status: WatchStatus
  trigger: Repeat
}

/** Reads the settings of an order-update node. */
export function readOrderUpdate(data: Readonly<Body>): Parsed<WatchSettings> {
  const status = statusOf(data.status)
  const trigger = choice('trigger', data.trigger, REPEATS)
  const problems = [...checkOrderUpdate(data), ...(trigger.problems ?? [])]
  if (problems.length > 0 || !status || !trigger.value) return { problems }
  return {
    value: {
      orderId: trimmed(data.orderId) || undefined,
      symbol: upper(data.symbol) || undefined,
      exchange: upper(data.exchange) || undefined,
      status,
      trigger: trigger.value,
    },
  }
}

/** Checks the rules of an order-update node that concern several fields. */
export function checkOrderUpdate(data: Readonly<Body>): FieldProblem[] {
  const problems = (['orderId', 'symbol', 'exchange'] as const).flatMap((field) =>
    hasReference(data[field]) ? [mustBeLiteral(field, data[field])] : [],
  )
  if (!trimmed(data.orderId) && !trimmed(data.symbol)) {
    const message = 'orderUpdateTrigger needs an Order ID or a Symbol to watch'
    problems.push({ field: 'orderId', code: 'missing_required_field', message })
  }
  if (!statusOf(data.status)) {
    const message = `orderUpdateTrigger status must be one of [${WATCH_STATUSES.join(', ')}], got '${trimmed(data.status)}'`
    problems.push({
      field: 'status',
      code: 'invalid_field',
      message,
      expected: WATCH_STATUSES,
      received: data.status,
    })
  }
  return problems
}

/** Returns a status in the form that is compared: lower case, with spaces for underscores. */
export function plainStatus(status: unknown): string {
  return lower(status).replaceAll('_', ' ')
}

function statusOf(value: unknown): WatchStatus | undefined {
  const askedStatus = plainStatus(value) || 'complete'
  return WATCH_STATUSES.find((status) => status === askedStatus)
}
