import { type AlertFacts, fact, failure, orderOperation } from '../operations/index.js'

const OTHER_ALERT: AlertFacts = { title: 'Order Update', lines: () => [] }

/** Returns the alert of a request that was executed. */
export function alertOf(operation: string): AlertFacts {
  return orderOperation(operation)?.alert ?? OTHER_ALERT
}

/** Facts of a failed request that are shown if the request has them. */
const FAILED_FACTS = [
  ['Order ID', 'orderid'],
  ['Trigger ID', 'trigger_id'],
  ['Underlying', 'underlying'],
  ['Action', 'action'],
  ['Quantity', 'quantity'],
  ['Price Type', 'pricetype'],
  ['Exchange', 'exchange'],
  ['Product', 'product'],
] as const

/** Returns the alert of a request that failed as a whole: what was asked for, and the error. */
export function failedAlert(operation: string): AlertFacts {
  return {
    title:
      operation === 'gtttriggered'
        ? 'GTT Trigger Failed'
        : (orderOperation(operation)?.failedTitle ?? 'Order Failed'),
    lines: (request, response) => [
      ...(request.symbol ? [{ label: 'Symbol', symbol: request.symbol }] : []),
      ...FAILED_FACTS.flatMap(([label, name]) => (request[name] ? [fact(label, request[name])] : [])),
      failure(response),
    ],
  }
}
