import { type OrderOperation, orderOperation } from '../operations/index.js'
import type { OrderPorts } from './ports.js'
import { baseOf, messageOfAnswer, type Outcome, publishFailed } from './publish.js'

type FailureTopic = OrderOperation['failureTopic']
type Tell = (ports: Pick<OrderPorts, 'emit'>, outcome: Outcome) => void

const text = ({ request }: Outcome, field: string): string => {
  const value = request[field]
  return typeof value === 'string' ? value : ''
}

const told = (outcome: Outcome) => ({
  ...baseOf(outcome),
  symbol: text(outcome, 'symbol'),
  exchange: text(outcome, 'exchange'),
  error_message: messageOfAnswer(outcome.answer),
})
const gtt = (outcome: Outcome) => ({ ...told(outcome), trigger_id: text(outcome, 'trigger_id') })

/** How a failure is published, by the topic of its operation. */
const PUBLISH: Readonly<Record<FailureTopic, Tell>> = {
  'order.failed': publishFailed,
  'order.modify_failed': (ports, outcome) => {
    const { exchange: _, ...members } = told(outcome)
    ports.emit('order.modify_failed', { ...members, orderid: text(outcome, 'orderid') })
  },
  'order.cancel_failed': (ports, outcome) => {
    const { exchange: _, symbol: __, ...members } = told(outcome)
    ports.emit('order.cancel_failed', { ...members, orderid: text(outcome, 'orderid') })
  },
  'gtt.failed': (ports, outcome) => ports.emit('gtt.failed', gtt(outcome)),
  'gtt.modify_failed': (ports, outcome) => ports.emit('gtt.modify_failed', gtt(outcome)),
  'gtt.cancel_failed': (ports, outcome) => ports.emit('gtt.cancel_failed', gtt(outcome)),
}

/**
 * Publishes a request that ended in an exception. Nothing was sent for it: an order that may have been sent
 * ends in a result, not in an exception.
 */
export const publishFailure: Tell = (ports, outcome) => {
  const topic = orderOperation(outcome.operation)?.failureTopic ?? 'order.failed'
  PUBLISH[topic](ports, outcome)
}

/** A request that ended in an exception. */
export interface FaultyCall {
  operation: string
  userId: string
  request: object
}

/**
 * Runs a request from any caller. It publishes an exception as a failure before it passes it on to the
 * caller. Nothing was sent then, because an order that may have been sent ends in a result.
 */
export async function publishingFaults<T>(
  ports: Pick<OrderPorts, 'publishFault'>,
  call: FaultyCall,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    ports.publishFault(call, error)
    throw error
  }
}
