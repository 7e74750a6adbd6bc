import { type ListActs, listKeys, type Opened } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import type { Doubts } from '../question/Doubts.js'
import type { Closing } from './close-reviews.js'
import type { PositionRow } from './feeds.js'

export const TABS = ['positions', 'holdings', 'funds', 'p&l'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys: a tab, or the details of a position or a holding. */
export type Pane = Tab | 'details' | 'holding'

/** What the keys act on. */
interface PositionState extends ListActs {
  /** The row whose details may be open; undefined in a tab without rows. */
  opened: Pick<Opened<unknown>, 'open' | 'close'> | undefined
  /** The position that is open or selected. */
  position: PositionRow | undefined
  closing: Closing
  turn(by: number): void
  doubts: Doubts
}

const LISTS = ['positions', 'holdings'] as const satisfies readonly Pane[]
const POSITION = ['positions', 'details'] as const satisfies readonly Pane[]

/** The keys of the tabs and the details, in the order in which the last line names them. */
export const POSITION_KEYS: readonly Binding<Pane, PositionState>[] = [
  {
    id: 'positions.close',
    in: POSITION,
    keys: ['c', 'x'],
    does: 'close',
    explained: 'close the position at the market, after a review',
    command: 'svc position close <symbol>',
    act: ({ closing, position }) => void closing.close(position),
  },
  {
    id: 'positions.close-all',
    in: TABS,
    keys: ['C'],
    does: 'close all',
    explained: 'close every position: asks for a word',
    command: 'svc position close-all',
    act: ({ closing }) => void closing.closeAll(),
  },
  {
    id: 'positions.details',
    in: LISTS,
    keys: ['enter'],
    does: 'details',
    explained: 'every field',
    command: 'svc position list',
    act: ({ opened }) => opened?.open(),
  },
  {
    id: 'positions.next-tab',
    in: TABS,
    keys: ['tab'],
    does: 'next',
    explained: 'positions, holdings, funds, profit and loss',
    command: 'svc pnl show',
    act: ({ turn }) => turn(1),
  },
  { id: 'positions.previous-tab', in: TABS, keys: ['shift-tab'], act: ({ turn }) => turn(-1) },
  ...listKeys<Pane>(LISTS),
  {
    id: 'positions.forget',
    in: TABS,
    keys: ['d'],
    explained: 'forget the requests in doubt, when you have looked them up',
    act: ({ doubts }) => doubts.forget(),
  },
  {
    id: 'positions.back',
    in: ['details', 'holding'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ opened }) => opened?.close(),
  },
]
