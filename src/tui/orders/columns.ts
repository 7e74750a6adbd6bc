import { ORDER_COLUMNS } from '../../views/orders/order.js'
import type { Column } from '../../views/table/column.js'

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
export const COLUMNS: readonly Column[] = ORDER_COLUMNS.map((column: Column) => {
  const leaves = RANKS[column.key]
  return leaves === undefined ? column : { ...column, leaves }
})
