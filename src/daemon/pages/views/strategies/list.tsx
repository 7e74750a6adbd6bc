/** @jsxImportSource hono/jsx */
import { STRATEGY_STATUSES } from '../../../../core/strategies/schema.js'
import type { AnswerOf } from '../../../operations/types.js'
import { Amount } from '../../components/amount.js'
import { cell, number } from '../../components/format.js'
import { Choice, Field, FilterForm } from '../../components/forms.js'
import { addressWith, type Column, Pager, Table } from '../../components/table.js'
import type { View } from '../../page.js'
import { Drawdown, Mode, PRICE_SECONDS, pathOf, State, Switches } from './parts.js'

const PATH = '/strategies'

type Row = AnswerOf<'GET /strategies'>['data']['strategies'][number]

/** All strategies, each with its current run or its last one. */
export const strategiesView: View<'GET /strategies'> = ({ data }, { query }) => {
  const { next_before: older, strategies, total } = data
  const body = (
    <>
      <div class="row">
        <h1>Strategies</h1>
        <span class="quiet" data-state="" />
      </div>
      <section>
        <FilterForm path={PATH}>
          <Choice
            name="status"
            label="State"
            value={query.status}
            options={[['', 'Any'], ...STRATEGY_STATUSES.map((status) => [status, status] as const)]}
          />
          <Field name="q" label="Name or underlying" value={query.q} maxlength={100} />
        </FilterForm>
        <Table
          caption="Strategies, newest first"
          columns={COLUMNS}
          rows={strategies}
          empty="There are none here. Make one: svc strategy create FILE"
        />
        <Pager
          text={`${number(strategies.length)} of ${number(total)}`}
          newer={query.before && addressWith(PATH, query, { before: undefined })}
          older={older === undefined ? undefined : addressWith(PATH, query, { before: older })}
        />
      </section>
      <p class="lead">
        In a terminal: <code>svc strategy watch</code>
      </p>
    </>
  )
  return { title: 'Strategies', body, live: 'whole', refreshSeconds: PRICE_SECONDS }
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Strategy',
    cell: (row) => (
      <>
        <a href={pathOf(row)}>
          <b>{cell(row.name)}</b>
        </a>
        <span class="sub">
          #{row.id}, {row.strategy_kind}, {cell(row.underlying)}
        </span>
      </>
    ),
  },
  { title: 'State', cell: (row) => <State {...row} />, look: 'tight' },
  {
    title: 'Run',
    cell: ({ run }) =>
      run ? (
        <>
          #{run.id} <Mode mode={run.mode} />
        </>
      ) : (
        'never ran'
      ),
    look: 'tight',
  },
  { title: 'P&L', cell: ({ run }) => (run ? <Amount value={run.pnl} /> : '–'), look: 'num' },
  { title: 'Drawdown', cell: ({ run }) => (run ? <Drawdown run={run} /> : '–'), look: 'num' },
  { title: 'Switches', cell: (row) => <Switches {...row} /> },
]
