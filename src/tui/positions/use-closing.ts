import { randomUUID } from 'node:crypto'
import { useDaemon } from '../live/use-daemon.js'
import type { Questioning } from '../question/use-question.js'
import { useReview } from '../review/use-review.js'
import { closeAllReview, closeReview } from './close-reviews.js'
import type { PositionRow } from './feeds.js'

export interface Closing {
  reviewing: Questioning
  close(position: PositionRow | undefined): Promise<void>
  closeAll(): Promise<void>
}

/** Leads from a key to the orders that close positions: the review first, then one request. */
export function useClosing(): Closing {
  const { changes } = useDaemon()
  const reviewing = useReview()
  return {
    reviewing,
    async close(position) {
      if (position === undefined) return changes.say('No position is selected.')
      const key = randomUUID()
      await reviewing.askForOrders((client, account) => closeReview(client, account, position, key))
    },
    async closeAll() {
      const key = randomUUID()
      await reviewing.askForOrders((client, account) => closeAllReview(client, account, key))
    },
  }
}
