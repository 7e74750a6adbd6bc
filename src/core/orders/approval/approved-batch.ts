import type { ApprovalResult, ApprovedRequest, QueuedOrder } from '../../approvals/schema.js'
import { endOfStop } from '../end.js'
import type { OrderJournal } from '../journal/journal.js'
import type { Run } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import type { Batches } from '../multi/plans/batches.js'
import type { OrderPorts } from '../ports.js'
import type { ApprovedKind } from './executor.js'
import { legsOfPlan } from './legs.js'
import { approvalOfBatch, approvalOfEnd, approvalWithoutOrder, statusIn } from './result.js'
import type { PlacedStatuses } from './statuses.js'

/** Approved requests that become other orders. */
export class ApprovedBatch implements ApprovedKind {
  constructor(
    private readonly multi: MultiOrders,
    private readonly batches: Batches,
    private readonly journal: OrderJournal,
    private readonly statuses: PlacedStatuses,
    private readonly ports: Pick<OrderPorts, 'mode'>,
  ) {}

  open({ id, operation, payload, userId }: QueuedOrder): ApprovedRequest {
    const request = this.multi.open(operation, { ...payload })
    const run = (): Run => ({ userId, source: 'approval', mode: this.ports.mode() })
    return {
      alone: (work) => request.alone(run(), work),
      recheck: () => request.recheck(run()),
      legs: () => {
        const plan = request.planned()
        return plan ? legsOfPlan(plan).map(({ shown }) => shown) : []
      },
      begin: (tx) => request.beginIn(tx, run(), id),
      send: async (batchRef) => {
        const { result, plan, ends } = await request.execute(batchRef)
        return async () => {
          if (!plan || !ends) return approvalWithoutOrder(result)
          return approvalOfBatch({ plan, ends }, await this.statuses.of(userId, batchRef, ends))
        }
      },
    }
  }

  async resume(batchRef: string): Promise<ApprovalResult> {
    const result = await this.batches.resultOf(batchRef)
    if (result) return approvalOfBatch(result, statusIn(await this.journal.inBatch(batchRef)))
    if (!(await this.batches.wasPlanned(batchRef))) return approvalOfEnd(endOfStop(batchRef))
    return approvalOfEnd({ outcome: 'in_doubt', orderRef: batchRef })
  }
}
