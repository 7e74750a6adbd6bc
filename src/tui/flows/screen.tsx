import { useContext, useEffect } from 'react'
import { type CellStyle, cellText } from '../../views/table/cells.js'
import type { Column } from '../../views/table/column.js'
import { countText } from '../../views/text/count.js'
import type { Live } from '../live/feed.js'
import { useDaemon, useFeed, useStore } from '../live/use-daemon.js'
import { AGE_LAST } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { ListShown } from '../screen/record.js'
import { screenOf } from '../screen/screen-of.js'
import { ThemeContext } from '../terminal/theme.js'
import { readAfter } from './acts.js'
import { FlowFeed, FlowPlace, type FlowRow, flowCounts, useOpenedRow } from './feed.js'
import { FLOW_KEY_ORDER, type FlowActs, flowKeys, OPEN, showAsked } from './keys.js'
import { OPEN_VIEWS } from './open-views.js'

const FLOWS: readonly Column[] = [
  { key: 'id', kind: 'quantity' },
  { key: 'name' },
  { key: 'state' },
  { key: 'trigger' },
  { key: 'next_run_at', title: 'NEXT RUN', kind: 'time' },
  { key: 'last_execution_status', title: 'LAST RUN', kind: 'status' },
  { key: 'last_execution_at', title: 'STARTED', kind: 'time', leaves: 1 },
]

/** A hook: returns what the keys of the list act on. */
function useListActs({
  daemon,
  row,
}: Pick<ListShown<unknown, unknown, FlowRow>, 'daemon' | 'row'>): FlowActs {
  const { utc } = useContext(ThemeContext)
  return { flow: row, run: undefined, place: daemon.part(FlowPlace), utc }
}

/** The workflows with their state, trigger, next run and last result. */
const list = listView({
  name: 'list',
  feed: FlowFeed,
  useRows: ({ content }: Live<readonly FlowRow[]>) => content,
  use: useListActs,
  columns: FLOWS,
  empty: {
    reading: 'Reading the workflows …',
    none: 'There are no workflows. Apply some: svc flow apply flows',
    filtered: (filter) => `No workflow has "${filter}".`,
  },
  summary: ({ rows }) => flowFigures(rows),
  firstLine: AGE_LAST,
  note: ({ row, now, own }) => row && flowNote(row, { human: true, utc: own.utc, now }),
  redrawMs: () => 1000,
  keys: [...LIST_KEYS, ...flowKeys('list')],
  commonKeys: [],
  asked: showAsked,
  prepare: readAfter,
})

/** The workflows: a list, and the open one. */
export const flows = screenOf({
  id: 'flows',
  title: 'Flows',
  opens: ['workflow'],
  tabLine: 'over-content',
  views: [list, ...OPEN_VIEWS],
  tabs: OPEN,
  keyOrder: FLOW_KEY_ORDER,
  useView: useFlowView,
})

/** A hook: shows the open workflow, on the chosen tab, or the list. */
function useFlowView(chosen: string) {
  const daemon = useDaemon()
  const row = useOpenedRow()
  const { readAt } = useFeed(daemon.part(FlowFeed))
  const place = daemon.part(FlowPlace)
  const { opened } = useStore(place.at)
  const isUnknown = opened !== undefined && row === undefined && readAt > 0
  useEffect(() => {
    if (!isUnknown) return
    daemon.changes.say(`There is no workflow "${opened}".`)
    place.open(undefined)
  })
  return row === undefined ? { name: 'list' } : { name: chosen, key: String(row.id) }
}

function flowFigures(rows: readonly FlowRow[]): string {
  const { active, running } = flowCounts(rows)
  return `${countText(rows.length, 'workflow')}, ${active} active, ${running} running`
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
