import { type List, type ListActs, listKeys } from '../components/list/use-list.js'
import { tabAfter } from '../components/TabLine.js'
import type { Binding } from '../keys/bindings.js'
import type { Doubts } from '../question/Doubts.js'
import type { OrderRow, TradeRow } from './feed.js'
import { type Pane, TABS, type Tab, type Trading } from './use-trading.js'

/** What the keys act on. */
interface OrderState extends ListActs {
  list: List<OrderRow | TradeRow>
  trading: Trading
  /** The order that is open or selected. */
  order: OrderRow | undefined
  tab: Tab
  onTab(tab: Tab): void
  doubts: Doubts
}

type Kind = Pane['kind']
const LISTS = ['orders', 'trades'] as const satisfies readonly Kind[]
const ORDER = ['orders', 'details'] as const satisfies readonly Kind[]
const ALL = ['orders', 'trades', 'details'] as const satisfies readonly Kind[]

/** The keys of the lists and the details, in the order in which the last line names them. */
export const ORDER_KEYS: readonly Binding<Kind, OrderState>[] = [
  {
    id: 'orders.place',
    in: ALL,
    keys: ['n'],
    does: 'new',
    explained: 'place an order: form, review, confirmation',
    command: 'svc order place',
    act: ({ trading }) => trading.place(),
  },
  {
    id: 'orders.modify',
    in: ORDER,
    keys: ['m'],
    does: 'modify',
    explained: 'modify the order, after a review',
    command: 'svc order modify <id>',
    act: ({ trading, order }) => trading.modify(order),
  },
  {
    id: 'orders.cancel',
    in: ORDER,
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the order, after a review',
    command: 'svc order cancel <id>',
    act: ({ trading, order }) => void trading.cancel(order),
  },
  {
    id: 'orders.cancel-all',
    in: LISTS,
    keys: ['C'],
    does: 'cancel all',
    explained: 'cancel every waiting order, after a review',
    command: 'svc order cancel-all',
    act: ({ trading }) => void trading.cancelAll(),
  },
  {
    id: 'orders.details',
    in: LISTS,
    keys: ['enter'],
    does: 'details',
    explained: 'every field, the fills and the history',
    command: 'svc order status <id>',
    act: ({ list: { selected }, trading, tab }) =>
      selected && trading.show({ kind: 'details', id: selected.orderid, from: tab }),
  },
  {
    id: 'orders.next-tab',
    in: LISTS,
    keys: ['tab'],
    does: 'next',
    explained: 'orders, trades',
    command: 'svc trade list',
    act: ({ tab, onTab }) => onTab(tabAfter(TABS, tab, 1)),
  },
  {
    id: 'orders.previous-tab',
    in: LISTS,
    keys: ['shift-tab'],
    act: ({ tab, onTab }) => onTab(tabAfter(TABS, tab, -1)),
  },
  ...listKeys<Kind>(LISTS),
  {
    id: 'orders.forget',
    in: LISTS,
    keys: ['d'],
    explained: 'forget the requests in doubt, when you have looked them up',
    act: ({ doubts }) => doubts.forget(),
  },
  {
    id: 'orders.back',
    in: ['details'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ trading }) => trading.back(),
  },
]
