import { useMemo } from 'react'
import { RUN_COLUMNS } from '../../views/flows/run.js'
import { Fields } from '../components/Fields.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { ScrolledText } from '../components/ScrolledText.js'
import type { Area } from '../terminal/size.js'
import { DETAILS } from './columns.js'
import type { FlowRow } from './feed.js'
import type { OpenFlow, Run } from './open-flow.js'
import type { Tab } from './place.js'
import { RunLogView } from './RunLogView.js'

interface TabContentProps extends Area {
  tab: Tab
  row: FlowRow
  open: OpenFlow
  /** The run whose log is shown. */
  run: Run | undefined
  list: List<Run>
  now: number
  isStale: boolean
}

/** One tab of an open workflow. */
export function TabContent(props: TabContentProps) {
  const { tab, row, open, run, list, now, isStale, width, height } = props
  if (tab === 'graph') return <Graph {...{ open, width, height, isStale }} />
  if (tab === 'details') {
    const { id: _, ...workflow } = open.workflow
    const record = {
      ...workflow,
      id: row.id,
      state: row.state,
      trigger: row.trigger,
      webhook_url: open.webhookUrl,
    }
    return <Fields {...{ record, fields: DETAILS, width, height, now }} />
  }
  if (run === undefined)
    return <Notice {...{ width, height }} text="The workflow has never run. r runs it." />
  if (tab === 'log') return <RunLogView key={run.id} {...{ run, width, height, now, isStale }} />
  if (list.rows.length === 0)
    return <Notice {...{ width, height }} text={`No execution has "${list.filter}".`} />
  return (
    <Table
      {...{ width, height, now, isStale, rows: list.rows, columns: RUN_COLUMNS }}
      {...{ selected: list.selected?.id, marked: list.marked }}
    />
  )
}

function Graph({ open, isStale, ...area }: Area & { open: OpenFlow; isStale: boolean }) {
  const lines = useMemo(() => open.draw(area.width).map((text) => ({ text })), [open, area.width])
  return <ScrolledText {...{ ...area, lines, isStale }} />
}
