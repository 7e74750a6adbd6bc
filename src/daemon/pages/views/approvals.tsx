/** @jsxImportSource hono/jsx */
import { istDate } from '../../../core/time/index.js'
import type { AnswerOf } from '../../operations/types.js'
import { cell, number, rupees } from '../components/format.js'
import { ActionForm, Choice, CsrfField, Field, FilterForm } from '../components/forms.js'
import { NoticeBox } from '../components/notice.js'
import { addressWith, type Column, Pager, Table, Tiles } from '../components/table.js'
import type { Notice } from '../notice.js'
import type { PageRequest, View } from '../page.js'
import { Plan } from './approval-plan.js'
import { Legs, Side } from './legs.js'

const PATH = '/action-center'
/** How often the shown prices are renewed. */
const PRICE_SECONDS = 15

type Data = AnswerOf<'GET /action-center'>['data']
type Order = Data['orders'][number]

const STATUSES = [
  ['', 'Pending'],
  ['approved', 'Approved'],
  ['rejected', 'Rejected'],
  ['all', 'All'],
] as const

/** The approval queue: what waits, what it would cost, and what became of it. */
export const approvalsView: View<'GET /action-center'> = ({ data }, request) => {
  const { plan } = data
  const isConfirming = plan !== undefined && plan.totals.orders > 0
  return {
    title: 'Approvals',
    body: isConfirming ? <Confirm plan={plan} request={request} /> : <Queue data={data} request={request} />,
    ...(!isConfirming && { live: 'rows' as const, refreshSeconds: PRICE_SECONDS }),
  }
}

interface Props {
  data: Data
  request: PageRequest
}

function Queue({ data, request }: Props) {
  const { orders, decided, next_before: older, statistics, total } = data
  const { query } = request
  const pending = statistics.total_pending ?? 0
  const isWaiting = orders.some(({ status }) => status === 'pending')
  return (
    <>
      <div class="row">
        <h1>Approvals</h1>
        <span class="quiet" data-state="">
          {' '}
        </span>
      </div>
      <p class="notice warning" role="status" data-more="" hidden>
        <b>0</b> more:{' '}
        <a href={addressWith(PATH, query, { order: undefined, before: undefined })}>show them</a>
      </p>
      {decided && <Decided order={decided} />}
      <Tiles
        facts={[
          ['Pending', number(pending)],
          ['Approved', number(statistics.total_approved ?? 0)],
          ['Rejected', number(statistics.total_rejected ?? 0)],
          ['To buy / to sell', `${statistics.total_buy_orders ?? 0} / ${statistics.total_sell_orders ?? 0}`],
        ]}
      />
      <section>
        <div class="row">
          <FilterForm path={PATH}>
            <Choice name="status" label="Status" value={query.status} options={STATUSES} />
            <Field name="symbol" label="Symbol" value={query.symbol} maxlength={100} />
            <Field name="strategy" label="Strategy" value={query.strategy} maxlength={100} />
          </FilterForm>
          {isWaiting && (
            <a class="button" href={addressWith(PATH, {}, { confirm: 'all' })}>
              Approve all {number(pending)}…
            </a>
          )}
        </div>
        <Table
          caption="Orders in the queue"
          columns={columnsFor(request)}
          rows={orders}
          empty="No order waits here."
          attributes={({ id, status }) => ({
            'data-row': String(id),
            'data-status': status,
            id: `order-${id}`,
          })}
        />
        <Pager
          text={`${number(orders.length)} of ${number(total)}`}
          newer={query.before && addressWith(PATH, query, { before: undefined, order: undefined })}
          older={
            older === undefined ? undefined : addressWith(PATH, query, { before: older, order: undefined })
          }
        />
      </section>
    </>
  )
}

const columnsFor = (request: PageRequest): readonly Column<Order>[] => [
  {
    title: 'Order',
    cell: ({ id, api_type, created_at_ist, queued_mode }) => (
      <>
        #{id} {api_type}
        <span class="sub">
          {withoutDay(created_at_ist, request.now)}{' '}
          {queued_mode === 'analyze' && <span class="badge">Analyzer</span>}
        </span>
      </>
    ),
    look: 'tight',
  },
  {
    title: 'Instrument',
    cell: ({ symbol, exchange, strategy, raw_order_data }) => (
      <>
        <b>{cell(symbol)}</b> {exchange !== SEVERAL && cell(exchange)}
        <span class="sub">{cell(strategy)}</span>
        <Legs request={raw_order_data} />
      </>
    ),
  },
  { title: 'Side', cell: ({ action }) => <Side action={action} />, look: 'tight' },
  {
    title: 'Quantity',
    cell: ({ quantity, position_now }) => (
      <>
        {number(quantity)}
        {position_now !== undefined && <span class="sub">holds {number(position_now)}</span>}
      </>
    ),
    look: 'num',
    live: 'quantity',
  },
  {
    title: 'Price',
    cell: ({ price, price_type, trigger_price, product_type }) => (
      <>
        {price_type === 'MARKET' || price === price_type ? price_type : `${cell(price)} ${cell(price_type)}`}
        {isSet(trigger_price) && <span class="sub">trigger {trigger_price}</span>}
        <span class="sub">{cell(product_type)}</span>
      </>
    ),
    look: 'num',
  },
  {
    title: 'Last price',
    cell: ({ last_price, created_ltp }) => (
      <>
        {last_price === undefined || last_price === null ? '–' : rupees(last_price)}
        {created_ltp !== null && <span class="sub">was {rupees(created_ltp)}</span>}
      </>
    ),
    look: 'num',
    live: 'last',
  },
  {
    title: 'Value',
    cell: ({ value }) => (value === undefined || value === null ? 'not known' : rupees(value)),
    look: 'num',
    live: 'value',
  },
  {
    title: 'Decision',
    cell: (order) => <Decision order={order} request={request} />,
    look: 'wide',
    live: 'status',
  },
]

/** An order of today needs no date. */
const withoutDay = (stamp: string, now: number) =>
  stamp.startsWith(istDate(now)) ? stamp.slice('YYYY-MM-DD '.length) : stamp

/** What an order of several exchanges has in place of one. */
const SEVERAL = 'Multiple'

const isSet = (price: string) => price !== '' && price !== '0' && Number(price) !== 0

/** The buttons of a waiting order, or what became of it. */
function Decision({ order, request }: { order: Order; request: PageRequest }) {
  const { id, status } = order
  const { csrf, path, query } = request
  if (status !== 'pending') return <Result order={order} request={request} />
  const back = addressWith(path, query, { order: id })
  const name = `order ${id}, ${order.action} ${order.quantity} ${order.symbol}`
  const place = placeOf(request)
  return (
    <div class="actions">
      {place !== undefined && saysWhatIsSent(order, place.mode) && (
        <ActionForm
          to={`/action-center/approve/${id}`}
          csrf={csrf}
          back={back}
          fields={{ expected: JSON.stringify(place) }}
          label="Approve"
          spoken={`Approve ${name}`}
          tone="main"
        />
      )}
      <a
        class="button"
        href={addressWith(PATH, {}, { confirm: id })}
        aria-label={`Look at what ${name} would send`}
      >
        Look
      </a>
      <form method="post" action={`/action-center/reject/${id}`}>
        <CsrfField token={csrf} />
        <input type="hidden" name="back" value={back} />
        <input name="reason" placeholder="Reason" aria-label={`Reason to reject ${name}`} maxlength={500} />
        <button type="submit" class="danger" aria-label={`Reject ${name}`}>
          Reject
        </button>
      </form>
    </div>
  )
}

/** The requests whose orders depend on the positions or the prices of the moment: their row does not say what is sent. */
const MOVING: ReadonlySet<string> = new Set(['smartorder', 'optionsorder', 'optionsmultiorder'])

/** Returns whether the row of an order says what its approval sends, and nothing has changed since it was queued. */
function saysWhatIsSent({ api_type, queued_mode }: Order, mode: 'live' | 'analyze'): boolean {
  return !MOVING.has(api_type) && queued_mode === mode
}

/** Returns where the head of the page says that orders go. */
function placeOf({ around }: PageRequest) {
  if (around === undefined) return undefined
  const { analyzeMode, broker } = around
  return {
    mode: analyzeMode ? ('analyze' as const) : ('live' as const),
    ...(broker !== undefined && { broker }),
  }
}

function Result({ order, request }: { order: Order; request?: PageRequest }) {
  const { approved_at_ist, approved_by, broker_order_id, execution_error, id, rejected_at_ist, rejected_by } =
    order
  const canDelete = request !== undefined && order.execution !== 'executing' && order.execution !== 'in_doubt'
  return (
    <>
      <span class={`badge ${toneOf(order)}`}>{headlineOf(order)}</span>
      {broker_order_id !== null && <span class="sub">order id {cell(broker_order_id)}</span>}
      {execution_error !== null && <span class="sub">{cell(execution_error)}</span>}
      {order.rejected_reason !== null && <span class="sub">{cell(order.rejected_reason)}</span>}
      <span class="sub">
        {cell(approved_by ?? rejected_by)}, {cell(approved_at_ist ?? rejected_at_ist)}
      </span>
      {canDelete && (
        <div class="actions">
          <ActionForm
            to={`/action-center/delete/${id}`}
            csrf={request.csrf}
            back={addressWith(request.path, request.query, { order: undefined })}
            label="Delete"
            spoken={`Delete order ${id} from the queue`}
          />
        </div>
      )}
    </>
  )
}

function headlineOf({ status, execution, broker_status }: Order): string {
  if (status !== 'approved') return status
  if (execution === 'in_doubt') return 'approved, outcome not known yet'
  if (execution === 'executing') return 'approved, being sent'
  if (execution === 'failed') return 'approved, not executed'
  if (execution === 'partial') return 'approved, executed in part'
  return broker_status === null ? 'approved' : `approved, ${broker_status}`
}

function toneOf({ status, execution }: Order): Notice['tone'] | '' {
  if (status === 'rejected') return ''
  if (execution === 'in_doubt' || execution === 'executing' || execution === 'partial') return 'warning'
  return execution === 'failed' ? 'bad' : 'good'
}

/** The order that this browser decided last. It may have left the list. */
function Decided({ order }: { order: Order }) {
  const { action, exchange, id, quantity, symbol } = order
  return (
    <section aria-label={`Order ${id}`}>
      <div class="row">
        <span>
          #{id} <Side action={action} /> {number(quantity)} <b>{cell(symbol)}</b> {cell(exchange)}
        </span>
        <span>
          {order.status === 'pending' ? (
            <span class="badge warning">still pending</span>
          ) : (
            <Result order={order} />
          )}
        </span>
      </div>
    </section>
  )
}

/** The question before orders are approved: what is sent, where to, and for how much. */
function Confirm({ plan, request }: { plan: NonNullable<Data['plan']>; request: PageRequest }) {
  const { orders, totals } = plan
  const isAll = request.query.confirm === 'all'
  const [first] = orders
  const left = totals.orders - orders.length
  const many =
    left > 0
      ? `the oldest ${number(orders.length)} of ${number(totals.orders)}`
      : `all ${number(totals.orders)}`
  const title = isAll ? many : `order ${first?.id}`
  const { broker, mode } = plan
  const seen = isAll ? { orders: orders.map(({ id, legs }) => ({ id, legs })) } : { legs: first?.legs }
  return (
    <section>
      <h1>Approve {title}?</h1>
      <Tiles
        facts={[
          ['Orders', number(totals.orders)],
          ['Value together', rupees(totals.value)],
          ['Without a known value', number(totals.unknown)],
          ['Sent to', plan.mode === 'analyze' ? 'Analyzer' : `${plan.broker}, live`],
        ]}
      />
      {left > 0 && (
        <NoticeBox tone="warning">
          The value is that of all {number(totals.orders)} orders. Only the oldest {number(orders.length)} are
          shown, and approved with this button.
        </NoticeBox>
      )}
      {isAll && (
        <p>
          Only the orders below are approved, and only as they are shown. Each order passes its checks again
          and is executed, oldest first.
        </p>
      )}
      <div class="actions">
        <ActionForm
          to={
            isAll ? `/action-center/approve-all/${orders.at(-1)?.id}` : `/action-center/approve/${first?.id}`
          }
          csrf={request.csrf}
          back={PATH}
          fields={{ expected: JSON.stringify({ mode, broker, ...seen }) }}
          label={`Approve ${title}`}
          tone="main"
        />
        <a class="button" href={PATH}>
          Do not approve
        </a>
      </div>
      {orders.map((order) => (
        <Plan order={order} />
      ))}
    </section>
  )
}
