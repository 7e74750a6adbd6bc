import { type ListActs, listKeys } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import { type Binding, moves } from '../keys/bindings.js'
import type { StrategyRow } from './feed.js'
import { type Acting, type Pane, TABS, type Tab } from './use-acting.js'

/** What the keys act on. */
interface StrategyState extends ListActs {
  /** The strategy under the cursor. */
  selected: StrategyRow | undefined
  acting: Acting
  tab: Tab
  onTab(tab: Tab): void
}

type Kind = Pane['kind']
const BOTH = ['list', 'details'] as const satisfies readonly Kind[]

/** The last line has no room for the keys that move. */
const unnamedMove = <Key extends { id: string; does?: string }>({ does, ...rest }: Key) =>
  does === undefined || does === 'move' ? rest : { ...rest, does }

/** The keys of the list and the details, in the order in which the last line names them. */
export const STRATEGY_KEYS: readonly Binding<Kind, StrategyState>[] = [
  ...listKeys<Kind>(['list']).map(unnamedMove),
  ...moves<Kind>(['details']).map(unnamedMove),
  {
    id: 'strategies.details',
    in: ['list'],
    keys: ['enter'],
    does: 'details',
    explained: 'legs, events and runs of the strategy',
    command: 'svc strategy show <id>',
    act: ({ selected, acting }) => selected !== undefined && acting.show('details'),
  },
  {
    id: 'strategies.next-tab',
    in: ['details'],
    keys: ['tab'],
    does: 'next',
    explained: 'go on: legs, events, runs',
    command: 'svc strategy events <id>',
    act: ({ tab, onTab }) => onTab(tabAfter(TABS, tab, 1)),
  },
  {
    id: 'strategies.start',
    in: BOTH,
    keys: ['s'],
    does: 'start',
    explained: 'start the strategy: first its mode, then a question',
    command: 'svc strategy start <id>',
    act: ({ acting }) => acting.start(),
  },
  {
    id: 'strategies.stop',
    in: BOTH,
    keys: ['x'],
    does: 'stop',
    explained: 'stop the run, and close every position it holds',
    command: 'svc strategy stop <id>',
    act: ({ acting }) => acting.stop(),
  },
  {
    id: 'strategies.close-leg',
    in: ['details'],
    keys: ['c'],
    does: 'close leg',
    explained: 'close the selected leg',
    command: 'svc strategy close <id> --leg <leg>',
    act: ({ acting }) => acting.closeLeg(),
  },
  {
    id: 'strategies.close-all',
    in: ['list'],
    keys: ['C'],
    does: 'close',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: ({ acting }) => acting.closeAll(),
  },
  // Next to `c close leg`, in a line that fits 80 columns.
  {
    id: 'strategies.close-all',
    in: ['details'],
    keys: ['C'],
    does: 'all',
    explained: 'close all legs',
    command: 'svc strategy close <id>',
    act: ({ acting }) => acting.closeAll(),
  },
  {
    id: 'strategies.lock',
    in: BOTH,
    keys: ['L'],
    does: 'lock',
    explained: 'lock the webhook while nothing runs, or unlock it',
    command: 'svc strategy lock <id>',
    act: ({ acting }) => acting.lock(),
  },
  {
    id: 'strategies.kill',
    in: BOTH,
    keys: ['K'],
    does: 'kill',
    explained: 'lock the webhook, and stop the run',
    command: 'svc strategy lock <id>',
    act: ({ acting }) => acting.kill(),
  },
  {
    id: 'strategies.back',
    in: ['details'],
    keys: ['esc', 'enter', 'q'],
    does: 'back',
    explained: 'back to the list (also enter and q)',
    act: ({ acting }) => acting.show('list'),
  },
]
