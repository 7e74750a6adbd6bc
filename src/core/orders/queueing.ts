import { type Answer, success } from './answer.js'
import type { KeyClaim } from './idempotency.js'
import type { QueuePort } from './ports.js'

/** A request that is to wait for approval. */
export interface ToQueue {
  userId: string
  /** Its name in the approval queue. */
  queueType: string
  payload: object
  /** The last price now, for the drift check at approval. */
  ltp: number | undefined
}

/** Stores a request for approval, with the answer under its caller's key in the same transaction. */
export async function queueRequest(queue: QueuePort, request: ToQueue, claim?: KeyClaim): Promise<Answer> {
  let answer: Answer | undefined
  const id = await queue.enqueue(
    request.userId,
    request.queueType,
    { ...request.payload },
    {
      ltp: request.ltp,
      ...(claim && {
        alongside: async (tx, pendingId) => {
          answer = queued(pendingId)
          await claim.writeIn(tx, 'semi_auto', null, answer)
        },
      }),
    },
  )
  return answer ?? queued(id)
}

function queued(pendingOrderId: number): Answer {
  return success({
    message: 'Order queued for approval in Action Center',
    mode: 'semi_auto',
    pending_order_id: pendingOrderId,
  })
}
