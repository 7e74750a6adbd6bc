import type { ReactNode } from 'react'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { FilterLine, listText } from '../components/list/FilterLine.js'
import { Table } from '../components/list/Table.js'
import type { RowId } from '../components/list/use-cursor.js'
import { type ListActs, type ListState, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { ROW_GONE, useOpened } from '../components/use-opened.js'
import { type Dialogs, useDialogs } from '../dialog/use-dialogs.js'
import { type Binding, useBindings } from '../keys/bindings.js'
import type { Live } from '../live/feed.js'
import type { Kept } from '../live/kept.js'
import type { Area } from '../screen/size.js'
import { Content } from './Content.js'
import { TabFrame } from './TabFrame.js'
import { useAges } from './use-ages.js'
import type { TabActs, Tabs } from './use-tabs.js'

/** The acts that every list in a tab has. */
export interface ListTabActs extends ListActs, TabActs {
  details(): void
  back(): void
}

/** What stands over the list. */
interface Top {
  lines: number
  node: ReactNode
}

interface ListTabProps<Row extends { id: RowId }, Acts> extends Area {
  tabs: Tabs
  kept: Kept<ListState>
  live: Live<unknown>
  rows: readonly Row[]
  columns: readonly Column[]
  /** The fields of the details of a row; the columns by default. */
  fields?: readonly Column[]
  empty: string
  summary: string
  /** Returns the words about the selected row that the table has no room for. */
  noteOf?(selected: Row): string
  top?(area: Area): Top
  bindings: readonly Binding<string, Acts & ListTabActs>[]
  acts(selected: Row | undefined, dialogs: Dialogs): Acts
}

const NO_TOP: Top = { lines: 0, node: null }

/** A tab with one list: its rows, the details of one, and the questions and forms of its keys. */
export function ListTab<Row extends { id: RowId }, Acts extends object>(props: ListTabProps<Row, Acts>) {
  const { tabs, kept, live, rows, columns, fields = columns, empty, bindings, width, height } = props
  const dialogs = useDialogs()
  const list = useList(kept, rows, columns)
  const now = useAges(live)
  const { selected } = list
  const opened = useOpened(rows, selected)
  const pane = opened.isOpen ? 'details' : tabs.current
  useBindings(bindings, pane, {
    ...props.acts(opened.row, dialogs),
    move: list.move,
    list: () => list,
    moveTab: tabs.move,
    details: opened.open,
    back: opened.close,
  })
  const summary = [listText(list), props.summary].filter((part) => part !== '').join('  ')
  const note = opened.row === undefined ? '' : (props.noteOf?.(opened.row) ?? '')
  const none = rows.length === 0 ? empty : list.rows.length === 0 ? 'No row has this text.' : undefined
  return (
    <TabFrame
      {...{ width, height, tabs, dialogs, live, now, summary, note, bindings, pane }}
      {...(list.isFiltering && { prompt: <FilterLine list={list} /> })}
    >
      {(area) => {
        if (opened.isOpen) {
          if (opened.row === undefined) return <Notice {...area} text={ROW_GONE} />
          return <Fields {...area} record={opened.row} fields={fields} now={now} />
        }
        const top = props.top?.(area) ?? NO_TOP
        const rest = { width: area.width, height: area.height - top.lines }
        return (
          <>
            {top.node}
            <Content {...rest} live={live} empty={none}>
              <Table
                {...rest}
                {...{ rows: list.rows, columns, now, marked: list.marked, selected: selected?.id }}
                isStale={live.problem !== undefined}
              />
            </Content>
          </>
        )
      }}
    </TabFrame>
  )
}

/** Returns the keys of the details of a row. */
export function detailKeys<Pane extends string>(
  panes: readonly Pane[],
): readonly Binding<Pane | 'details', ListTabActs>[] {
  return [
    {
      id: 'details.open',
      in: panes,
      keys: ['enter'],
      does: 'details',
      act: (acts) => acts.details(),
    },
    {
      id: 'details.close',
      in: ['details'],
      keys: ['esc', 'enter', 'q'],
      does: 'back',
      act: (acts) => acts.back(),
    },
  ]
}
