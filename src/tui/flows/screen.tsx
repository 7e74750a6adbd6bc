import { useContext, useEffect } from 'react'
import { type CellStyle, cellText } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { countText } from '../../views/text/count.js'
import { Table } from '../components/list/Table.js'
import { keptList, listText, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import type { Live } from '../live/feed.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import { type Screen, type ScreenProps, useAsked } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext } from '../terminal/theme.js'
import { useNow } from '../terminal/use-now.js'
import { FlowFeed, type FlowRow, flowNamed } from './feed.js'
import { FLOW_KEYS, type Place } from './keys.js'
import { OpenFlowView } from './OpenFlowView.js'
import { type Acting, useActing } from './use-acting.js'

/** The workflows: a list, and the open one. */
export const flows: Screen = {
  id: 'flows',
  title: 'Flows',
  keys: FLOW_KEYS,
  opens: ['workflow'],
  View: FlowScreen,
}

const PLACE = new Kept<Place>({ opened: undefined, tab: 'graph', run: undefined })

function FlowScreen({ asked, ...area }: ScreenProps) {
  const daemon = useDaemon()
  const live = useFeed(daemon.part(FlowFeed))
  const [place, setPlace] = useKept(PLACE)
  const acting = useActing()
  useAsked(asked, ({ id }) => setPlace({ ...place, opened: id, run: undefined }))
  const row = place.opened === undefined ? undefined : flowNamed(live.content, place.opened)
  const isUnknown = place.opened !== undefined && row === undefined && live.readAt > 0
  useEffect(() => {
    if (!isUnknown) return
    daemon.changes.say(`There is no workflow "${place.opened}".`)
    setPlace({ ...place, opened: undefined })
  })
  const shared = { ...area, acting, place, onMove: setPlace }
  if (row === undefined) return <FlowList {...shared} live={live} />
  return <OpenFlowView key={row.id} {...shared} row={row} />
}

const FLOWS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'name' },
  { key: 'state' },
  { key: 'trigger' },
  { key: 'next_run_at', title: 'NEXT RUN', kind: 'time' },
  { key: 'last_execution_status', title: 'LAST RUN', kind: 'status' },
  { key: 'last_execution_at', title: 'STARTED', kind: 'time', leaves: 1 },
]

interface FlowListProps extends Area {
  live: Live<readonly FlowRow[]>
  acting: Acting
  place: Place
  onMove(place: Place): void
}

const LIST = keptList()

/** The workflows with their state, trigger, next run and last result. */
function FlowList({ live, acting, place, onMove, width, height }: FlowListProps) {
  const { utc } = useContext(ThemeContext)
  const now = useNow(1000)
  const list = useList(LIST, live.content, FLOWS)
  const { rows, selected, marked } = list
  const summary = [flowFigures(live.content), listText(list), useStaleText(live, now)]
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={FLOW_KEYS}
      pane="list"
      state={{ list, move: list.move, acting, flow: selected, place, onMove }}
      list={list}
      question={acting.question}
      note={selected && flowNote(selected, { human: true, utc, now })}
      summary={summary.filter((part) => part !== '').join('  ')}
    >
      {(area) =>
        rows.length === 0 ? (
          <Notice {...area} text={emptyText(live, list.filter)} />
        ) : (
          <Table
            {...area}
            rows={rows}
            columns={FLOWS}
            selected={selected?.id}
            marked={marked}
            now={now}
            isStale={live.problem !== undefined}
          />
        )
      }
    </ScreenFrame>
  )
}

function flowFigures(rows: readonly FlowRow[]): string {
  const active = rows.filter((row) => row.is_active).length
  const running = rows.filter((row) => row.last_execution_status === 'running').length
  return `${countText(rows.length, 'workflow')}, ${active} active, ${running} running`
}

function emptyText({ readAt, problem, content }: Live<readonly FlowRow[]>, filter: string): string {
  if (readAt === 0) return problem === undefined ? 'Reading the workflows …' : `Not read: ${problem}`
  if (content.length > 0) return `No workflow has "${filter}".`
  return 'There are no workflows. Apply some: svc flow apply flows'
}

/** Says of the selected workflow what the table may have no room for. */
function flowNote(
  { id, name, trigger, next_run_at, last_execution_at, last_execution_status }: FlowRow,
  style: CellStyle,
) {
  const time = (at: string) => cellText(at, 'time', style)
  const last =
    last_execution_at === null ? 'never run' : `${last_execution_status} ${time(last_execution_at)}`
  const next = next_run_at === null ? '' : `, next ${time(next_run_at)}`
  return `${id} ${name}: ${trigger ?? 'no trigger'}, ${last}${next}`
}
