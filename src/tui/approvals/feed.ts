import { type DaemonAccess, LiveFeed, type Source } from '../live/live-feed.js'
import { type Approval, currentRows } from './queue.js'

/** The queue is read for its last prices too, which have no event. */
const QUEUE: Source<readonly Approval[]> = {
  read: currentRows,
  isChangedBy: ({ event }) => event.startsWith('pending_order_'),
  pauseMs: 2000,
  gatherMs: 50,
}

/** The approval queue, live: newest first; decided orders stay for a while. */
export class ApprovalFeed extends LiveFeed<readonly Approval[]> {
  constructor(daemon: DaemonAccess) {
    super(daemon, QUEUE, [])
  }
}
