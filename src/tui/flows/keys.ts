import type { Shown, ViewKey, WithOwn } from '../screen/record.js'
import type { Target } from '../screen/screen.js'
import { askToCancelRun, askToRun, askToToggle } from './acts.js'
import type { FlowPlace, FlowRow } from './feed.js'
import type { Run } from './open-flow.js'

/** What the keys of every view of the screen act on. */
export interface FlowActs {
  /** The workflow that is open or selected. */
  flow: FlowRow | undefined
  /** The run that is selected in its list, or shown. */
  run: Run | undefined
  place: FlowPlace
  utc: boolean
}

type FlowKey = ViewKey<Pick<Shown, 'daemon' | 'dialogs' | 'views'> & WithOwn<FlowActs>>

export const OPEN = ['graph', 'executions', 'log', 'details'] as const
const ANY = ['list', ...OPEN] as const

/** The keys of the screen with the views in which they work, in the order in which the last line names them. */
const FLOW_KEYS: readonly (FlowKey & { views: readonly string[] })[] = [
  {
    id: 'flows.scroll',
    views: ['graph', 'log', 'details'],
    keys: [],
    shown: '↑↓',
    does: 'scroll',
    explained: 'scroll (also PgUp, PgDn, g and G)',
    act: () => undefined,
  },
  {
    id: 'flows.open',
    views: ['list'],
    keys: ['enter', 'd'],
    does: 'open',
    explained: 'show graph, executions, log and details',
    command: 'svc flow show ID',
    act: ({ own: { flow, place } }) => flow && place.open(String(flow.id)),
  },
  {
    id: 'flows.open-run',
    views: ['executions'],
    keys: ['e', 'enter'],
    does: 'log',
    explained: 'show the log of the execution',
    command: 'svc flow logs ID --execution RUN',
    act({ own: { run, place }, views }) {
      if (run === undefined) return
      place.chooseRun(run.id)
      views.show('log')
    },
  },
  {
    id: 'flows.next-tab',
    views: OPEN,
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: graph, executions, log, details (also l)',
    act: ({ views }) => views.move(1),
  },
  {
    id: 'flows.last-tab',
    views: OPEN,
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back: details, log, executions, graph (also h)',
    act: ({ views }) => views.move(-1),
  },
  {
    id: 'flows.run',
    views: ANY,
    keys: ['r'],
    does: 'run',
    explained: 'run the workflow now: asks',
    command: 'svc flow run ID',
    act: (shown) => void askToRun(shown, shown.own.flow),
  },
  {
    id: 'flows.toggle',
    views: ANY,
    keys: ['a'],
    does: 'on/off',
    explained: 'activate or deactivate its trigger: asks',
    command: 'svc flow activate ID',
    act: (shown) => void askToToggle(shown, shown.own.flow),
  },
  {
    id: 'flows.cancel-run',
    views: ['executions', 'log'],
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the running execution: asks',
    command: 'svc flow cancel RUN',
    act: (shown) => askToCancelRun(shown, shown.own.flow, shown.own.run),
  },
  {
    id: 'flows.back',
    views: OPEN,
    keys: ['esc', 'q'],
    does: 'back',
    explained: 'back to the list',
    act: ({ own: { place } }) => place.open(undefined),
  },
]

/** Returns the keys of a view of the screen. */
export function flowKeys(view: string): readonly FlowKey[] {
  return FLOW_KEYS.filter(({ views }) => views.includes(view)).map(({ views: _, ...key }) => key)
}

export const FLOW_KEY_ORDER: readonly string[] = FLOW_KEYS.map(({ id }) => id)

/** Opens the workflow that another part of the program asks for. */
export function showAsked({ id }: Target, { own }: WithOwn<Pick<FlowActs, 'place'>>): void {
  own.place.open(id)
}
