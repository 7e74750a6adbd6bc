import { useContext } from 'react'
import { type CellStyle, cellText } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import { FilterLine, listText } from '../components/list/FilterLine.js'
import { Table } from '../components/list/Table.js'
import { keptList, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { useStaleText } from '../components/stale.js'
import { useBindings } from '../keys/bindings.js'
import type { Live } from '../live/feed.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext } from '../terminal/theme.js'
import { useNow } from '../terminal/use-now.js'
import type { Acting } from './acts/use-acting.js'
import { FLOWS } from './columns.js'
import { FlowFrame } from './FlowFrame.js'
import type { FlowRow } from './feed.js'
import { FLOW_KEYS } from './keys.js'

interface FlowListProps extends Area {
  live: Live<readonly FlowRow[]>
  acting: Acting
  onOpen(row: FlowRow): void
}

const LIST = keptList()

/** The workflows with their state, trigger, next run and last result. */
export function FlowList({ live, acting, onOpen, ...area }: FlowListProps) {
  const { utc } = useContext(ThemeContext)
  const now = useNow(1000)
  const list = useList(LIST, live.content, FLOWS)
  const { rows, selected, marked } = list
  useBindings(FLOW_KEYS, 'list', {
    list,
    move: list.move,
    run: () => void acting.run(selected),
    toggle: () => void acting.toggle(selected),
    open: () => selected && onOpen(selected),
    back: () => undefined,
    turn: () => undefined,
    openRun: () => undefined,
    cancelRun: () => undefined,
  })
  const summary = [summaryOf(live.content), listText(list), useStaleText(live, now)]
  return (
    <FlowFrame
      {...{ ...area, acting, pane: 'list', note: selected && noteOf(selected, { human: true, utc, now }) }}
      summary={summary.filter((part) => part !== '').join('  ')}
      {...(list.isFiltering && { prompt: <FilterLine list={list} /> })}
    >
      {(inner) =>
        rows.length === 0 ? (
          <Notice {...inner} text={emptyText(live, list.filter)} />
        ) : (
          <Table
            {...{ ...inner, rows, columns: FLOWS, selected: selected?.id, marked, now }}
            isStale={live.problem !== undefined}
          />
        )
      }
    </FlowFrame>
  )
}

function summaryOf(rows: readonly FlowRow[]): string {
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
function noteOf(
  { id, name, trigger, next_run_at, last_execution_at, last_execution_status }: FlowRow,
  style: CellStyle,
) {
  const time = (at: string) => cellText(at, 'time', style)
  const last =
    last_execution_at === null ? 'never run' : `${last_execution_status} ${time(last_execution_at)}`
  const next = next_run_at === null ? '' : `, next ${time(next_run_at)}`
  return `${id} ${name}: ${trigger ?? 'no trigger'}, ${last}${next}`
}
