/** @jsxImportSource hono/jsx */
import type { AnswerOf } from '../../operations/types.js'
import { cell, number } from '../components/format.js'
import { Field, FilterForm } from '../components/forms.js'
import { type Column, Table } from '../components/table.js'
import type { PageContent, PageRequest } from '../page.js'

type Answer = AnswerOf<'GET /search'>

/** Instruments by words. */
export function searchView({ total, results }: Answer, { query }: PageRequest): PageContent {
  const words = query.symbol ?? query.token
  const body = (
    <>
      <h1>Search</h1>
      <p class="lead">Instruments by words: a symbol, a name, an expiry, a strike.</p>
      <section>
        <FilterForm path="/search">
          <Field
            name="symbol"
            label="Words"
            type="search"
            value={words}
            maxlength={200}
            autofocus={words === undefined}
          />
        </FilterForm>
        {words !== undefined && (
          <>
            <Table caption="Instruments" columns={COLUMNS} rows={results} empty="Nothing matches." />
            <p class="lead">
              {number(results.length)} of {number(total)}
            </p>
          </>
        )}
      </section>
    </>
  )
  return { title: 'Search', body }
}

const COLUMNS: readonly Column<Answer['results'][number]>[] = [
  {
    title: 'Symbol',
    cell: ({ symbol, name }) => (
      <>
        <b>{cell(symbol)}</b>
        <span class="sub">{cell(name)}</span>
      </>
    ),
  },
  { title: 'Exchange', cell: ({ exchange }) => cell(exchange) },
  { title: 'Type', cell: ({ instrumenttype }) => cell(instrumenttype) },
  { title: 'Expiry', cell: ({ expiry }) => cell(expiry) },
  { title: 'Strike', cell: ({ strike }) => (strike > 0 ? number(strike) : '–'), look: 'num' },
  { title: 'Lot', cell: ({ lotsize }) => number(lotsize), look: 'num' },
  { title: 'Token', cell: ({ token }) => cell(token) },
]
