/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../../operations/types.js'
import { Amount } from '../../components/amount.js'
import { cell, number, rupees } from '../../components/format.js'
import { type Column, Table, Tiles } from '../../components/table.js'
import type { View } from '../../page.js'

/** How often the prices are renewed; an event of an order brings the newest state at once. */
const REFRESH_SECONDS = 15

type Position = AnswerOf<'GET /positions'>['data'][number]

/** The positions, the open ones first, each group with the largest profit or loss first. */
export const positionsView: View<'GET /positions'> = ({ data }) => {
  const rows = [...data].sort(
    (one, other) =>
      Number(other.quantity !== 0) - Number(one.quantity !== 0) || Math.abs(other.pnl) - Math.abs(one.pnl),
  )
  const open = rows.filter(({ quantity }) => quantity !== 0)
  const body = (
    <>
      <div class="row">
        <h1>Positions</h1>
        <span class="quiet" data-state="" />
      </div>
      <Tiles
        facts={[
          ['Open', number(open.length)],
          ['Profit or loss', <Amount value={sum(rows, ({ pnl }) => pnl)} />],
          ['Long', rupees(sum(open, (one) => Math.max(0, marketValue(one))))],
          ['Short', rupees(sum(open, (one) => Math.max(0, -marketValue(one))))],
        ]}
      />
      <section>
        <Table
          caption="Positions of the account, the open ones first"
          columns={COLUMNS}
          rows={rows}
          empty="No position. One appears here with its first fill."
        />
      </section>
      <p class="lead">
        In a terminal: <code>svc position list</code>
      </p>
    </>
  )
  return { title: 'Positions', body, live: 'whole', refreshSeconds: REFRESH_SECONDS }
}

const COLUMNS: readonly Column<Position>[] = [
  {
    title: 'Instrument',
    cell: ({ exchange, product, symbol }) => (
      <>
        <b>{cell(symbol)}</b> {cell(exchange)}
        <span class="sub">{cell(product)}</span>
      </>
    ),
  },
  { title: 'Side', cell: ({ quantity }) => sideOf(quantity), look: 'tight' },
  { title: 'Quantity', cell: ({ quantity }) => number(quantity), look: 'num' },
  { title: 'Average', cell: ({ average_price: average }) => rupees(average), look: 'num' },
  { title: 'Last', cell: ({ ltp }) => rupees(ltp), look: 'num' },
  { title: 'Value', cell: (row) => rupees(marketValue(row)), look: 'num' },
  { title: 'Profit or loss', cell: ({ pnl }) => <Amount value={pnl} />, look: 'num' },
]

function sideOf(quantity: number) {
  if (quantity === 0) return <span class="badge">closed</span>
  return quantity > 0 ? <span class="gain">long</span> : <span class="loss">short</span>
}

/** The value at the last price in rupees, negative for a short position. */
const marketValue = ({ contract_value: contract = 1, ltp, quantity }: Position) => quantity * ltp * contract

const sum = <Row,>(rows: readonly Row[], of: (row: Row) => number) =>
  rows.reduce((total, row) => total + of(row), 0)
