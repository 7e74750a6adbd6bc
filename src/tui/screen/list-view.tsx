import { Box } from 'ink'
import type { ReactNode } from 'react'
import { Fields } from '../components/Fields.js'
import { Table } from '../components/list/Table.js'
import {
  type ListState as KeptList,
  keptList,
  listKeys,
  listText,
  type Opened,
  openedIn,
  ROW_GONE,
  type RowId,
  useList,
} from '../components/list/use-list.js'
import { Content, Notice } from '../components/Notice.js'
import { panesIn, SidePane } from '../components/SidePane.js'
import { type Binding, moves } from '../keys/bindings.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Kept } from '../live/kept.js'
import type { Area } from '../terminal/size.js'
import { useRested } from '../terminal/use-now.js'
import type { EmptyWords, ListRecord, ListShown, Strip, ViewKey, WithOwn } from './record.js'
import { keysIn, TURN_KEYS, useAsked, useShown, type View, ViewFrame, type ViewProps } from './view.js'

type ListState<Content, Source, Row, Own> = ListShown<Content, Source, Row> & WithOwn<Own | undefined>

/** The keys that open and close the details of a row. */
export const DETAILS_KEYS: readonly ViewKey<{ opened: Opened<unknown> }>[] = [
  { id: 'details.open', keys: ['enter'], does: 'details', act: ({ opened }) => opened.open() },
  {
    id: 'details.close',
    in: ['details'],
    keys: ['esc', 'enter', 'q'],
    does: 'back',
    act: ({ opened }) => opened.close(),
  },
]

/** The keys of every list: moves, filter and order. */
export const LIST_KEYS = listKeys(['list'])

/** The keys of a list that is neither filtered nor sorted. */
export const MOVE_KEYS = moves(['list'])

/** Returns the view of a list. */
export function listView<Content, Source, Row extends { id: RowId }, Own>(
  record: ListRecord<Content, Source, Row, Own> & {
    use(shown: NoInfer<ListShown<Content, Source, Row>>): Own
  },
): ViewOfList
export function listView<Content, Source, Row extends { id: RowId }>(
  record: ListRecord<Content, Source, Row, undefined>,
): ViewOfList
export function listView<Content, Source, Row extends { id: RowId }, Own>(
  record: ListRecord<Content, Source, Row, Own | undefined>,
): ViewOfList {
  const { name, commonKeys = [...TURN_KEYS, ...DETAILS_KEYS, ...LIST_KEYS] } = record
  const own = keysIn(name, record.keys)
  const common = keysIn(name, commonKeys)
  const keys = [...own, ...common]
  const kept = keptList()
  return {
    name,
    own,
    common,
    Show: (props) => <ListView {...props} record={record} keys={keys} kept={kept} />,
    choose(daemon, id) {
      const state = kept.of(daemon)
      kept.keep(daemon, { ...state, cursor: { ...state.cursor, chosen: id } })
    },
  }
}

/** The view of a list, whose cursor others may move. */
export interface ViewOfList extends View {
  /** Puts the cursor on a row, for when the view is shown next. */
  choose(daemon: LiveDaemon, id: RowId): void
}

interface ListViewProps<Content, Source, Row extends { id: RowId }, Own> extends ViewProps {
  record: ListRecord<Content, Source, Row, Own | undefined>
  keys: readonly Binding<string, ListState<Content, Source, Row, Own>>[]
  kept: Kept<KeptList>
}

function ListView<Content, Source, Row extends { id: RowId }, Own>(
  props: ListViewProps<Content, Source, Row, Own>,
) {
  const { record, keys, kept, views } = props
  const base = useShown(props, record)
  const rows = record.useRows(base.live)
  const list = useList(kept, rows, record.columns)
  const { selected } = list
  const opened = openedIn(rows, selected, props.opened, (id) => views.show(record.name, id))
  const moved = { ...base, rows, row: opened.row, list, move: list.move, opened }
  const state = { ...moved, own: record.use?.(moved) }
  const { move } = record
  const shown = move === undefined ? state : { ...state, move: (by: number) => move(by, state) }
  useAsked(props, record, shown)
  return (
    <ViewFrame
      {...props}
      record={record}
      shown={shown}
      keys={keys}
      part={opened.isOpen ? 'details' : 'list'}
      list={list}
      filtered={listText(list)}
    >
      {(area) =>
        props.opened === undefined ? (
          <Panes {...area} record={record} shown={shown} />
        ) : (
          <OpenRow {...area} record={record} shown={shown} id={props.opened} />
        )
      }
    </ViewFrame>
  )
}

interface BodyProps<Content, Source, Row extends { id: RowId }, Own> extends Area {
  record: ListRecord<Content, Source, Row, Own | undefined>
  shown: ListState<Content, Source, Row, Own>
}

/** The list, and what its cursor is on: beside it where there is room, otherwise only when it is opened. */
function Panes<Content, Source, Row extends { id: RowId }, Own>(props: BodyProps<Content, Source, Row, Own>) {
  const { record, shown, width, height } = props
  const { selected } = shown.list
  const panes = record.hasPane === false ? undefined : panesIn(width)
  // A held key must not read each row that it passes.
  const rested = useRested(selected?.id, REST_MS)
  if (panes === undefined || selected === undefined) return <Body {...props} />
  return (
    <Box>
      <Box flexDirection="column" width={panes.list}>
        <Body {...props} width={panes.list} />
      </Box>
      <SidePane title={record.titleOf?.(selected) ?? String(selected.id)} width={panes.pane} height={height}>
        {(area) =>
          rested === selected.id ? (
            <OpenRow {...area} record={record} shown={shown} id={selected.id} />
          ) : (
            <RowFields {...area} record={record} shown={shown} />
          )
        }
      </SidePane>
    </Box>
  )
}

const REST_MS = 150

/** The rows with what is over and below them, or the words in their place. */
function Body<Content, Source, Row extends { id: RowId }, Own>(props: BodyProps<Content, Source, Row, Own>) {
  const { record, shown, width, height } = props
  const { columns, Rows, above, below } = record
  const { list, live, now } = shown
  const over = above?.(shown, { width, height }) ?? NO_STRIP
  const under = below?.(shown, { width, height }) ?? NO_STRIP
  const area = { width, height: height - over.lines - under.lines }
  const rows =
    Rows === undefined ? (
      <Table
        {...area}
        rows={list.rows}
        columns={columns}
        now={now}
        marked={list.marked}
        selected={list.selected?.id}
        isStale={live.problem !== undefined}
      />
    ) : (
      <Rows {...area} list={list} live={live} now={now} />
    )
  return (
    <>
      {over.node}
      <Words {...area} empty={record.empty} shown={shown}>
        {rows}
      </Words>
      {under.node}
    </>
  )
}

const NO_STRIP: Strip = { lines: 0, node: null }

interface WordsProps<Content, Source, Row, Own> extends Area {
  empty: EmptyWords<ListState<Content, Source, Row, Own>>
  shown: ListState<Content, Source, Row, Own>
  children: ReactNode
}

/** The rows of a list, or why there are none. */
function Words<Content, Source, Row, Own>(props: WordsProps<Content, Source, Row, Own>) {
  const { empty, shown, children, ...area } = props
  const { list, live, rows } = shown
  const textOf = (none: string | ((state: typeof shown) => string)) =>
    typeof none === 'string' ? none : none(shown)
  if (typeof empty !== 'object') {
    const filtered = list.rows.length === 0 ? 'No row has this text.' : undefined
    return (
      <Content {...area} live={live} empty={rows.length === 0 ? textOf(empty) : filtered}>
        {children}
      </Content>
    )
  }
  if (list.rows.length > 0) return children
  const { none, reading = 'Reading …', failed = notRead, filtered = noRow } = empty
  if (live.readAt === 0) {
    const text = live.problem === undefined ? reading : failed(live.problem)
    return <Notice {...area} text={text} />
  }
  return <Notice {...area} text={rows.length === 0 ? textOf(none) : filtered(list.filter)} />
}

const notRead = (problem: string) => `Not read: ${problem}`
const noRow = (filter: string) => `No row has "${filter}".`

/** The details of the open row. */
function OpenRow<Content, Source, Row extends { id: RowId }, Own>(
  props: BodyProps<Content, Source, Row, Own> & { id: RowId },
) {
  const { record, shown, id, ...area } = props
  const { Details } = record
  if (Details !== undefined) return <Details {...area} id={id} shown={shown} />
  return <RowFields {...area} record={record} shown={shown} />
}

/** What the list itself knows of the open row, or of the one that its cursor is on. */
function RowFields<Content, Source, Row extends { id: RowId }, Own>(
  props: BodyProps<Content, Source, Row, Own>,
) {
  const { record, shown, ...area } = props
  const { columns, fields = columns } = record
  if (shown.row === undefined) return <Notice {...area} text={ROW_GONE} />
  return <Fields {...area} record={shown.row} fields={fields} now={shown.now} />
}
