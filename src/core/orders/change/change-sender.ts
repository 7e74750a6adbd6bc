import { type BrokerClient, BrokerError, serviceErrorFor } from '../../brokers/broker.js'
import { messageOf, ServiceError, type Veto } from '../../errors/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { heldInSemiAuto, mayAlways } from '../approval/semi-auto.js'
import type { BrokerTimer } from '../broker-time.js'
import { requireCaller, requireRight } from '../deadline.js'
import { UNKNOWN_CHANGE } from '../end.js'
import { type BlockedOperation, isCancel } from '../operations/order-operations.js'
import { needsApproval, switchedSince } from '../pipeline/last-check.js'
import { certainRefusal } from '../place/live-sender.js'
import type { LiveExecution, OrderPorts, PlaceContext, QueuePort } from '../ports.js'
import { type OrderResult, resultOfError } from '../result.js'

/** The services that sending uses. */
interface Services {
  clock: Clock
  risk: RiskGate
  broker: LiveExecution
  queue: Pick<QueuePort, 'shouldQueue'>
  ports: OrderPorts
}

/** A change, and the broker and the account it is meant for. All are decided once, when the change arrives. */
export interface Target {
  operation: BlockedOperation
  context: PlaceContext
  broker: string
  accountId: string | undefined
  /** Measures the change at the broker or in the sandbox. */
  exchange: BrokerTimer
  /** True when the values of the change lower risk, and a signed-in person makes it. */
  lowers?: true
}

/**
 * Waits for the broker's slot, then checks a last time that the change may be sent. The caller sends it next,
 * without another wait. @throws ServiceError
 */
type LiveTurn = () => Promise<void>

/** Sends changes to the broker, each after a last check of modes, broker, account and kill switch. */
export class ChangeSender {
  constructor(private readonly services: Services) {}

  /**
   * Sends a change to the broker. The result is the broker's answer, its refusal, or "not known": a failure
   * after the request may have left counts as not known. A change of several calls that is half done says what is done. If
   * the broker cannot be read before that, nothing was sent.
   * @throws any other error of a failure before the request
   */
  async atBroker(
    fallback: string,
    target: Target,
    change: (client: BrokerClient, exchange: BrokerTimer, turn: LiveTurn) => Promise<OrderResult>,
  ): Promise<OrderResult> {
    const { broker } = this.services
    const { exchange } = target
    const turn = async () => {
      await broker.orderSlot(isCancel(target.operation) ? 'cancel' : 'order')
      this.#requireAllowed(target)
    }
    try {
      return await change(broker.client(), exchange, turn)
    } catch (error) {
      const certain = certainRefusal(error, fallback)
      if (certain) return resultOfError(certain)
      if (!exchange.begun && error instanceof BrokerError)
        return resultOfError(serviceErrorFor(error, error.message || fallback))
      if (!exchange.begun) throw error
      this.services.ports.log.error('change_in_doubt', { error: messageOf(error) })
      if (isHalfDone(error)) return { outcome: 'in_doubt', message: error.message, isHalfDone: true }
      return { outcome: 'in_doubt', message: UNKNOWN_CHANGE }
    }
  }

  /**
   * The final check before a change is sent: mode, order mode, broker and account are those it was decided for.
   * @throws ServiceError `conflict`, `kill_switch`, `request_expired`
   */
  #requireAllowed(target: Target): void {
    const { broker, clock, ports, queue } = this.services
    const { accountId, broker: decided, context, lowers, operation } = target
    const held = () => (heldInSemiAuto(queue, context, operation, lowers) ? needsApproval('this') : undefined)
    const now = { mode: ports.mode(), broker }
    const refused = switchedSince({ mode: 'live', broker: decided, accountId }, now, 'this') ?? held()
    if (refused) throw new ServiceError(refused.code, refused.message)
    requireRight(context)
    if (isCancel(operation)) return
    const stopped = this.stopped(target)
    if (stopped) throw new ServiceError(stopped.code, stopped.message)
    requireCaller(clock, context)
  }

  /**
   * Returns the final check before a change of the simulated account: the mode is still that of its decision, and trading is
   * not stopped.
   */
  simulatedVeto(target: Target): Veto {
    const { ports } = this.services
    const stopped = () => (isCancel(target.operation) ? undefined : this.stopped(target))
    return () => switchedSince({ mode: 'analyze' }, { mode: ports.mode() }, 'this') ?? stopped()
  }

  /** Returns why trading is stopped for a change. */
  stopped({ context, lowers, operation }: Target): ReturnType<RiskGate['stopped']> {
    return mayAlways(context, operation, lowers) ? undefined : this.services.risk.stopped()
  }
}

/** Returns whether a change of several calls failed after the first one. */
function isHalfDone(error: unknown): error is BrokerError {
  return error instanceof BrokerError && error.isHalfDone
}
