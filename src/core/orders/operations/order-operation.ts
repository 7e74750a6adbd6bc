import type { AlertFacts } from './alert-lines.js'
import type { Execution, QueueableExecution } from './execution.js'

/** What an operation that changes orders is and says, whoever calls it. */
interface Facts {
  /** Its kind in the latency log. */
  latencyKind: string
  /**
   * Whether it lowers the risk of the account: always, or only with some values. A signed-in person may always lower
   * risk, in semi-auto mode and while the kill switch is on. Absent for an operation that never does.
   */
  lowersRisk?: 'always' | 'by its values'
  /** The topic of the event for a failure in Live mode. */
  failureTopic:
    | 'order.failed'
    | 'order.modify_failed'
    | 'order.cancel_failed'
    | 'gtt.failed'
    | 'gtt.modify_failed'
    | 'gtt.cancel_failed'
  /** The act of the audit trail that is recorded after its answer; absent where the order itself is recorded. */
  act?: string
  /**
   * True if it only cancels. It goes before orders and passes when trading is stopped; an assistant may do it although its
   * orders wait for approval.
   */
  cancels?: true
  /** True if a node of a workflow sends it. */
  inWorkflows?: true
  /** True if the value of its orders can be known before it is sent. */
  hasValue?: true
  /** True if the statistics of the traffic log count it by itself. */
  inTraffic?: true
  /** The alert of a request that was executed. */
  alert?: AlertFacts
  /** The title of the alert of a request that failed as a whole, when it is not "Order Failed". */
  failedTitle?: string
}

/** An operation that waits for approval in semi-auto mode. */
interface Queueable extends Facts {
  queueable: true
  blocked?: undefined
  /** Its name in the approval queue, when that name differs: the string that rows store. */
  queuedAs?: string
  /** How it is executed, at once and when it is approved. */
  executes: QueueableExecution
}

/** An operation that semi-auto mode refuses, when trading is live. */
interface Blocked extends Facts {
  queueable: false
  /** The text of its refusal. */
  blocked: string
  queuedAs?: undefined
  executes: Execution
}

/**
 * The definition of an operation that changes orders. One that may wait for approval says what executes it then, so that
 * none can be queued and never executed.
 */
export type OrderOperation = Queueable | Blocked
