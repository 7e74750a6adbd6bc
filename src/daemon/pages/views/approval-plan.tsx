/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { cell, number, rupees } from '../components/format.js'
import { type Column, Table } from '../components/table.js'
import { Side } from './legs.js'

type Order = AnswerOf<'POST /action-center/plan'>['data']['orders'][number]
type Leg = Order['legs'][number]

/** What the approval of one order would send: every leg, what it costs, and what forbids it. */
export function Plan({ order }: { order: Order }) {
  const { id, legs, margin, mode_change: modeChange, note, one_of: isOneOf, refusal, strategy, value } = order
  const facts = [
    cell(strategy),
    `value ${value === null ? 'not known' : rupees(value)}`,
    ...(margin === null ? [] : [`margin ${rupees(margin)}`]),
    ...(isOneOf ? ['only one of these is sent'] : []),
  ]
  return (
    <section aria-label={`What order ${id} would send`}>
      <h2>#{id}</h2>
      <p class="quiet">{facts.join(', ')}</p>
      {modeChange !== undefined && <p class="badge warning">{modeChange}</p>}
      {note !== undefined && <p>{note}</p>}
      {refusal !== undefined && <p class="badge bad">{refusal}</p>}
      {legs.length > 0 && <Table caption={`Order ${id}`} columns={COLUMNS} rows={legs} empty="" />}
    </section>
  )
}

const money = (value: number | null) => (value === null ? '–' : rupees(value))

const COLUMNS: readonly Column<Leg>[] = [
  { title: 'Side', cell: ({ action }) => <Side action={action} /> },
  {
    title: 'Instrument',
    cell: ({ exchange, product, symbol }) => (
      <>
        <b>{cell(symbol)}</b> {cell(exchange)} <span class="sub">{cell(product)}</span>
      </>
    ),
  },
  { title: 'Quantity', cell: ({ quantity }) => number(quantity), look: 'num' },
  {
    title: 'Price',
    cell: ({ instructions, price, pricetype, trigger_price }) => (
      <>
        {price > 0 ? `${rupees(price)} ` : ''}
        {cell(pricetype)}
        {trigger_price > 0 && <span class="sub">trigger {rupees(trigger_price)}</span>}
        {instructions !== undefined && <span class="sub">{cell(instructions)}</span>}
      </>
    ),
    look: 'num',
  },
  {
    title: 'Last price',
    cell: ({ drift_percent, last_price }) => (
      <>
        {money(last_price)}
        {drift_percent !== null && <span class="sub">{drift_percent} % since queued</span>}
      </>
    ),
    look: 'num',
  },
  { title: 'Value', cell: ({ value }) => money(value), look: 'num' },
  { title: 'Margin', cell: ({ margin }) => money(margin), look: 'num' },
  {
    title: 'Checks',
    cell: ({ checks, problem }) => {
      const failed = checks.filter(({ ok }) => !ok)
      const texts = [
        ...(problem === undefined ? [] : [problem]),
        ...failed.map(({ message, rule }) => message ?? rule),
      ]
      return texts.length === 0 ? (
        `${checks.length} passed`
      ) : (
        <span class="badge bad">{texts.join('; ')}</span>
      )
    },
    look: 'wide',
  },
]
