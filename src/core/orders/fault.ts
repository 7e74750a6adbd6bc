import { type OrderOperation, orderOperation } from '../operations/index.js'
import { baseOf, messageOfAnswer, type Outcome, tellFailed } from './outcomes.js'
import type { DeskPorts } from './ports.js'

type FailureTopic = OrderOperation['failureTopic']

type Tell = (ports: Pick<DeskPorts, 'emit'>, outcome: Outcome) => void

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

/** What a failure is told as, by the topic of its operation. */
const TELLS: Readonly<Record<FailureTopic, Tell>> = {
  'order.failed': tellFailed,
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

const gtt = (outcome: Outcome) => ({ ...told(outcome), trigger_id: text(outcome, 'trigger_id') })

/**
 * Tells of a request that ended in an exception: nothing was sent for it, and what may have been sent is answered
 * otherwise.
 */
export const tellFault: Tell = (ports, outcome) => {
  const topic = orderOperation(outcome.apiType)?.failureTopic ?? 'order.failed'
  TELLS[topic](ports, outcome)
}
