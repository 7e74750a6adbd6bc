/** @jsxImportSource hono/jsx */
import { sumOfRupees } from '../../../../core/money/index.js'
import { istTime } from '../../../../core/time/index.js'
import type { AnswerOf } from '../../../operations/types.js'
import { Amount } from '../../components/amount.js'
import { Curve } from '../../components/chart.js'
import { cell, number, rupees } from '../../components/format.js'
import { NoticeBox } from '../../components/notice.js'
import { type Column, Table, Tiles } from '../../components/table.js'
import type { View } from '../../page.js'

const REFRESH_SECONDS = 60
/** While a newer day is being read. */
const SOON_SECONDS = 3

type Data = AnswerOf<'GET /pnl-tracker'>['data']

type Position = NonNullable<Data['positions']>[number]
type Share = NonNullable<Data['strategies']>[number]

const COLUMNS: readonly Column<Position>[] = [
  {
    title: 'Instrument',
    cell: ({ exchange, symbol }) => (
      <>
        <b>{cell(symbol)}</b> {cell(exchange)}
      </>
    ),
  },
  { title: 'Quantity', cell: ({ quantity }) => number(quantity), look: 'num' },
  { title: 'Profit or loss', cell: ({ pnl }) => <Amount value={pnl} />, look: 'num' },
]

/** The day's profit and its drawdown, minute by minute. */
export const pnlView: View<'GET /pnl-tracker'> = ({ data }) => {
  const {
    current_mtm,
    drawdown_series,
    max_drawdown,
    max_mtm,
    max_mtm_time,
    min_mtm,
    min_mtm_time,
    pnl_series,
  } = data
  const isKnown = data.as_of !== undefined
  const figures = isKnown && (
    <>
      <Tiles
        facts={[
          ['Now', <Amount value={current_mtm} />],
          [`Highest${at(max_mtm_time)}`, <Amount value={max_mtm} />],
          [`Lowest${at(min_mtm_time)}`, <Amount value={min_mtm} />],
          ['Largest drawdown', <Amount value={max_drawdown} />],
        ]}
      />
      <section>
        <h2>Profit and loss, in rupees</h2>
        <Curve
          title={`Profit and loss: now ${rupees(current_mtm)}, highest ${rupees(max_mtm)}, lowest ${rupees(min_mtm)}`}
          points={pnl_series}
          tone="gain"
          timeLabel={minuteOf}
        />
      </section>
      <section>
        <h2>Drawdown, in rupees</h2>
        <Curve
          title={`Drawdown: at most ${rupees(max_drawdown)}`}
          points={drawdown_series}
          tone="loss"
          height={180}
          timeLabel={minuteOf}
        />
      </section>
    </>
  )
  const body = (
    <>
      <div class="row">
        <h1>P&amp;L of the day</h1>
        <span class="quiet" data-state="" />
      </div>
      <Reading data={data} />
      {figures}
      <Strategies rows={data.strategies ?? []} />
      <Positions rows={data.positions ?? []} />
      <p class="lead">
        Indian time. The same in a terminal: <code>svc pnl show</code>
      </p>
    </>
  )
  return { title: 'P&L', body, live: 'whole', refreshSeconds: data.reading ? SOON_SECONDS : REFRESH_SECONDS }
}

/** Says while a newer day is being read what the page shows meanwhile. */
function Reading({ data: { as_of: asOf, reading } }: { data: Data }) {
  if (!reading) return null
  return (
    <NoticeBox tone="warning">
      The bars of the day are being read, two instruments a second.{' '}
      {asOf === undefined
        ? 'The curves follow in a moment.'
        : `The curves are those of ${istTime(asOf).slice(0, 8)}.`}{' '}
      <a href="/pnl-tracker">Show the newest</a>
    </NoticeBox>
  )
}

const SHARE_COLUMNS: readonly Column<Share & { isAccount?: true }>[] = [
  { title: 'Strategy', cell: ({ isAccount, strategy }) => (isAccount ? <b>Account</b> : nameOf(strategy)) },
  { title: 'Realised', cell: ({ realized }) => <Amount value={realized} />, look: 'num' },
  { title: 'Unrealised', cell: ({ unrealized }) => <Amount value={unrealized} />, look: 'num' },
  { title: 'Profit or loss', cell: ({ total }) => <Amount value={total} />, look: 'num' },
]

const nameOf = (strategy: string | null) =>
  strategy === null ? (
    <>
      No strategy
      <span class="sub">not ordered here, or not reported yet</span>
    </>
  ) : (
    <b>{cell(strategy)}</b>
  )

/** The profit by the strategy that the orders name. The rows have the sum of the account, which is the last one. */
function Strategies({ rows }: { rows: readonly Share[] }) {
  if (rows.length === 0) return null
  const sum = (of: (share: Share) => number) => sumOfRupees(rows.map(of))
  const account = {
    ...{ strategy: null, isAccount: true as const, total: sum(({ total }) => total) },
    ...{ realized: sum(({ realized }) => realized), unrealized: sum(({ unrealized }) => unrealized) },
  }
  return (
    <section>
      <Table
        caption={`By strategy, in the position book: ${rupees(account.total)}`}
        columns={SHARE_COLUMNS}
        rows={[...rows, account]}
        empty="No position today."
      />
    </section>
  )
}

/** The profit by instrument, as the position book has it. */
function Positions({ rows }: { rows: readonly Position[] }) {
  const total = sumOfRupees(rows.map(({ pnl }) => pnl))
  return (
    <section>
      <Table
        caption={`By instrument, in the position book: ${rupees(total)}`}
        columns={COLUMNS}
        rows={rows}
        empty="No position today."
      />
    </section>
  )
}

const at = (time: string | null) => (time === null ? '' : ` at ${time}`)
const minuteOf = (time: number) => istTime(time).slice(0, 5)
