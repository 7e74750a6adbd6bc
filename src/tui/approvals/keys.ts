import { type ListActs, listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts extends ListActs {
  mark(): void
  details(): void
  back(): void
  approve(): void
  approveAll(): void
  reject(): void
  remove(): void
  nextTab(by: number): void
}

type Kind = Pane['kind']
const LIST = ['list'] as const satisfies readonly Kind[]
const DETAILS = ['details'] as const satisfies readonly Kind[]
const BOTH = ['list', 'details'] as const satisfies readonly Kind[]

/** The last line has no room for the keys that every list has. */
const unnamed = <Key extends { does?: string }>({ does: _, ...rest }: Key) => rest

/** The keys of the list and the details, in the order in which the last line names them. */
export const KEYS: readonly Binding<Kind, Acts>[] = [
  ...listKeys<Kind>(LIST).map(unnamed),
  {
    id: 'approvals.details',
    in: LIST,
    keys: ['enter'],
    does: 'details',
    explained: 'show all fields and the raw order',
    command: 'svc approval show <id>',
    act: (acts) => acts.details(),
  },
  {
    id: 'approvals.approve',
    in: BOTH,
    keys: ['a'],
    does: 'approve',
    explained: 'approve the order or the marked ones, after a question',
    command: 'svc approval approve <id>',
    act: (acts) => acts.approve(),
  },
  {
    id: 'approvals.reject',
    in: BOTH,
    keys: ['r'],
    does: 'reject',
    explained: 'reject the order or the marked ones, with a reason',
    command: 'svc approval reject <id>',
    act: (acts) => acts.reject(),
  },
  {
    id: 'approvals.mark',
    in: LIST,
    keys: ['space'],
    does: 'mark',
    explained: 'mark the order, or remove its mark',
    act: (acts) => acts.mark(),
  },
  {
    id: 'approvals.approve-all',
    in: LIST,
    keys: ['A'],
    does: 'approve all',
    explained: 'approve the marked orders, or all shown, after a question',
    command: 'svc approval approve-all',
    act: (acts: Acts) => acts.approveAll(),
  },
  {
    id: 'approvals.delete',
    in: LIST,
    keys: ['d'],
    explained: 'delete a decided order from the queue',
    command: 'svc approval delete <id>',
    act: (acts: Acts) => acts.remove(),
  },
  {
    id: 'approvals.next-tab',
    in: LIST,
    keys: ['tab'],
    does: 'next',
    explained: 'pending, approved, rejected',
    command: 'svc approval list --status approved',
    act: (acts: Acts) => acts.nextTab(1),
  },
  {
    id: 'approvals.previous-tab',
    in: LIST,
    keys: ['shift-tab'],
    act: (acts) => acts.nextTab(-1),
  },
  {
    id: 'approvals.back',
    in: DETAILS,
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: (acts) => acts.back(),
  },
]
