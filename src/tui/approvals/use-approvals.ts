import { useMemo, useState } from 'react'
import type { Live } from '../live/feed.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { Decisions } from './decisions.js'
import { ApprovalFeed, DecidedFeed, OrdersNowFeed } from './feed.js'
import type { Queue } from './queue.js'
import { type QueueRow, QueueRows } from './row-state.js'

export const TABS = ['pending', 'approved', 'rejected'] as const
export type Tab = (typeof TABS)[number]

export interface Approvals extends Omit<Live<unknown>, 'content'> {
  rows: readonly QueueRow[]
  statistics: Queue['statistics']
  decisions: Decisions
}

/** Returns the orders of a tab, with the decisions of this screen. */
export function useApprovals(tab: Tab): Approvals {
  const daemon = useDaemon()
  const decisions = daemon.part(Decisions)
  const queue = useFeed(daemon.part(ApprovalFeed))
  const progress = useStore(decisions.progress)
  const decided = useFeed(daemon.part(DecidedFeed))
  const { content: now, readAt: pricedAt } = useFeed(daemon.part(OrdersNowFeed))
  const { rows: pending, statistics } = queue.content
  const { readAt, problem } = tab === 'pending' ? queue : decided
  const shown = tab === 'pending' ? pending : decided.content[tab]
  const [made] = useState(() => new QueueRows())
  const rows = useMemo(
    () =>
      shown.map((row) => made.rowOf(row, { now: now.get(row.id), progress: progress.get(row.id), pricedAt })),
    [made, shown, now, pricedAt, progress],
  )
  return { rows, statistics, decisions, readAt, problem }
}
