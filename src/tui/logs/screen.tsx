import { useEffect, useMemo, useState } from 'react'
import { countText } from '../../views/text/count.js'
import { Fields } from '../components/Fields.js'
import { TextField } from '../components/form/TextField.js'
import { Table } from '../components/list/Table.js'
import { type List, listText, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { TabLine } from '../components/TabLine.js'
import type { Live } from '../live/feed.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { Screen, ScreenProps } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import type { LogContent, LogRow } from './feed.js'
import { LOG_KEYS, type Pane, type Place } from './keys.js'
import { LOG_NAMES, LOGS, type Log } from './logs.js'

/** The logs: orders, analyzer, traffic, latency and errors. */
export const logs: Screen = { id: 'logs', title: 'Logs', keys: LOG_KEYS, View: LogScreen }

const PLACE = new Kept<Place>({ log: 'orders', isFollowing: true, searches: {} })

function LogScreen({ width, height }: ScreenProps) {
  const [place, setPlace] = useKept(PLACE)
  return <LogView key={place.log} width={width} height={height} place={place} onMove={setPlace} />
}

interface LogViewProps extends Area {
  place: Place
  onMove(place: Place): void
}

/** One log: its newest rows, older ones on demand, and all of a row. */
function LogView({ place, onMove, width, height }: LogViewProps) {
  const { isFollowing } = place
  const search = place.searches[place.log] ?? ''
  const log = LOGS[place.log]
  const feed = useDaemon().part(log.Feed)
  useEffect(() => {
    feed.follow(isFollowing)
    feed.search(search)
  }, [feed, isFollowing, search])
  const live = useFeed(feed)
  const now = useNow(1000)
  const list = useList(log.list, live.content.rows, log.columns)
  const [pane, setPane] = useState<Pane>('list')
  const [isSearching, setSearching] = useState(false)
  const newest = list.rows[0]?.id
  const isBehind = isFollowing && pane === 'list' && newest !== undefined && list.selected?.id !== newest
  useEffect(() => {
    if (isBehind) list.choose(newest)
  })
  const move = (by: number) => {
    list.move(by)
    const at = list.rows.findIndex(({ id }) => id === list.selected?.id) + by
    // Rows that come would move away what the user looks at.
    if (isFollowing && at > 0) onMove({ ...place, isFollowing: false })
    if (at >= list.rows.length - 1) feed.readOlder()
  }
  const look = (text: string) => {
    setSearching(false)
    onMove({ ...place, searches: { ...place.searches, [place.log]: text.trim() } })
  }
  const age = useStaleText(live, now)
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={LOG_KEYS}
      pane={pane}
      state={{ place, onMove, list, move, show: setPane, search: () => setSearching(true) }}
      list={list}
      summary={[...figures(live.content, place, search), listText(list), age]
        .filter((part) => part !== '')
        .join('  ')}
      prompt={
        isSearching ? (
          <TextField
            label="Search the whole log: "
            first={search}
            onSubmit={look}
            onCancel={() => setSearching(false)}
          />
        ) : undefined
      }
    >
      {(area) => (
        <>
          <TabLine tabs={LOG_NAMES} current={place.log} width={area.width} />
          <LogContentView
            width={area.width}
            height={area.height - 1}
            pane={pane}
            log={log}
            live={live}
            list={list}
            now={now}
            search={search}
          />
        </>
      )}
    </ScreenFrame>
  )
}

/** Returns the figures of a log, and what of it is read. */
function figures(
  { rows, hasOlder, figures: own, search: found }: LogContent,
  { isFollowing }: Place,
  search: string,
) {
  return [
    isFollowing ? 'following' : 'paused',
    own,
    `${countText(rows.length, 'row')}${hasOlder ? ', older at the end' : ''}`,
    search === '' ? '' : search === found ? `with "${search}"` : `searching "${search}" …`,
  ]
}

interface LogContentViewProps extends Area {
  pane: Pane
  log: Log
  live: Live<LogContent>
  list: List<LogRow>
  now: number
  search: string
}

/** The rows of a log, all fields of one, or the command that exports them. */
function LogContentView({ pane, log, live, list, now, search, ...area }: LogContentViewProps) {
  const { selected, rows, marked } = list
  // A row in full stays while newer ones come.
  const record = useMemo(() => (pane === 'details' ? selected : undefined), [pane, selected])
  if (record !== undefined)
    return <Fields key={record.id} {...area} record={record} fields={log.fields} now={now} />
  if (pane === 'export') {
    const command = log.command({ rows: live.content.rows, search })
    return <Notice {...area} text={`These rows come from: ${command}`} />
  }
  if (rows.length === 0) return <Notice {...area} text={emptyText(log, live, list.filter, search)} />
  return (
    <Table
      {...area}
      rows={rows}
      columns={log.columns}
      selected={selected?.id}
      marked={marked}
      now={now}
      isStale={live.problem !== undefined}
    />
  )
}

function emptyText(
  log: Log,
  { readAt, problem, content }: Live<LogContent>,
  filter: string,
  search: string,
): string {
  if (readAt === 0) return problem === undefined ? 'Reading the log …' : `Not read: ${problem}`
  if (content.rows.length > 0) return `No row has "${filter}".`
  return search === '' ? log.empty : `The log has no "${search}".`
}
