import { type ListActs, listKeys } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import type { Pane } from './pane.js'

/** The acts that keys start. */
export interface Acts extends ListActs {
  details(): void
  back(): void
  place(): void
  modify(): void
  cancel(): void
  cancelAll(): void
  nextTab(by: number): void
  forget(): void
}

type Kind = Pane['kind']
const LISTS = ['orders', 'trades'] as const satisfies readonly Kind[]
const ORDER = ['orders', 'details'] as const satisfies readonly Kind[]
const ALL = ['orders', 'trades', 'details'] as const satisfies readonly Kind[]

/** The keys of the lists and the details, in the order in which the last line names them. */
export const KEYS: readonly Binding<Kind, Acts>[] = [
  {
    id: 'orders.place',
    in: ALL,
    keys: ['n'],
    does: 'new',
    explained: 'place an order: form, review, confirmation',
    command: 'svc order place',
    act: (acts) => acts.place(),
  },
  {
    id: 'orders.modify',
    in: ORDER,
    keys: ['m'],
    does: 'modify',
    explained: 'modify the order, after a review',
    command: 'svc order modify <id>',
    act: (acts) => acts.modify(),
  },
  {
    id: 'orders.cancel',
    in: ORDER,
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the order, after a review',
    command: 'svc order cancel <id>',
    act: (acts) => acts.cancel(),
  },
  {
    id: 'orders.cancel-all',
    in: LISTS,
    keys: ['C'],
    does: 'cancel all',
    explained: 'cancel every waiting order, after a review',
    command: 'svc order cancel-all',
    act: (acts) => acts.cancelAll(),
  },
  {
    id: 'orders.details',
    in: LISTS,
    keys: ['enter'],
    does: 'details',
    explained: 'every field, the fills and the history',
    command: 'svc order status <id>',
    act: (acts) => acts.details(),
  },
  {
    id: 'orders.next-tab',
    in: LISTS,
    keys: ['tab'],
    does: 'next',
    explained: 'orders, trades',
    command: 'svc trade list',
    act: (acts: Acts) => acts.nextTab(1),
  },
  { id: 'orders.previous-tab', in: LISTS, keys: ['shift-tab'], act: (acts) => acts.nextTab(-1) },
  ...listKeys<Kind>(LISTS),
  {
    id: 'orders.forget',
    in: LISTS,
    keys: ['d'],
    explained: 'forget the requests in doubt, when you have looked them up',
    act: (acts) => acts.forget(),
  },
  {
    id: 'orders.back',
    in: ['details'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: (acts: Acts) => acts.back(),
  },
]
