import { type ListActs, listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'

export const TABS = ['positions', 'holdings', 'funds', 'p&l'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys: a tab, or the details of a position or a holding. */
export type Kind = Tab | 'details' | 'holding'

/** The acts that keys start. */
export interface Acts extends ListActs {
  details(): void
  back(): void
  close(): void
  closeAll(): void
  nextTab(by: number): void
  forget(): void
}

const LISTS = ['positions', 'holdings'] as const satisfies readonly Kind[]
const POSITION = ['positions', 'details'] as const satisfies readonly Kind[]

/** The keys of the tabs and the details, in the order in which the last line names them. */
export const KEYS: readonly Binding<Kind, Acts>[] = [
  {
    id: 'positions.close',
    in: POSITION,
    keys: ['c', 'x'],
    does: 'close',
    explained: 'close the position at the market, after a review',
    command: 'svc position close <symbol>',
    act: (acts) => acts.close(),
  },
  {
    id: 'positions.close-all',
    in: TABS,
    keys: ['C'],
    does: 'close all',
    explained: 'close every position: asks for a word',
    command: 'svc position close-all',
    act: (acts) => acts.closeAll(),
  },
  {
    id: 'positions.details',
    in: LISTS,
    keys: ['enter'],
    does: 'details',
    explained: 'every field',
    command: 'svc position list',
    act: (acts: Acts) => acts.details(),
  },
  {
    id: 'positions.next-tab',
    in: TABS,
    keys: ['tab'],
    does: 'next',
    explained: 'positions, holdings, funds, profit and loss',
    command: 'svc pnl show',
    act: (acts) => acts.nextTab(1),
  },
  { id: 'positions.previous-tab', in: TABS, keys: ['shift-tab'], act: (acts) => acts.nextTab(-1) },
  ...listKeys<Kind>(LISTS),
  {
    id: 'positions.forget',
    in: TABS,
    keys: ['d'],
    explained: 'forget the requests in doubt, when you have looked them up',
    act: (acts) => acts.forget(),
  },
  {
    id: 'positions.back',
    in: ['details', 'holding'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: (acts: Acts) => acts.back(),
  },
]
