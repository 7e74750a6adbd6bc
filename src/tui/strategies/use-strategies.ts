import { useEffect, useMemo } from 'react'
import type { Live } from '../live/feed.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { type Details, type ShownStrategy, StrategyFeed, shownDetails, shownRows } from './feed.js'

export interface ShownStrategies extends Omit<Live<unknown>, 'content'> {
  rows: readonly ShownStrategy[]
  /** The number of strategies that run. */
  running: number
}

/** Returns the strategies with the runs that the daemon sends. */
export function useStrategies(): ShownStrategies {
  const feed = useDaemon().part(StrategyFeed)
  const { content, ...rest } = useFeed(feed)
  const runs = useStore(feed.live.runs)
  const rows = useMemo(() => shownRows(content.rows, runs), [content.rows, runs])
  const running = rows.filter((row) => row.current_run_id !== null).length
  return { ...rest, rows, running }
}

/** Chooses the strategy whose details are read. @returns them; undefined until they are read */
export function useDetails(id: number | undefined): Details | undefined {
  const feed = useDaemon().part(StrategyFeed)
  const { details } = useFeed(feed).content
  const runs = useStore(feed.live.runs)
  useEffect(() => {
    if (id !== undefined) feed.choose(id)
  }, [id, feed])
  const stored = id === undefined ? undefined : details.get(id)
  return useMemo(() => stored && shownDetails(stored, runs), [stored, runs])
}
