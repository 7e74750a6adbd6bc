import type { OrderPorts } from './ports.js'
import { baseOf, messageOfAnswer, type Outcome, publishFailed } from './publish.js'

type Tell = (ports: Pick<OrderPorts, 'emit'>, outcome: Outcome) => void

const text = ({ request }: Outcome, field: string): string => {
  const value = request[field]
  return typeof value === 'string' ? value : ''
}

const publishGtt =
  (topic: 'gtt.failed' | 'gtt.modify_failed' | 'gtt.cancel_failed'): Tell =>
  (ports, outcome) =>
    ports.emit(topic, {
      ...baseOf(outcome),
      symbol: text(outcome, 'symbol'),
      exchange: text(outcome, 'exchange'),
      trigger_id: text(outcome, 'trigger_id'),
      error_message: messageOfAnswer(outcome.answer),
    })

/** Requests whose failures have a topic of their own; all others are told as `order.failed`. */
const FAILURE_TOPICS: Readonly<Record<string, Tell>> = {
  modifyorder: (ports, outcome) =>
    ports.emit('order.modify_failed', {
      ...baseOf(outcome),
      symbol: text(outcome, 'symbol'),
      orderid: text(outcome, 'orderid'),
      error_message: messageOfAnswer(outcome.answer),
    }),
  cancelorder: (ports, outcome) =>
    ports.emit('order.cancel_failed', {
      ...baseOf(outcome),
      orderid: text(outcome, 'orderid'),
      error_message: messageOfAnswer(outcome.answer),
    }),
  placegttorder: publishGtt('gtt.failed'),
  modifygttorder: publishGtt('gtt.modify_failed'),
  cancelgttorder: publishGtt('gtt.cancel_failed'),
}

/**
 * Tells of a request that ended in an exception (specification, "Order placement", step 6): nothing was sent for it,
 * what may have been sent is answered otherwise.
 */
export const publishFailure: Tell = (ports, outcome) =>
  (FAILURE_TOPICS[outcome.operation] ?? publishFailed)(ports, outcome)

/** A request that ended in an exception. */
export interface FaultyCall {
  operation: string
  userId: string
  request: object
}

/**
 * Runs a request, whoever sent it. An exception is published as the failure it is before it goes to the caller: nothing
 * was sent for it, since whatever may have been sent is a result.
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
