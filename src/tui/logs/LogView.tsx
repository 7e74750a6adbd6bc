import { useEffect, useState } from 'react'
import { TextField } from '../components/form/TextField.js'
import { FilterLine, LINE_KEYS } from '../components/list/FilterLine.js'
import { useList } from '../components/list/use-list.js'
import { useStaleText } from '../components/stale.js'
import { TabLine, tabAfter } from '../components/TabLine.js'
import { useBindings } from '../keys/bindings.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { LOG_KEYS, type Pane } from './keys.js'
import { LogContentView } from './LogContentView.js'
import type { Place } from './place.js'
import { summaryOf } from './summary.js'
import { LOG_TABS, TABS } from './tabs/index.js'

interface LogViewProps extends Area {
  place: Place
  onMove(place: Place): void
}

/** One log: its newest rows, older ones on demand, and all of a row. */
export function LogView({ place, onMove, ...area }: LogViewProps) {
  const { tab, isFollowing, searches } = place
  const search = searches[tab] ?? ''
  const spec = LOG_TABS[tab]
  const feed = useDaemon().part(spec.Feed)
  useEffect(() => {
    feed.follow(isFollowing)
    feed.search(search)
  }, [feed, isFollowing, search])
  const live = useFeed(feed)
  const now = useNow(1000)
  const list = useList(spec.list, live.content.rows, spec.columns)
  const [pane, setPane] = useState<Pane>('list')
  const [isSearching, setSearching] = useState(false)
  const newest = list.rows[0]?.id
  const isBehind = isFollowing && pane === 'list' && newest !== undefined && list.selected?.id !== newest
  useEffect(() => {
    if (isBehind) list.choose(newest)
  })
  useBindings(LOG_KEYS, pane, {
    list,
    move(by) {
      list.move(by)
      const at = list.rows.findIndex(({ id }) => id === list.selected?.id) + by
      // Rows that come would move away what the user looks at.
      if (isFollowing && at > 0) onMove({ ...place, isFollowing: false })
      if (at >= list.rows.length - 1) feed.readOlder()
    },
    turn: (by) => onMove({ ...place, tab: tabAfter(TABS, tab, by) }),
    follow: () => onMove({ ...place, isFollowing: !isFollowing }),
    search: () => setSearching(true),
    show: (next) => (next !== 'details' || list.selected !== undefined) && setPane(next),
  })
  const look = (text: string) => {
    setSearching(false)
    onMove({ ...place, searches: { ...searches, [tab]: text.trim() } })
  }
  const prompt = isSearching ? (
    <TextField
      label="Search the whole log: "
      first={search}
      onSubmit={look}
      onCancel={() => setSearching(false)}
    />
  ) : list.isFiltering ? (
    <FilterLine list={list} />
  ) : undefined
  const summary = summaryOf({ live, list, search, isFollowing, age: useStaleText(live, now) })
  return (
    <ScreenFrame
      {...{ ...area, pane, bindings: LOG_KEYS, summary }}
      {...(prompt && { prompt, keys: LINE_KEYS })}
    >
      {(inner) => (
        <>
          <TabLine tabs={TABS} current={tab} width={inner.width} />
          <LogContentView {...{ ...inner, height: inner.height - 1, pane, spec, live, list, now, search }} />
        </>
      )}
    </ScreenFrame>
  )
}
