import { useContext } from 'react'
import { POSITION_COLUMNS } from '../../views/orders/books.js'
import { type CellStyle, cellText } from '../../views/table/cells.js'
import { Fields, linesAsFields } from '../components/Fields.js'
import { ROW_GONE } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { OrderFeed, type OrderRow } from '../orders/feed.js'
import type { DetailsProps } from '../screen/record.js'
import { ThemeContext } from '../terminal/theme.js'
import type { PositionRow } from './feeds.js'

/** Every field of a position, and the orders of the day in its instrument and product. */
export function PositionDetails({
  shown,
  ...area
}: DetailsProps<{ row: PositionRow | undefined; now: number }>) {
  const { row, now } = shown
  const { content } = useFeed(useDaemon().part(OrderFeed))
  const { utc } = useContext(ThemeContext)
  if (row === undefined) return <Notice {...area} text={ROW_GONE} />
  const own = content.filter((order) => isOf(row, order))
  const orders = linesAsFields(
    'order',
    'ORDERS',
    own.map((order) => orderLine(order, { human: true, utc, now })),
  )
  const fields = POSITION_COLUMNS.map((column) => ({ ...column, wide: false }))
  return (
    <Fields
      {...area}
      now={now}
      record={{ ...row, ...orders.record }}
      fields={[...fields, ...orders.fields]}
    />
  )
}

const isOf = (position: PositionRow, order: OrderRow): boolean =>
  order.symbol === position.symbol &&
  order.exchange === position.exchange &&
  order.product === position.product

/** Returns an order in a line: the time, what it wants, what it got, and its state. */
function orderLine(order: OrderRow, style: CellStyle): string {
  const { action, average_price, exchange, filled_quantity, order_status, quantity, timestamp } = order
  const average = cellText(average_price, 'price', style, exchange)
  const got = filled_quantity > 0 ? ` ${filled_quantity} at ${average}` : ''
  return `${cellText(timestamp, 'time', style)} ${action} ${quantity} ${order_status}${got}`
}
