import { type FC, useContext, useLayoutEffect, useMemo } from 'react'
import { RUN_COLUMNS } from '../../views/flows/run.js'
import { WORKFLOW_FIELDS } from '../../views/flows/workflow.js'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { Notice } from '../components/Notice.js'
import { ScrolledText } from '../components/ScrolledText.js'
import type { Live } from '../live/feed.js'
import { useStore } from '../live/use-daemon.js'
import { drawnView } from '../screen/fields-view.js'
import { AGE_LAST } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { Shown, WithOwn } from '../screen/record.js'
import type { Area } from '../terminal/size.js'
import { ThemeContext } from '../terminal/theme.js'
import { readAfter } from './acts.js'
import { FlowPlace, type FlowRow, useOpenedRow } from './feed.js'
import { type FlowActs, flowKeys, showAsked } from './keys.js'
import { type OpenFlow, OpenFlowFeed, type Run } from './open-flow.js'
import { RunLogView } from './run-log.js'

interface OpenActs extends FlowActs {
  /** The content of the open workflow; undefined while it is not read. */
  open: OpenFlow | undefined
}

type OpenShown = Shown<OpenFlow | undefined, OpenFlowFeed> & WithOwn<OpenActs>

/** A hook: returns the open workflow and the run that is shown. */
function useOpenFlow({ content, feed, daemon }: Pick<OpenShown, 'content' | 'feed' | 'daemon'>): OpenActs {
  const flow = useOpenedRow()
  const id = flow?.id
  // A layout effect comes before the feed is held, so that its first read is of the chosen one.
  useLayoutEffect(() => {
    if (id !== undefined) feed.choose(id)
  }, [feed, id])
  const place = daemon.part(FlowPlace)
  const chosen = useStore(place.at).run
  const { utc } = useContext(ThemeContext)
  // The workflow that was open before shows no more.
  const open = content?.id === id ? content : undefined
  const run = open?.runs.find((one) => one.id === chosen) ?? open?.runs[0]
  return { flow, run, place, utc, open }
}

/** In the list of runs, keys act on the selected one. */
function useRunActs(
  shown: Pick<OpenShown, 'content' | 'feed' | 'daemon'> & { row: Run | undefined },
): OpenActs {
  return { ...useOpenFlow(shown), run: shown.row }
}

const NO_RUNS: readonly Run[] = []

function useRuns({ content }: Live<OpenFlow | undefined>): readonly Run[] {
  const flow = useOpenedRow()
  return content?.id === flow?.id ? (content?.runs ?? NO_RUNS) : NO_RUNS
}

const READING = 'Reading the workflow …'
const NO_RUN = 'The workflow has never run. r runs it.'

/** The part of the record that every view of an open workflow has. */
const OPEN = {
  feed: OpenFlowFeed,
  summary: ({ own }: Pick<OpenShown, 'own'>) => (own.flow === undefined ? '' : titleText(own.flow)),
  firstLine: AGE_LAST,
  redrawMs: () => 1000,
  commonKeys: [],
  asked: showAsked,
  prepare: readAfter,
} as const

/** Returns a view of the open workflow, or why it is not read. */
function openView(name: string, Content: FC<Area & { shown: OpenShown; open: OpenFlow; flow: FlowRow }>) {
  return drawnView({
    ...OPEN,
    name,
    use: useOpenFlow,
    Draw({ shown, ...area }) {
      const { open, flow } = shown.own
      if (open === undefined || flow === undefined)
        return <Notice {...area} text={shown.live.problem ?? READING} />
      return <Content {...area} shown={shown} open={open} flow={flow} />
    },
    keys: flowKeys(name),
  })
}

const isStale = ({ live }: Pick<OpenShown, 'live'>) => live.problem !== undefined

/** The tabs of an open workflow: its graph, its executions, the log of one, and all its details. */
export const OPEN_VIEWS = [
  openView('graph', ({ shown, open, ...area }) => (
    <Graph width={area.width} height={area.height} open={open} isStale={isStale(shown)} />
  )),
  listView({
    ...OPEN,
    name: 'executions',
    useRows: useRuns,
    use: useRunActs,
    columns: RUN_COLUMNS,
    empty: {
      reading: READING,
      failed: (problem) => problem,
      none: ({ live, own }) => (own.open === undefined ? (live.problem ?? READING) : NO_RUN),
      filtered: (filter) => `No execution has "${filter}".`,
    },
    keys: [...LIST_KEYS, ...flowKeys('executions')],
  }),
  openView('log', ({ shown, width, height }) => {
    const { run } = shown.own
    if (run === undefined) return <Notice width={width} height={height} text={NO_RUN} />
    const view = { width, height, now: shown.now, isStale: isStale(shown) }
    return <RunLogView key={run.id} run={run} {...view} />
  }),
  openView('details', ({ shown, open, flow, width, height }) => {
    const { id: _, ...workflow } = open.workflow
    const { id, state, trigger } = flow
    const record = { ...workflow, id, state, trigger, webhook_url: open.webhookUrl }
    return <Fields record={record} fields={DETAILS} width={width} height={height} now={shown.now} />
  }),
] as const

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

function Graph({ open, isStale, ...area }: Area & { open: OpenFlow; isStale: boolean }) {
  const lines = useMemo(() => open.draw(area.width).map((text) => ({ text })), [open, area.width])
  return <ScrolledText {...area} lines={lines} isStale={isStale} />
}
