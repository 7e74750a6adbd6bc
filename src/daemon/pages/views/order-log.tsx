/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { cell, clockTime, number } from '../components/format.js'
import { Field, FilterForm } from '../components/forms.js'
import { addressWith, type Column, Pager, Table } from '../components/table.js'
import type { PageContent, PageRequest } from '../page.js'
import { Side } from './legs.js'

type Answer = AnswerOf<'GET /logs'>
type Entry = Answer['logs'][number]

interface Log {
  title: string
  lead: string
  exportPath: string
}

const LIVE: Log = {
  title: 'Order log',
  lead: 'Order requests of Live mode and their answers, newest first. Without dates: today, in Indian time.',
  exportPath: '/logs/export',
}
const ANALYZER: Log = {
  title: 'Analyzer log',
  lead: 'Requests of Analyzer mode and their answers, newest first. Without dates: today, in Indian time.',
  exportPath: '/analyzer/export',
}

/** The log of live orders. */
export const orderLogView = (answer: Answer, request: PageRequest) => logPage(LIVE, answer, request)
/** The log of Analyzer mode. */
export const analyzerLogView = (answer: Answer, request: PageRequest) => logPage(ANALYZER, answer, request)

function logPage(log: Log, { logs, total_pages, current_page }: Answer, request: PageRequest): PageContent {
  const { path, query } = request
  const page = Math.max(1, current_page)
  const toPage = (pageNumber: number) =>
    addressWith(path, query, { page: pageNumber === 1 ? undefined : pageNumber })
  const body = (
    <>
      <div class="row">
        <h1>{log.title}</h1>
        <a class="button" href={addressWith(log.exportPath, query, { page: undefined })}>
          Export as CSV
        </a>
      </div>
      <p class="lead">{log.lead}</p>
      <section>
        <FilterForm path={path}>
          <Field name="start_date" label="From" type="date" value={query.start_date} />
          <Field name="end_date" label="To" type="date" value={query.end_date} />
          <Field
            name="search"
            label="Words in type, request or answer"
            type="search"
            value={query.search}
            maxlength={255}
          />
        </FilterForm>
        <Table caption="Requests" columns={COLUMNS} rows={logs} empty="No request in this period." />
        {total_pages > 0 && (
          <Pager
            text={`Page ${number(page)} of ${number(total_pages)}`}
            newer={page > 1 ? toPage(page - 1) : undefined}
            older={page < total_pages ? toPage(page + 1) : undefined}
          />
        )}
      </section>
    </>
  )
  return { title: log.title, body, ...(page === 1 && { live: 'whole' as const }) }
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Time', cell: (entry) => clockTime(entry.created_at), look: 'tight' },
  {
    title: 'Request',
    cell: ({ api_type, strategy }) => (
      <>
        {cell(api_type)}
        <span class="sub">{cell(strategy)}</span>
      </>
    ),
  },
  {
    title: 'Order',
    cell: ({ request_data: { action, symbol, exchange, pricetype, price, product } }) => (
      <>
        {action !== undefined && <Side action={cell(action)} />} <b>{cell(symbol)}</b>{' '}
        {exchange !== undefined && cell(exchange)}
        {pricetype !== undefined && (
          <span class="sub">
            {cell(pricetype)} {pricetype !== 'MARKET' && price !== undefined && cell(price)}{' '}
            {product !== undefined && cell(product)}
          </span>
        )}
      </>
    ),
  },
  { title: 'Quantity', cell: (entry) => cell(entry.request_data.quantity), look: 'num' },
  {
    title: 'Answer',
    cell: ({ response_data: { status, message, orderid } }) => (
      <>
        <span class={`badge ${status === 'success' ? 'good' : status === 'error' ? 'bad' : ''}`}>
          {cell(status)}
        </span>
        {orderid !== undefined && <span class="sub">order id {cell(orderid)}</span>}
        {message !== undefined && <span class="sub">{cell(message)}</span>}
      </>
    ),
  },
  {
    title: 'Details',
    cell: ({ request_data, response_data }) => (
      <details>
        <summary>JSON</summary>
        <pre>{shortened(JSON.stringify({ request: request_data, answer: response_data }, null, 1))}</pre>
      </details>
    ),
    look: 'wide',
  },
]

/** The longest text of the details. The export has all of it. */
const MAX_DETAILS = 4000
const shortened = (text: string) => (text.length > MAX_DETAILS ? `${text.slice(0, MAX_DETAILS)}…` : text)
