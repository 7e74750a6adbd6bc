/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../../operations/types.js'
import { cell, number, rupees } from '../../components/format.js'
import { type Column, Table, Tiles } from '../../components/table.js'
import type { View } from '../../page.js'

type Order = AnswerOf<'GET /orders'>['data']['orders'][number]

/** The orders of today, the newest first. An event of any order brings the newest state. */
export const ordersView: View<'GET /orders'> = ({ data: { orders, statistics } }) => {
  const newestFirst = [...orders].sort((one, other) => (one.timestamp < other.timestamp ? 1 : -1))
  const body = (
    <>
      <div class="row">
        <h1>Orders</h1>
        <span class="quiet" data-state="" />
      </div>
      <Tiles
        facts={[
          ['Open', number(statistics.total_open_orders + (statistics.total_trigger_pending_orders ?? 0))],
          ['Completed', number(statistics.total_completed_orders)],
          ['Rejected', number(statistics.total_rejected_orders)],
          ['Buys', number(statistics.total_buy_orders)],
          ['Sells', number(statistics.total_sell_orders)],
        ]}
      />
      <section>
        <Table
          caption="Orders of today, newest first"
          columns={COLUMNS}
          rows={newestFirst}
          empty="No order today. The first one appears here by itself."
        />
      </section>
      <p class="lead">
        In a terminal: <code>svc order list</code>
      </p>
    </>
  )
  return { title: 'Orders', body, live: 'whole' }
}

const COLUMNS: readonly Column<Order>[] = [
  { title: 'Time', cell: ({ timestamp }) => cell(timestamp.slice(11)), look: 'tight' },
  {
    title: 'Instrument',
    cell: ({ exchange, product, symbol }) => (
      <>
        <b>{cell(symbol)}</b> {cell(exchange)}
        <span class="sub">{cell(product)}</span>
      </>
    ),
  },
  {
    title: 'Side',
    cell: ({ action }) => <span class={action === 'BUY' ? 'gain' : 'loss'}>{action}</span>,
    look: 'tight',
  },
  { title: 'Quantity', cell: ({ quantity }) => number(quantity), look: 'num' },
  { title: 'Filled', cell: ({ filled_quantity: filled }) => number(filled), look: 'num' },
  { title: 'Type', cell: ({ pricetype }) => cell(pricetype), look: 'tight' },
  { title: 'Price', cell: priceOf, look: 'num' },
  {
    title: 'State',
    cell: ({ order_status: status, rejection_reason: reason }) => (
      <>
        <span class={`badge ${TONES[status] ?? ''}`}>{cell(status)}</span>
        {reason !== '' && <span class="sub">{cell(reason)}</span>}
      </>
    ),
    look: 'wide',
  },
  {
    title: 'Order',
    cell: ({ orderid, strategy }) => (
      <>
        {cell(orderid)}
        {strategy !== undefined && <span class="sub">{cell(strategy)}</span>}
      </>
    ),
  },
]

const TONES: Readonly<Record<string, string>> = {
  complete: 'good',
  rejected: 'bad',
  open: 'warning',
  'trigger pending': 'warning',
}

/** The average of the fills, otherwise the limit, and the trigger. */
function priceOf({ average_price: average, price, trigger_price: trigger }: Order) {
  return (
    <>
      {average > 0 ? rupees(average) : price > 0 ? rupees(price) : '–'}
      {trigger > 0 && <span class="sub">trigger {rupees(trigger)}</span>}
    </>
  )
}
