import type { ReactNode } from 'react'
import { TRADE_COLUMNS } from '../../views/orders/books.js'
import { WAITING } from '../../views/orders/order.js'
import { countText } from '../../views/text/count.js'
import { FORM_KEYS } from '../components/form/Form.js'
import { FilterLine, listText } from '../components/list/FilterLine.js'
import { keptList, useList } from '../components/list/use-list.js'
import { useStaleText } from '../components/stale.js'
import { tabAfter } from '../components/TabLine.js'
import { useBindings } from '../keys/bindings.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import type { Live } from '../live/feed.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { keysOfState, QuestionPane } from '../question/QuestionPane.js'
import { Doubts } from '../review/doubts.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { ScreenProps } from '../screen/screen.js'
import { useAsked } from '../screen/shell-context.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { COLUMNS } from './columns.js'
import { IN_DOUBT, OrderFeed, type OrderRow, TradeFeed, type TradeRow } from './feed.js'
import { OrderForm } from './form/OrderForm.js'
import { KEYS } from './keys.js'
import { type BookProps, OrderBook } from './OrderBook.js'
import { OrderDetails } from './OrderDetails.js'
import { TABS, type Tab } from './pane.js'
import { type Trading, useTrading } from './use-trading.js'

const TAB = new Kept<Tab>('orders')
const LISTS = { orders: keptList(), trades: keptList() }

/** The orders and trades of the day, the details of one, and the forms and reviews before an order is sent. */
export function OrderScreen(props: ScreenProps) {
  const [tab, setTab] = useKept(TAB)
  const trading = useTrading(tab)
  useAsked(props.asked, ({ kind, id }) => {
    if (kind === 'symbol') return trading.place(id)
    if (kind !== 'order') return
    setTab('orders')
    trading.show({ kind: 'details', id, from: 'orders' })
  })
  const orders = useFeed(useDaemon().part(OrderFeed))
  const Book = tab === 'orders' ? Orders : Trades
  return <Book {...props} {...{ tab, trading, orders }} onTab={setTab} />
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
  return <Shown {...props} book={book} selected={list.selected} summary={orderSummary(live.content)} />
}

function Trades(props: BookScreenProps) {
  const live = useFeed(useDaemon().part(TradeFeed))
  const list = useList(LISTS.trades, live.content, TRADE_COLUMNS)
  const book = { list, columns: TRADE_COLUMNS, live, empty: 'No trades in this session.' }
  return (
    <Shown {...props} book={book} selected={undefined} summary={countText(live.content.length, 'trade')} />
  )
}

interface ShownProps<Row extends OrderRow | TradeRow> extends BookScreenProps {
  book: Pick<BookProps<Row>, 'list' | 'columns' | 'live' | 'empty'>
  /** The order under the cursor; undefined in a list of trades. */
  selected: OrderRow | undefined
  summary: string
}

function Shown<Row extends OrderRow | TradeRow>(props: ShownProps<Row>) {
  const { width, height, book, selected, summary, tab, trading, orders, onTab } = props
  const { list } = book
  const { pane } = trading
  const daemon = useDaemon()
  // The details may show another order than the one under the cursor; keys act on what is shown.
  const order = pane.kind === 'details' ? orders.content.find(({ id }) => id === pane.id) : selected
  useBindings(KEYS, pane.kind, {
    list,
    move: list.move,
    details() {
      if (list.selected) trading.show({ kind: 'details', id: list.selected.orderid, from: tab })
    },
    back: trading.back,
    place: () => trading.place(),
    modify: () => trading.modify(order),
    cancel: () => void trading.cancel(order),
    cancelAll: () => void trading.cancelAll(),
    nextTab: (by) => onTab(tabAfter(TABS, tab, by)),
    forget: () => daemon.part(Doubts).forget(),
  })
  const filtered = listText(list)
  const note = useStaleText(book.live, useNow(1000))
  return (
    <ScreenFrame
      {...{ width, height, bindings: KEYS, pane: pane.kind, ...keysOf(trading), note }}
      summary={filtered === '' ? summary : `${summary}, ${filtered}`}
      prompt={list.isFiltering ? <FilterLine list={list} /> : undefined}
    >
      {(area) => (
        <Main {...{ ...area, trading }} book={(size) => <OrderBook {...{ ...size, ...book, tab }} />} />
      )}
    </ScreenFrame>
  )
}

interface MainProps extends Area {
  trading: Trading
  book(area: Area): ReactNode
}

/** The list, or what covers it. */
function Main({ trading, book, ...area }: MainProps) {
  const { pane, reviewing } = trading
  if (reviewing.state !== undefined) {
    return (
      <QuestionPane
        {...area}
        state={reviewing.state}
        onConfirm={() => void trading.confirm()}
        onLeave={reviewing.leave}
      />
    )
  }
  if (pane.kind === 'form') {
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
  return pane.kind === 'details' ? <OrderDetails {...area} id={pane.id} /> : book(area)
}

function keysOf({ pane, reviewing }: Trading): { keys?: readonly KeyHelp[] } {
  if (reviewing.state !== undefined) return keysOfState(reviewing.state)
  return pane.kind === 'form' ? { keys: FORM_KEYS } : {}
}

function orderSummary(rows: readonly OrderRow[]): string {
  const open = rows.filter(({ order_status }) => WAITING.has(order_status)).length
  const doubts = rows.filter(({ order_status }) => order_status === IN_DOUBT).length
  const text = `${countText(rows.length, 'order')}, ${open} open`
  return doubts === 0 ? text : `${text}, ${doubts} IN DOUBT`
}
