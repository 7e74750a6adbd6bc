/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { Bars } from '../components/chart.js'
import { cell, milliseconds, number } from '../components/format.js'
import { Choice, Field, FilterForm } from '../components/forms.js'
import { addressWith, type Column, Pager, Table, Tiles } from '../components/table.js'
import type { PageContent, PageRequest } from '../page.js'
import { pagesAround } from './traffic.js'

type Answer = AnswerOf<'GET /latency'>
type Row = Answer['logs'][number]

const STATUSES = [
  ['', 'All'],
  ['SUCCESS', 'Success'],
  ['FAILED', 'Failed'],
] as const

/** How long orders and data calls took. */
export function latencyView({ stats, logs }: Answer, { path, query }: PageRequest): PageContent {
  const body = (
    <>
      <div class="row">
        <h1>Latency</h1>
        <a
          class="button"
          href={addressWith('/latency/export', query, { before: undefined, limit: undefined })}
        >
          Export as CSV
        </a>
      </div>
      <Tiles
        facts={[
          ['Orders', number(stats.total_orders)],
          ['Succeeded', `${number(stats.success_rate)} %`],
          ['Half within', milliseconds(stats.p50_total)],
          ['99 % within', milliseconds(stats.p99_total)],
          ['Below 150 ms', `${number(stats.sla_150ms)} %`],
        ]}
      />
      {Object.entries(stats.broker_histograms).map(([broker, { bins, counts, avg_rtt }]) => (
        <section>
          <h2>
            Round trips to {cell(broker)}, {milliseconds(avg_rtt)} on average
          </h2>
          <Bars
            title={`Orders by round trip to ${broker}, in milliseconds`}
            bars={bins.map((bin, index) => ({ label: bin, count: counts[index] ?? 0 }))}
          />
        </section>
      ))}
      <section>
        <FilterForm path={path}>
          <Field name="search" label="Words" type="search" value={query.search} maxlength={200} />
          <Field name="broker" label="Broker" value={query.broker} maxlength={50} />
          <Field name="order_type" label="Type" value={query.order_type} maxlength={20} />
          <Choice name="status" label="Status" value={query.status} options={STATUSES} />
        </FilterForm>
        <Table
          caption="Measurements, newest first"
          columns={COLUMNS}
          rows={logs}
          empty="Nothing was measured."
        />
        <Pager text={`${number(logs.length)} measurements`} {...pagesAround(path, query, logs)} />
      </section>
    </>
  )
  return { title: 'Latency', body }
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Time', cell: ({ timestamp }) => timestamp.slice(0, 19).replace('T', ' '), look: 'tight' },
  { title: 'Type', cell: (row) => cell(row.order_type) },
  {
    title: 'Order',
    cell: ({ order_id, symbol }) => (
      <>
        <b>{cell(symbol)}</b>
        <span class="sub">{cell(order_id)}</span>
      </>
    ),
  },
  { title: 'Broker', cell: ({ broker }) => cell(broker) },
  { title: 'Round trip', cell: (row) => milliseconds(row.rtt_ms), look: 'num' },
  { title: 'Own part', cell: (row) => milliseconds(row.overhead_ms), look: 'num' },
  { title: 'Total', cell: (row) => milliseconds(row.total_latency_ms), look: 'num' },
  {
    title: 'Status',
    cell: ({ status, error }) => (
      <>
        <span class={`badge ${status === 'SUCCESS' ? 'good' : 'bad'}`}>{status}</span>
        {error !== null && <span class="sub">{cell(error)}</span>}
      </>
    ),
  },
]
