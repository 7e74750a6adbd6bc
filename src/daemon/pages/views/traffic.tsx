/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { cell, indianTime, milliseconds, number } from '../components/format.js'
import { Choice, Field, FilterForm } from '../components/forms.js'
import { addressWith, type Column, Pager, Table, Tiles } from '../components/table.js'
import type { PageContent, PageRequest } from '../page.js'

type Answer = AnswerOf<'GET /traffic'>
type Row = Answer['logs'][number]

const METHODS = [
  ['', 'Any'],
  ['GET', 'GET'],
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE'],
] as const
const RESULTS = [
  ['', 'All'],
  ['true', 'Errors only'],
] as const

/** The log of requests. */
export function trafficView({ stats, logs }: Answer, { path, query }: PageRequest): PageContent {
  const { overall, api, endpoints } = stats
  const body = (
    <>
      <div class="row">
        <h1>Traffic</h1>
        <a
          class="button"
          href={addressWith('/traffic/export', query, { before: undefined, limit: undefined })}
        >
          Export as CSV
        </a>
      </div>
      <Tiles
        facts={[
          ['Requests', number(overall.total_requests)],
          ['Errors', number(overall.error_requests)],
          ['On average', milliseconds(overall.avg_duration)],
          ['To the API', number(api.total_requests)],
          ['Errors of the API', number(api.error_requests)],
        ]}
      />
      <section>
        <FilterForm path={path}>
          <Field name="search" label="Words" type="search" value={query.search} maxlength={200} />
          <Field name="client_ip" label="Address" value={query.client_ip} maxlength={50} />
          <Choice name="method" label="Method" value={query.method} options={METHODS} />
          <Field
            name="status_code"
            label="Status"
            value={query.status_code}
            inputmode="numeric"
            maxlength={3}
          />
          <Choice name="errors" label="Result" value={query.errors} options={RESULTS} />
        </FilterForm>
        <Table caption="Requests, newest first" columns={COLUMNS} rows={logs} empty="No request matches." />
        <Pager text={`${number(logs.length)} requests`} {...pagesAround(path, query, logs)} />
      </section>
      <section>
        <Table
          caption="By endpoint of the API"
          columns={ENDPOINTS}
          rows={Object.entries(endpoints)}
          empty="The API was not called."
        />
      </section>
    </>
  )
  return { title: 'Traffic', body }
}

/** The rows of a page without a limit in its address. */
const PAGE = 100

/** Returns the links of a log that is read by the id of the last row. */
export function pagesAround(
  path: string,
  query: PageRequest['query'],
  rows: readonly { id: number }[],
): { newer: string | undefined; older: string | undefined } {
  const last = rows.at(-1)
  const isFull = rows.length >= Number(query.limit ?? PAGE)
  return {
    newer: query.before === undefined ? undefined : addressWith(path, query, { before: undefined }),
    older: last && isFull ? addressWith(path, query, { before: last.id }) : undefined,
  }
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Time', cell: ({ at }) => indianTime(at), look: 'tight' },
  { title: 'Status', cell: (row) => <span class={`badge ${toneOf(row)}`}>{row.status_code}</span> },
  {
    title: 'Request',
    cell: ({ method, path, error }) => (
      <>
        <b>{cell(method)}</b> {cell(path)}
        {error !== null && <span class="sub">{cell(error)}</span>}
      </>
    ),
    look: 'wide',
  },
  { title: 'Duration', cell: (row) => milliseconds(row.duration_ms), look: 'num' },
  {
    title: 'Caller',
    cell: ({ client_ip, user_id, host }) => (
      <>
        {cell(client_ip)} {user_id !== null && cell(user_id)}
        <span class="sub">{cell(host)}</span>
      </>
    ),
  },
]

const toneOf = ({ status_code: status }: Row) => (status >= 500 ? 'bad' : status >= 400 ? 'warning' : 'good')

const ENDPOINTS: readonly Column<[string, Answer['stats']['endpoints'][string]]>[] = [
  { title: 'Endpoint', cell: ([name]) => name },
  { title: 'Requests', cell: ([, { total }]) => number(total), look: 'num' },
  { title: 'Errors', cell: ([, { errors }]) => number(errors), look: 'num' },
  { title: 'On average', cell: ([, row]) => milliseconds(row.avg_duration), look: 'num' },
]
