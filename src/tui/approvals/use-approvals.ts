import { useMemo, useSyncExternalStore } from 'react'
import type { Live } from '../live/live-feed.js'
import { useNow } from '../screen/use-now.js'
import type { Decisions } from './decisions.js'
import type { ApprovalFeed } from './feed.js'
import { type ScreenRow, screenRow } from './row-state.js'

export interface Approvals extends Omit<Live<unknown>, 'content'> {
  rows: readonly ScreenRow[]
  now: number
}

/** Returns the queue with the decisions of this screen, drawn again at each change and each second. */
export function useApprovals(feed: ApprovalFeed, decisions: Decisions): Approvals {
  const state = useSyncExternalStore(feed.subscribe, feed.state)
  const progress = useSyncExternalStore(decisions.subscribe, decisions.progress)
  const now = useNow(1000)
  return useMemo(() => {
    const { content, ...rest } = state
    return { ...rest, now, rows: content.map((row) => screenRow(row, progress.get(row.id), now)) }
  }, [state, progress, now])
}
