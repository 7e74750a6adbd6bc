import type { AlertFacts } from './alert-lines.js'

/**
 * The properties of an operation that changes orders, independent of its caller and of how it is executed.
 */
export interface OrderOperation {
  /** Its name in the approval queue, when that name differs: the string that rows store. */
  queuedAs?: string
  /** Its kind in the latency log. */
  latencyKind: string
  /** True if it waits for approval in semi-auto mode. An operation is either queueable or `blocked`. */
  queueable: boolean
  /** The text of its refusal in semi-auto mode, when trading is live. */
  blocked?: string
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
