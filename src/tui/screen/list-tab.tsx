import type { ReactNode } from 'react'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { Table } from '../components/list/Table.js'
import {
  keptList,
  type List,
  type ListState,
  listKeys,
  listText,
  type Opened,
  ROW_GONE,
  type RowId,
  useList,
  useOpened,
} from '../components/list/use-list.js'
import { Content, Notice } from '../components/Notice.js'
import { type Binding, moves } from '../keys/bindings.js'
import type { Kept } from '../live/kept.js'
import type { Area } from '../terminal/size.js'
import {
  keysIn,
  TabFrame,
  type TabKey,
  type TabSpec,
  type TabState,
  turnKeysIn,
  useTab,
  useTabNow,
} from './tab.js'
import type { Tab, TabProps } from './tab-screen.js'

/** A tab with one list: its rows, the details of one, and the questions and forms of its keys. */
export interface ListTab<Content, Source, Row extends { id: RowId }> extends TabSpec<Content, Source> {
  rows(content: Content): readonly Row[]
  columns: readonly Column[]
  /** The fields of the details of a row; the columns by default. */
  fields?: readonly Column[]
  /** The words for a list without rows. */
  empty: string | ((content: Content) => string)
  /** Returns the words about the selected row that the table has no room for. */
  note?(selected: Row): string
  /** Draws what stands over the list. */
  top?(content: Content, area: Area): Top
  /** False for a list that is not filtered and sorted: other keys have those letters. */
  hasFilter?: false
  /** The keys of the tab, in the order in which the last line names them. */
  keys: readonly TabKey<NoInfer<ListTabState<Content, Source, Row>>>[]
}

/** What stands over a list, and its lines. */
export interface Top {
  lines: number
  node: ReactNode
}

/** What the keys of a list act on. */
export interface ListTabState<Content, Source, Row> extends TabState<Content, Source> {
  /** The open row, or the selected one; undefined when it is gone. */
  row: Row | undefined
  list: List<Row>
  move(by: number): void
  opened: Opened<Row>
}

/** The part of a tab that shows one row has keys of its own. */
const detailsOf = (tab: string) => `${tab} details`
const NO_TOP: Top = { lines: 0, node: null }

/** Returns the tab of a list. */
export function listTab<Content, Source, Row extends { id: RowId }>(
  spec: ListTab<Content, Source, Row>,
): Tab {
  const { name, hasFilter = true } = spec
  const own = keysIn(name, spec.keys)
  const shared = [
    ...turnKeysIn(name),
    ...detailKeysIn(name),
    ...(hasFilter ? listKeys([name]) : moves([name])),
  ]
  const keys = [...own, ...shared]
  const kept = keptList()
  return { name, own, shared, View: (props) => <ListView {...props} spec={spec} keys={keys} kept={kept} /> }
}

interface ListViewProps<Content, Source, Row extends { id: RowId }> extends TabProps {
  spec: ListTab<Content, Source, Row>
  keys: readonly Binding<string, ListTabState<Content, Source, Row>>[]
  kept: Kept<ListState>
}

function ListView<Content, Source, Row extends { id: RowId }>(props: ListViewProps<Content, Source, Row>) {
  const { tabs, useFigures, spec, keys, kept, width, height } = props
  const { columns, fields = columns, empty } = spec
  const { live, state } = useTab(tabs, spec)
  const figures = useFigures()
  const rows = spec.rows(live.content)
  const list = useList(kept, rows, columns)
  const now = useTabNow(live, spec.redrawMs)
  const { selected } = list
  const opened = useOpened(rows, selected)
  const words = spec.summary === undefined ? figures : spec.summary(live.content, now)
  return (
    <TabFrame
      width={width}
      height={height}
      state={{ ...state, row: opened.row, list, move: list.move, opened }}
      keys={keys}
      pane={opened.isOpen ? detailsOf(spec.name) : spec.name}
      live={live}
      now={now}
      summary={[listText(list), words].filter((part) => part !== '').join('  ')}
      note={opened.row && spec.note?.(opened.row)}
      list={list}
    >
      {(area) => {
        if (opened.isOpen) {
          if (opened.row === undefined) return <Notice {...area} text={ROW_GONE} />
          return <Fields {...area} record={opened.row} fields={fields} now={now} />
        }
        const top = spec.top?.(live.content, area) ?? NO_TOP
        const rest = { width: area.width, height: area.height - top.lines }
        const none = typeof empty === 'string' ? empty : empty(live.content)
        const filtered = list.rows.length === 0 ? 'No row has this text.' : undefined
        return (
          <>
            {top.node}
            <Content {...rest} live={live} empty={rows.length === 0 ? none : filtered}>
              <Table
                {...rest}
                rows={list.rows}
                columns={columns}
                now={now}
                marked={list.marked}
                selected={selected?.id}
                isStale={live.problem !== undefined}
              />
            </Content>
          </>
        )
      }}
    </TabFrame>
  )
}

/** Returns the keys that open and close the details of a row. */
function detailKeysIn(tab: string): readonly Binding<string, { opened: Opened<unknown> }>[] {
  return [
    {
      id: 'details.open',
      in: [tab],
      keys: ['enter'],
      does: 'details',
      act: ({ opened }) => opened.open(),
    },
    {
      id: 'details.close',
      in: [detailsOf(tab)],
      keys: ['esc', 'enter', 'q'],
      does: 'back',
      act: ({ opened }) => opened.close(),
    },
  ]
}
