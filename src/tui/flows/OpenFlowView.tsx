import { useEffect, useMemo } from 'react'
import { RUN_COLUMNS } from '../../views/flows/run.js'
import { WORKFLOW_FIELDS } from '../../views/flows/workflow.js'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { Table } from '../components/list/Table.js'
import { keptList, type List, listText, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { ScrolledText } from '../components/ScrolledText.js'
import { TabLine } from '../components/TabLine.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import type { FlowRow } from './feed.js'
import { FLOW_KEYS, type Place, TABS, type Tab } from './keys.js'
import { type OpenFlow, OpenFlowFeed, type Run } from './open-flow.js'
import { RunLogView } from './RunLogView.js'
import type { Acting } from './use-acting.js'

interface OpenFlowViewProps extends Area {
  row: FlowRow
  place: Place
  acting: Acting
  onMove(place: Place): void
}

const RUNS = keptList()

/** An open workflow: its graph, its executions, the log of one, and all its details. */
export function OpenFlowView({ row, place, acting, onMove, width, height }: OpenFlowViewProps) {
  const now = useNow(1000)
  const feed = useDaemon().part(OpenFlowFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const live = useFeed(feed)
  // The workflow that was open before shows no more.
  const open = live.content?.id === row.id ? live.content : undefined
  const list = useList(RUNS, open?.runs ?? NO_RUNS, RUN_COLUMNS)
  const { tab } = place
  const run = open?.runs.find(({ id }) => id === place.run) ?? open?.runs[0]
  const summary = [titleText(row), tab === 'executions' ? listText(list) : '', useStaleText(live, now)]
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={FLOW_KEYS}
      pane={tab}
      state={{
        list,
        move: list.move,
        acting,
        flow: row,
        run: tab === 'executions' ? list.selected : run,
        place,
        onMove,
      }}
      list={list}
      question={acting.question}
      summary={summary.filter((part) => part !== '').join('  ')}
    >
      {(inner) => {
        const area = { width: inner.width, height: inner.height - 1 }
        return (
          <>
            <TabLine tabs={TABS} current={tab} width={inner.width} />
            {open === undefined ? (
              <Notice {...area} text={live.problem ?? 'Reading the workflow …'} />
            ) : (
              <TabContent
                {...area}
                tab={tab}
                row={row}
                open={open}
                run={run}
                list={list}
                now={now}
                isStale={live.problem !== undefined}
              />
            )}
          </>
        )
      }}
    </ScreenFrame>
  )
}

const NO_RUNS: readonly [] = []

function titleText({ id, name, state, trigger, version, webhook_enabled: isOn }: FlowRow): string {
  const webhook = isOn || trigger === 'webhook' ? `, its webhook is ${isOn ? 'on' : 'off'}` : ''
  return `${id} ${name}: ${state}, ${trigger ?? 'no trigger'}${webhook}, version ${version}`
}

/** The fields of `flow show`, and the whole graph. */
const DETAILS: readonly Column[] = [
  ...WORKFLOW_FIELDS.flatMap((field: Column) => {
    if (field.key === 'is_active') return [{ key: 'state' }, { key: 'trigger' }]
    if (field.key !== 'webhook_auth_type') return [field]
    return [{ key: 'webhook_url', title: 'WEBHOOK URL' }, field]
  }),
  { key: 'nodes' },
  { key: 'edges' },
]

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
function TabContent(props: TabContentProps) {
  const { tab, row, open, run, list, now, isStale, width, height } = props
  if (tab === 'graph') return <Graph width={width} height={height} open={open} isStale={isStale} />
  if (tab === 'details') {
    const { id: _, ...workflow } = open.workflow
    const record = {
      ...workflow,
      id: row.id,
      state: row.state,
      trigger: row.trigger,
      webhook_url: open.webhookUrl,
    }
    return <Fields record={record} fields={DETAILS} width={width} height={height} now={now} />
  }
  if (run === undefined)
    return <Notice width={width} height={height} text="The workflow has never run. r runs it." />
  if (tab === 'log')
    return <RunLogView key={run.id} run={run} width={width} height={height} now={now} isStale={isStale} />
  if (list.rows.length === 0)
    return <Notice width={width} height={height} text={`No execution has "${list.filter}".`} />
  return (
    <Table
      width={width}
      height={height}
      now={now}
      isStale={isStale}
      rows={list.rows}
      columns={RUN_COLUMNS}
      selected={list.selected?.id}
      marked={list.marked}
    />
  )
}

function Graph({ open, isStale, ...area }: Area & { open: OpenFlow; isStale: boolean }) {
  const lines = useMemo(() => open.draw(area.width).map((text) => ({ text })), [open, area.width])
  return <ScrolledText {...area} lines={lines} isStale={isStale} />
}
