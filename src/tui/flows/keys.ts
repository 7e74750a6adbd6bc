import { type ListActs, listKeys } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import type { FlowRow } from './feed.js'
import type { Run } from './open-flow.js'
import type { Acting } from './use-acting.js'

export const TABS = ['graph', 'executions', 'log', 'details'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that has the keys. */
export type Pane = 'list' | Tab

/** The place on the screen. */
export interface Place {
  /** The open workflow as the command line names it; undefined for the list. */
  opened: string | undefined
  tab: Tab
  /** The chosen run; undefined for the newest one. */
  run: number | undefined
}

/** What the keys act on. */
interface FlowState extends ListActs {
  acting: Acting
  /** The workflow that is open or selected. */
  flow: FlowRow | undefined
  /** The run that is selected in its list, or shown. */
  run?: Run | undefined
  place: Place
  onMove(place: Place): void
}

const turned = ({ place, onMove }: FlowState, by: number) =>
  onMove({ ...place, tab: tabAfter(TABS, place.tab, by) })

const OPEN = ['graph', 'executions', 'log', 'details'] as const satisfies readonly Tab[]
const ANY = ['list', ...OPEN] as const satisfies readonly Pane[]

/** The keys of the screen, in the order in which the last line names them. */
export const FLOW_KEYS: readonly Binding<Pane, FlowState>[] = [
  ...listKeys<Pane>(['list', 'executions']),
  {
    id: 'flows.scroll',
    in: ['graph', 'log', 'details'],
    keys: [],
    shown: '↑↓',
    does: 'scroll',
    explained: 'scroll (also PgUp, PgDn, g and G)',
    act: () => undefined,
  },
  {
    id: 'flows.open',
    in: ['list'],
    keys: ['enter', 'd'],
    does: 'open',
    explained: 'show graph, executions, log and details',
    command: 'svc flow show ID',
    act: ({ flow, place, onMove }) => flow && onMove({ ...place, opened: String(flow.id), run: undefined }),
  },
  {
    id: 'flows.open-run',
    in: ['executions'],
    keys: ['e', 'enter'],
    does: 'log',
    explained: 'show the log of the execution',
    command: 'svc flow logs ID --execution RUN',
    act: ({ run, place, onMove }) => run && onMove({ ...place, tab: 'log', run: run.id }),
  },
  {
    id: 'flows.next-tab',
    in: OPEN,
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: graph, executions, log, details (also l)',
    act: (state) => turned(state, 1),
  },
  {
    id: 'flows.last-tab',
    in: OPEN,
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back: details, log, executions, graph (also h)',
    act: (state) => turned(state, -1),
  },
  {
    id: 'flows.run',
    in: ANY,
    keys: ['r'],
    does: 'run',
    explained: 'run the workflow now: asks',
    command: 'svc flow run ID',
    act: ({ acting, flow }) => void acting.run(flow),
  },
  {
    id: 'flows.toggle',
    in: ANY,
    keys: ['a'],
    does: 'on/off',
    explained: 'activate or deactivate its trigger: asks',
    command: 'svc flow activate ID',
    act: ({ acting, flow }) => void acting.toggle(flow),
  },
  {
    id: 'flows.cancel-run',
    in: ['executions', 'log'],
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the running execution: asks',
    command: 'svc flow cancel RUN',
    act: ({ acting, flow, run }) => acting.cancelRun(flow, run),
  },
  {
    id: 'flows.back',
    in: OPEN,
    keys: ['esc', 'q'],
    does: 'back',
    explained: 'back to the list',
    act: ({ place, onMove }) => onMove({ ...place, opened: undefined, run: undefined }),
  },
]
