import { TRADE_COLUMNS } from '../../views/orders/books.js'
import { ORDER_COLUMNS } from '../../views/orders/order.js'
import type { Column } from '../../views/table/column.js'
import { countText } from '../../views/text/count.js'
import { FORM_KEYS } from '../components/form/Form.js'
import type { Live } from '../live/feed.js'
import { useFeed } from '../live/use-daemon.js'
import { Doubts, FORGET_DOUBTS } from '../question/Doubts.js'
import { WITHOUT_AGE } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { Cover, DetailsProps, ListShown, ViewKey, WithOwn } from '../screen/record.js'
import type { Target } from '../screen/screen.js'
import { screenOf } from '../screen/screen-of.js'
import { OrderFeed, type OrderRow, orderCounts, TradeFeed, type TradeRow } from './feed.js'
import { OrderForm } from './form/OrderForm.js'
import { OrderDetails } from './OrderDetails.js'
import { type Trading, useTrading } from './use-trading.js'

/** In a narrow terminal the prices of an order matter more than its time and its exchange. */
const RANKS: Readonly<Record<string, number>> = {
  price: 1,
  orderid: 2,
  filled_quantity: 3,
  pricetype: 4,
  average_price: 5,
  exchange: 6,
  timestamp: 7,
  product: 8,
  rejection_reason: 9,
}

/** The columns of the order book, of which other ones leave first than on the command line. */
const COLUMNS: readonly Column[] = ORDER_COLUMNS.map((column: Column) => {
  const leaves = RANKS[column.key]
  return leaves === undefined ? column : { ...column, leaves }
})

interface OrderActs {
  trading: Trading
  /** The order that is open or selected; undefined for a selected trade. */
  order: OrderRow | undefined
}

type BookShown = ListShown<unknown, unknown, OrderRow | TradeRow> & WithOwn<OrderActs>
type BookKey = ViewKey<Pick<BookShown, 'list' | 'move' | 'opened' | 'views' | 'daemon' | 'own'>>

const PLACE: BookKey = {
  id: 'orders.place',
  in: ['list', 'details'],
  keys: ['n'],
  does: 'new',
  explained: 'place an order: form, review, confirmation',
  command: 'svc order place',
  act: ({ own }) => own.trading.place(),
}

const CHANGES: readonly BookKey[] = [
  {
    id: 'orders.modify',
    keys: ['m'],
    does: 'modify',
    explained: 'modify the order, after a review',
    command: 'svc order modify <id>',
    act: ({ own }) => own.trading.modify(own.order),
  },
  {
    id: 'orders.cancel',
    keys: ['c'],
    does: 'cancel',
    explained: 'cancel the order, after a review',
    command: 'svc order cancel <id>',
    act: ({ own }) => void own.trading.cancel(own.order),
  },
]

const BOOK_KEYS: readonly BookKey[] = [
  {
    id: 'orders.cancel-all',
    keys: ['C'],
    does: 'cancel all',
    explained: 'cancel every waiting order, after a review',
    command: 'svc order cancel-all',
    act: ({ own }) => void own.trading.cancelAll(),
  },
  {
    id: 'orders.details',
    keys: ['enter'],
    does: 'details',
    explained: 'every field, the fills and the history',
    command: 'svc order status <id>',
    act: ({ list: { selected }, views }) => selected && views.show(views.current, selected.orderid),
  },
  {
    id: 'orders.next-tab',
    keys: ['tab'],
    does: 'next',
    explained: 'orders, trades',
    command: 'svc trade list',
    act: ({ views }) => views.move(1),
  },
  { id: 'orders.previous-tab', keys: ['shift-tab'], act: ({ views }) => views.move(-1) },
  ...LIST_KEYS,
  { ...FORGET_DOUBTS, id: 'orders.forget' },
  {
    id: 'orders.back',
    in: ['details'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ opened }) => opened.close(),
  },
]

const inBoth = (key: BookKey): BookKey => ({ ...key, in: ['list', 'details'] })
const inDetails = (key: BookKey): BookKey => ({ ...key, in: ['details'] })

/** The part of the record that both books have. */
const BOOK = {
  firstLine: WITHOUT_AGE,
  note: ({ stale }: Pick<BookShown, 'stale'>) => stale,
  commonKeys: [],
  cover: ({ own }: Pick<BookShown, 'own'>) => formCover(own.trading),
  // A trade shows its order.
  Details: ({ id, shown, width, height }: DetailsProps<Pick<BookShown, 'row'>>) => (
    <OrderDetails id={shown.row?.orderid ?? String(id)} width={width} height={height} />
  ),
  asked: showAsked,
  prepare: Doubts.watchedBy,
} as const

/** The words over the details of an order or a trade. */
const bookTitle = ({ action, orderid, quantity, symbol }: OrderRow | TradeRow) =>
  `${action} ${quantity} ${symbol}  ${orderid}`

/** The orders and trades of the day, the details of one, and the forms and reviews before an order is sent. */
export const orders = screenOf({
  id: 'orders',
  title: 'Orders',
  short: 'Ord',
  opens: ['order'],
  badge: ({ inDoubt }) => inDoubt,
  tabLine: 'over-content',
  hasDoubts: true,
  views: [
    listView({
      ...BOOK,
      name: 'orders',
      feed: OrderFeed,
      useRows: ({ content }: Live<readonly OrderRow[]>) => content,
      titleOf: bookTitle,
      use: useOrderActs,
      columns: COLUMNS,
      empty: { none: 'No orders today. Press n to place one.' },
      summary: ({ content }) => orderSummary(content),
      keys: [PLACE, ...CHANGES.map(inBoth), ...BOOK_KEYS],
    }),
    listView({
      ...BOOK,
      name: 'trades',
      feed: TradeFeed,
      useRows: ({ content }: Live<readonly TradeRow[]>) => content,
      titleOf: bookTitle,
      use: useTradeActs,
      columns: TRADE_COLUMNS,
      empty: { none: 'No trades in this session. An order that fills is a trade: n places one.' },
      summary: ({ content }) => countText(content.length, 'trade'),
      keys: [PLACE, ...CHANGES.map(inDetails), ...BOOK_KEYS],
    }),
  ],
})

type ActsOn = Pick<BookShown, 'daemon' | 'dialogs' | 'opened'>

function useOrderActs(shown: ActsOn & { row: OrderRow | undefined }): OrderActs {
  return { trading: useTrading(shown), order: shown.row }
}

/** The details over the trades are those of an order. */
function useTradeActs(shown: ActsOn): OrderActs {
  const { content } = useFeed(shown.daemon.part(OrderFeed))
  return { trading: useTrading(shown), order: content.find(({ id }) => id === shown.opened.id) }
}

/** The form of an order, in place of the book. */
function formCover(trading: Trading): Cover | undefined {
  const { draft } = trading
  if (draft === undefined) return undefined
  return {
    part: 'form',
    keys: FORM_KEYS,
    draw: (area) => (
      <OrderForm
        // A refusal fills the form again.
        key={draft.refusal ?? ''}
        {...area}
        draft={draft}
        onSubmit={(values) => void trading.submit(values)}
        onCancel={trading.leaveForm}
      />
    ),
  }
}

function showAsked({ kind, id }: Target, { own, views }: Pick<BookShown, 'own' | 'views'>): void {
  if (kind === 'symbol') own.trading.place(id)
  if (kind !== 'order') return
  own.trading.leaveForm()
  views.show('orders', id)
}

function orderSummary(rows: readonly OrderRow[]): string {
  const { open, inDoubt } = orderCounts(rows)
  const text = `${countText(rows.length, 'order')}, ${open} open`
  return inDoubt === 0 ? text : `${text}, ${inDoubt} IN DOUBT`
}
