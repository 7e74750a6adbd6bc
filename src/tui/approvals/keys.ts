import { type List, type ListActs, listKeys } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import { type QueueRow, TABS, type Tab } from './rows.js'
import type { Deciding, Pane } from './use-deciding.js'

/** What the keys act on. */
export interface QueueState extends ListActs {
  list: List<QueueRow>
  deciding: Deciding
  /** The orders to decide: the shown one, otherwise the marked ones, otherwise the selected one. */
  chosen: readonly QueueRow[]
  /** The same, but every order of the list where none is marked. */
  chosenOrAll(): readonly QueueRow[]
  tab: Tab
  onTab(tab: Tab): void
}

type Kind = Pane['kind']
const LIST = ['list'] as const satisfies readonly Kind[]
const DETAILS = ['details'] as const satisfies readonly Kind[]
const BOTH = ['list', 'details'] as const satisfies readonly Kind[]

/** The last line has no room for the keys that every list has. */
const unnamed = <Key extends { does?: string }>({ does: _, ...rest }: Key) => rest

/** The keys of the list and the details, in the order in which the last line names them. */
export const QUEUE_KEYS: readonly Binding<Kind, QueueState>[] = [
  ...listKeys<Kind>(LIST).map(unnamed),
  {
    id: 'approvals.details',
    in: LIST,
    keys: ['enter'],
    does: 'details',
    explained: 'show all fields and the raw order',
    command: 'svc approval show <id>',
    act: ({ list: { selected }, deciding }) =>
      selected !== undefined && deciding.show({ kind: 'details', id: selected.id }),
  },
  {
    id: 'approvals.approve',
    in: BOTH,
    keys: ['a'],
    does: 'approve',
    explained: 'approve the order or the marked ones, after a question',
    command: 'svc approval approve <id>',
    act: ({ deciding, chosen }) => void deciding.askToApprove(chosen),
  },
  {
    id: 'approvals.reject',
    in: BOTH,
    keys: ['r'],
    does: 'reject',
    explained: 'reject the order or the marked ones, with a reason',
    command: 'svc approval reject <id>',
    act: ({ deciding, chosen }) => deciding.askToReject(chosen),
  },
  {
    id: 'approvals.mark',
    in: LIST,
    keys: ['space'],
    does: 'mark',
    explained: 'mark the order, or remove its mark',
    act: ({ list }) => list.toggle(),
  },
  {
    id: 'approvals.approve-all',
    in: LIST,
    keys: ['A'],
    does: 'approve all',
    explained: 'approve the marked orders, or all shown, after a question',
    command: 'svc approval approve-all',
    act: ({ deciding, chosenOrAll }) => void deciding.askToApprove(chosenOrAll()),
  },
  {
    id: 'approvals.delete',
    in: LIST,
    keys: ['d'],
    explained: 'delete a decided order from the queue',
    command: 'svc approval delete <id>',
    act: ({ deciding, list }) => deciding.askToRemove(list.selected),
  },
  {
    id: 'approvals.next-tab',
    in: LIST,
    keys: ['tab'],
    does: 'next',
    explained: 'pending, approved, rejected',
    command: 'svc approval list --status approved',
    act: ({ tab, onTab }) => onTab(tabAfter(TABS, tab, 1)),
  },
  {
    id: 'approvals.previous-tab',
    in: LIST,
    keys: ['shift-tab'],
    act: ({ tab, onTab }) => onTab(tabAfter(TABS, tab, -1)),
  },
  {
    id: 'approvals.back',
    in: DETAILS,
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ deciding }) => deciding.show({ kind: 'list' }),
  },
]
