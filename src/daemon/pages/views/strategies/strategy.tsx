/** @jsxImportSource hono/jsx */
import { istDateTime } from '../../../../core/time/index.js'
import { Amount } from '../../components/amount.js'
import { cell, rupees } from '../../components/format.js'
import { NoticeBox } from '../../components/notice.js'
import { addressWith, type Column, Table, Tiles } from '../../components/table.js'
import type { PageContent, View } from '../../page.js'
import { Side } from '../legs.js'
import { Actions } from './actions.js'
import { ConfiguredLegs, LiveLegs } from './legs.js'
import { type Data, Drawdown, Mode, PRICE_SECONDS, type Props, pathOf, State, Switches } from './parts.js'
import { questionOf } from './questions.js'

/** One strategy: its run, legs, orders and events, and the buttons that change it. Or a question before a change. */
export const strategyView: View<'GET /strategies/:id'> = ({ data }, request) => {
  const title = data.strategy.name
  const question = questionOf({ data, request })
  if (question) return { title, body: question }
  return shown({ data, request })
}

function shown({ data, request }: Props): PageContent {
  const { strategy, run } = data
  const { live_enabled, status, webhook_locked } = strategy
  const state = [status, run?.state, live_enabled, webhook_locked, request.around?.analyzeMode].join(' ')
  return {
    title: strategy.name,
    fixed: { state, body: <Actions data={data} request={request} /> },
    body: <Facts data={data} request={request} />,
    live: 'whole',
    ...(data.live && { refreshSeconds: PRICE_SECONDS }),
  }
}

function Facts({ data, request }: Props) {
  const { events, live, orders, run, runs, strategy } = data
  const ofRun = run ? ` of run ${run.id}` : ''
  return (
    <>
      <p>
        <State status={strategy.status} run={run} /> <Switches {...strategy} />{' '}
        <span class="quiet" data-state="" />
      </p>
      <RunFacts data={data} />
      <section>
        {live ? <LiveLegs data={data} request={request} /> : <ConfiguredLegs strategy={strategy} />}
      </section>
      <section>
        <Table
          caption="Events, newest first"
          columns={EVENTS}
          rows={events}
          empty="Nothing has happened yet."
        />
      </section>
      <section>
        <Table caption={`Orders${ofRun}, newest first`} columns={ORDERS} rows={orders} empty="No orders." />
      </section>
      <section>
        <Table
          caption="Runs, newest first"
          columns={runColumns(request.path)}
          rows={runs}
          empty="It has never run."
        />
      </section>
      {request.query.run_id !== undefined && (
        <p>
          <a href={pathOf(strategy)}>To the newest run</a>
        </p>
      )}
    </>
  )
}

function RunFacts({ data: { live, run } }: { data: Data }) {
  if (!run) return null
  return (
    <>
      {run.state === 'reserved' && (
        <NoticeBox tone="bad">
          Run {run.id} is reserved: the service manages none of its positions. {cell(run.row.reserved_reason)}
          {run.row.reserved_reason !== null && '. '}Close its positions by hand, then release it.
        </NoticeBox>
      )}
      {live?.partial && (
        <NoticeBox tone="warning">The price of a fill is not known, so the amounts are incomplete.</NoticeBox>
      )}
      {live?.tick_source_degraded && (
        <NoticeBox tone="warning">A held leg has no streamed price: see the column Feed.</NoticeBox>
      )}
      <Tiles
        facts={[
          [
            'Run',
            <>
              #{run.id} <Mode mode={run.mode} />
            </>,
          ],
          ['P&L', <Amount value={run.pnl} />],
          ['Drawdown', <Drawdown run={run} />],
          ['Highest', <Amount value={live?.peak ?? run.row.pnl_peak} />],
          ['Lowest', <Amount value={live?.trough ?? run.row.pnl_trough} />],
          live
            ? ['Profit lock', live.lock_floor === null ? 'off' : `at ${rupees(live.lock_floor)}`]
            : ['Ended', cell(run.row.stop_reason)],
        ]}
      />
    </>
  )
}

/** The word says the severity; its colour only repeats it. */
const TONES = { info: '', warn: 'warning', critical: 'bad' } as const

const EVENTS: readonly Column<Data['events'][number]>[] = [
  { title: 'Time', cell: ({ ts }) => timeOf(ts), look: 'tight' },
  {
    title: 'Severity',
    cell: ({ severity }) => <span class={`badge ${TONES[severity]}`}>{severity}</span>,
    look: 'tight',
  },
  {
    title: 'Event',
    cell: ({ kind, message }) => (
      <>
        {cell(message)}
        <span class="sub">{kind}</span>
      </>
    ),
  },
  {
    title: 'Run, leg',
    cell: ({ run_id, leg_id }) => [run_id, leg_id].map(cell).join(', '),
    look: 'tight',
  },
]

const ORDERS: readonly Column<Data['orders'][number]>[] = [
  { title: 'Time', cell: ({ placed_at }) => timeOf(placed_at), look: 'tight' },
  { title: 'Leg', cell: ({ leg_id }) => leg_id, look: 'num' },
  {
    title: 'Order',
    cell: ({ action, exchange, kind, symbol }) => (
      <>
        <Side action={action} /> <b>{cell(symbol)}</b> {exchange}
        <span class="sub">{kind}</span>
      </>
    ),
  },
  { title: 'Filled', cell: ({ filled_qty, qty }) => `${filled_qty} of ${qty}`, look: 'num' },
  {
    title: 'Average',
    cell: ({ avg_fill_price: price }) => (price === null ? '–' : rupees(price)),
    look: 'num',
  },
  {
    title: 'Status',
    cell: ({ broker_order_id, reject_reason, status }) => (
      <>
        <span class={status === 'rejected' ? 'badge bad' : 'badge'}>{status}</span>
        {broker_order_id !== null && <span class="sub">order id {cell(broker_order_id)}</span>}
        {reject_reason !== null && <span class="sub">{cell(reject_reason)}</span>}
      </>
    ),
  },
]

const runColumns = (path: string): readonly Column<Data['runs'][number]>[] => [
  { title: 'Run', cell: ({ id }) => <a href={addressWith(path, { run_id: String(id) })}>#{id}</a> },
  { title: 'Mode', cell: ({ mode }) => <Mode mode={mode} />, look: 'tight' },
  {
    title: 'Started',
    cell: ({ started_at, trigger_source }) => `${timeOf(started_at)} by ${trigger_source}`,
  },
  { title: 'Stopped', cell: ({ stopped_at }) => (stopped_at === null ? '–' : timeOf(stopped_at)) },
  {
    title: 'Reason',
    cell: ({ stop_reason, stop_requested_reason }) => cell(stop_reason ?? stop_requested_reason),
  },
  { title: 'Realised', cell: ({ pnl_realized }) => <Amount value={pnl_realized} />, look: 'num' },
]

const timeOf = (iso: string): string => istDateTime(Date.parse(iso))
