import type { ReactNode } from 'react'
import { TRADE_COLUMNS } from '../../views/orders/books.js'
import { ORDER_COLUMNS, WAITING } from '../../views/orders/order.js'
import type { Column } from '../../views/table/column.js'
import { countText } from '../../views/text/count.js'
import { FORM_KEYS } from '../components/form/Form.js'
import { keptList, listText, useList } from '../components/list/use-list.js'
import type { Live } from '../live/feed.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { Doubts } from '../question/Doubts.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import { type Screen, type ScreenProps, useAsked } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { IN_DOUBT, OrderFeed, type OrderRow, TradeFeed, type TradeRow } from './feed.js'
import { OrderForm } from './form/OrderForm.js'
import { ORDER_KEYS } from './keys.js'
import { type BookProps, OrderBook } from './OrderBook.js'
import { OrderDetails } from './OrderDetails.js'
import { type Tab, type Trading, useTrading } from './use-trading.js'

const TAB = new Kept<Tab>('orders')
const LISTS = { orders: keptList(), trades: keptList() }

/** The orders and trades of the day, the details of one, and the forms and reviews before an order is sent. */
export const orders: Screen = {
  id: 'orders',
  title: 'Orders',
  keys: ORDER_KEYS,
  opens: ['order'],
  badge: ({ inDoubt }) => inDoubt,
  View: OrderScreen,
}

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

function OrderScreen(props: ScreenProps) {
  const [tab, setTab] = useKept(TAB)
  const trading = useTrading(tab)
  useAsked(props.asked, ({ kind, id }) => {
    if (kind === 'symbol') return trading.place(id)
    if (kind !== 'order') return
    setTab('orders')
    trading.show({ kind: 'details', id, from: 'orders' })
  })
  const live = useFeed(useDaemon().part(OrderFeed))
  const Shown = tab === 'orders' ? Orders : Trades
  return <Shown {...props} tab={tab} trading={trading} orders={live} onTab={setTab} />
}

interface BookScreenProps extends ScreenProps {
  tab: Tab
  trading: Trading
  orders: Live<readonly OrderRow[]>
  onTab(tab: Tab): void
}

function Orders(props: BookScreenProps) {
  const live = props.orders
  const list = useList(LISTS.orders, live.content, COLUMNS)
  const book = { list, columns: COLUMNS, live, empty: 'No orders today. Press n to place one.' }
  return <BookView {...props} book={book} selected={list.selected} summary={orderSummary(live.content)} />
}

function Trades(props: BookScreenProps) {
  const live = useFeed(useDaemon().part(TradeFeed))
  const list = useList(LISTS.trades, live.content, TRADE_COLUMNS)
  const book = { list, columns: TRADE_COLUMNS, live, empty: 'No trades in this session.' }
  return (
    <BookView {...props} book={book} selected={undefined} summary={countText(live.content.length, 'trade')} />
  )
}

interface BookViewProps<Row extends OrderRow | TradeRow> extends BookScreenProps {
  book: Pick<BookProps<Row>, 'list' | 'columns' | 'live' | 'empty'>
  /** The order under the cursor; undefined in a list of trades. */
  selected: OrderRow | undefined
  summary: string
}

function BookView<Row extends OrderRow | TradeRow>(props: BookViewProps<Row>) {
  const { width, height, book, selected, summary, tab, trading, orders: live, onTab } = props
  const { list } = book
  const { pane, reviewing } = trading
  const doubts = useDaemon().part(Doubts)
  // The details may show another order than the one under the cursor; keys act on what is shown.
  const order = pane.kind === 'details' ? live.content.find(({ id }) => id === pane.id) : selected
  const filtered = listText(list)
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={ORDER_KEYS}
      pane={pane.kind}
      state={{ list, move: list.move, trading, order, tab, onTab, doubts }}
      list={list}
      question={{ state: reviewing.state, confirm: trading.confirm, leave: reviewing.leave }}
      named={pane.kind === 'form' && reviewing.state === undefined ? FORM_KEYS : undefined}
      summary={filtered === '' ? summary : `${summary}, ${filtered}`}
      note={useStaleText(book.live, useNow(1000))}
    >
      {(area) => (
        <Main {...area} trading={trading} book={(size) => <OrderBook {...size} {...book} tab={tab} />} />
      )}
    </ScreenFrame>
  )
}

interface MainProps extends Area {
  trading: Trading
  book(area: Area): ReactNode
}

/** The list, the form of an order, or the details of one. */
function Main({ trading, book, ...area }: MainProps) {
  const { pane } = trading
  if (pane.kind === 'details') return <OrderDetails {...area} id={pane.id} />
  if (pane.kind !== 'form') return book(area)
  return (
    <OrderForm
      // A refusal fills the form again.
      key={pane.draft.refusal ?? ''}
      {...area}
      draft={pane.draft}
      onSubmit={(values) => void trading.submit(values)}
      onCancel={trading.leaveForm}
    />
  )
}

function orderSummary(rows: readonly OrderRow[]): string {
  const open = rows.filter(({ order_status }) => WAITING.has(order_status)).length
  const doubts = rows.filter(({ order_status }) => order_status === IN_DOUBT).length
  const text = `${countText(rows.length, 'order')}, ${open} open`
  return doubts === 0 ? text : `${text}, ${doubts} IN DOUBT`
}
