import type { OrderOperation } from '../operations/order-operation.js'
import { orderOperation } from '../operations/order-operations.js'
import type { OrderPorts } from '../ports.js'
import { messageOfResult } from '../result.js'
import { baseOf, type Outcome, publishFailed } from './publish.js'

type FailureTopic = OrderOperation['failureTopic']
type Publish = (ports: Pick<OrderPorts, 'publish'>, outcome: Outcome) => void

const text = ({ request }: Outcome, member: string): string => {
  const value = request[member]
  return typeof value === 'string' ? value : ''
}

const factsOf = (outcome: Outcome) => ({
  ...baseOf(outcome),
  symbol: text(outcome, 'symbol'),
  exchange: text(outcome, 'exchange'),
  error_message: messageOfResult(outcome.result),
})
const gttFactsOf = (outcome: Outcome) => ({ ...factsOf(outcome), trigger_id: text(outcome, 'trigger_id') })

/** Publishes a failure, by the topic of its operation. */
const PUBLISH: Readonly<Record<FailureTopic, Publish>> = {
  'order.failed': publishFailed,
  'order.modify_failed': (ports, outcome) => {
    const { exchange: _, ...facts } = factsOf(outcome)
    const { result } = outcome
    ports.publish({
      topic: 'order.modify_failed',
      result,
      facts: { ...facts, orderid: text(outcome, 'orderid') },
    })
  },
  'order.cancel_failed': (ports, outcome) => {
    const { exchange: _, symbol: __, ...facts } = factsOf(outcome)
    const { result } = outcome
    ports.publish({
      topic: 'order.cancel_failed',
      result,
      facts: { ...facts, orderid: text(outcome, 'orderid') },
    })
  },
  'gtt.failed': (ports, outcome) =>
    ports.publish({ topic: 'gtt.failed', result: outcome.result, facts: gttFactsOf(outcome) }),
  'gtt.modify_failed': (ports, outcome) =>
    ports.publish({ topic: 'gtt.modify_failed', result: outcome.result, facts: gttFactsOf(outcome) }),
  'gtt.cancel_failed': (ports, outcome) =>
    ports.publish({ topic: 'gtt.cancel_failed', result: outcome.result, facts: gttFactsOf(outcome) }),
}

/**
 * Publishes a request that ended in an exception. Nothing was sent for it: an order that may have been sent
 * ends in a result, not in an exception.
 */
export const publishFailure: Publish = (ports, outcome) => {
  const topic = orderOperation(outcome.operation)?.failureTopic ?? 'order.failed'
  PUBLISH[topic](ports, outcome)
}
