import { useMemo } from 'react'
import { Fields } from '../components/Fields.js'
import { Table } from '../components/list/Table.js'
import type { List } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../terminal/size.js'
import type { LogContent } from './feed.js'
import type { Pane } from './keys.js'
import type { LogRow } from './pages.js'
import type { LogTab } from './tabs/index.js'

interface LogContentViewProps extends Area {
  pane: Pane
  spec: LogTab
  live: Live<LogContent>
  list: List<LogRow>
  now: number
  search: string
}

/** The rows of a log, all fields of one, or the command that exports them. */
export function LogContentView({ pane, spec, live, list, now, search, ...area }: LogContentViewProps) {
  const { selected, rows, marked } = list
  // A row in full stays while newer ones come.
  const record = useMemo(() => (pane === 'details' ? selected : undefined), [pane, selected])
  if (record !== undefined)
    return <Fields key={record.id} {...{ ...area, record, fields: spec.fields, now }} />
  if (pane === 'export') {
    const command = spec.command({ rows: live.content.rows, search })
    return <Notice {...area} text={`These rows come from: ${command}`} />
  }
  if (rows.length === 0) return <Notice {...area} text={emptyText(spec, live, list.filter, search)} />
  return (
    <Table
      {...{ ...area, rows, columns: spec.columns, selected: selected?.id, marked, now }}
      isStale={live.problem !== undefined}
    />
  )
}

function emptyText(spec: LogTab, live: Live<LogContent>, filter: string, search: string): string {
  const { readAt, problem, content } = live
  if (readAt === 0) return problem === undefined ? 'Reading the log …' : `Not read: ${problem}`
  if (content.rows.length > 0) return `No row has "${filter}".`
  return search === '' ? spec.empty : `The log has no "${search}".`
}
