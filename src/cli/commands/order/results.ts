import { isObject, member, textMember } from '../../../client/answers/json.js'
import { isQueued } from '../../../client/answers/queued.js'
import type { AnswerOf, EndpointName } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { Input } from '../../framework/command/command.js'
import type { Context, UncheckedBody } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { resourceName } from './names.js'
import { sendChange, showQueued } from './send.js'

/** The columns of orders that were sent, and of those that were only checked: a script reads both in the same way. */
const RESULTS = [
  { key: 'order_num', title: '#' },
  { key: 'leg', leaves: 3 },
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 2 },
  { key: 'action', kind: 'status' },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'pricetype', title: 'TYPE' },
  { key: 'price', kind: 'price' },
  { key: 'trigger_price', title: 'TRIGGER', kind: 'price' },
  { key: 'status', kind: 'status' },
  { key: 'orderid', title: 'ORDER' },
  { key: 'order_ref', title: 'REFERENCE' },
  { key: 'rule', leaves: 5 },
  { key: 'value', title: 'VALUE ₹', kind: 'money', leaves: 4 },
  { key: 'margin', title: 'MARGIN ₹', kind: 'money', leaves: 4 },
  { key: 'message', below: { status: ['error', 'in_doubt', 'refused'] } },
  { key: 'mode', kind: 'status', leaves: 6 },
] as const satisfies readonly Column[]

/** A row of {@link RESULTS}. */
export type ResultRow = { readonly [Key in (typeof RESULTS)[number]['key']]?: unknown }

/** Requests that become several orders. */
type MultiOrderName = 'basketorder' | 'splitorder' | 'optionsorder' | 'optionsmultiorder' | 'placesmartorder'
type SeveralAnswer = AnswerOf<MultiOrderName>

/**
 * Sends a request like {@link sendChange}. A refusal that lists orders is shown before it is thrown: some of them may be
 * placed.
 */
export async function sendOrders<N extends EndpointName>(
  context: Context,
  input: Input,
  name: N,
  body: UncheckedBody<N>,
): Promise<AnswerOf<N>> {
  try {
    return (await sendChange(context, input, name, body)).body
  } catch (thrown) {
    const answer = thrown instanceof CliError && isObject(thrown.response) ? thrown.response : {}
    if (Array.isArray(answer.results)) await showRows(context, rowsOf(answer.results), answer)
    throw thrown
  }
}

/**
 * Shows every order of a request for several.
 * @param asked what the request says of each result, where the answer does not
 * @returns 8 if an order is in doubt, 5 if one was not placed
 */
export async function showResults(
  context: Context,
  body: SeveralAnswer,
  asked: readonly ResultRow[] = [],
): Promise<ExitStatus> {
  if (isQueued(body)) return showQueued(context, body)
  const rows = rowsOf(member(body, 'results') ?? [], asked)
  await showRows(context, rows, body)
  const having = (status: string) => rows.filter((row) => row.status === status)
  const [placed, doubtful] = [having('success'), having('in_doubt')]
  const mode = body.mode === 'analyze' ? 'Simulated' : 'LIVE'
  const doubt = doubtful.length === 0 ? '' : `, ${doubtful.length} in doubt`
  context.out.note(`${mode}: ${placed.length} of ${rows.length} orders placed${doubt}.`)
  const [first] = doubtful
  if (first) {
    const ref = String(first.order_ref)
    context.out.note(
      `An order in doubt may be at the broker. Do not send it again. Follow it: svc order status ${ref}`,
    )
    return EXIT.unknown
  }
  return placed.length === rows.length ? EXIT.done : EXIT.refused
}

/** Shows orders of one request, in the format that the user chose; `body` is the whole answer, of which JSON is made. */
export async function showRows(
  context: Context,
  rows: readonly ResultRow[],
  body?: { readonly status?: unknown; readonly mode?: unknown },
): Promise<void> {
  const { format } = context.settings
  if (format === 'name') {
    for (const row of rows) {
      const orderid = textMember(row, 'orderid')
      if (orderid) context.out.name(resourceName('order', orderid))
    }
  } else if (format === 'csv' || format === 'tsv') {
    // One line for each order: a document of the whole answer has a list in one cell.
    const mode = body?.mode ?? 'live'
    const lines = rows.map((row) => flat({ mode, ...row }))
    await context.out.list({ rows: lines, columns: RESULTS, id: 'orderid', empty: '' })
  } else if (format && body) {
    await context.out.record({ record: body, fields: [], id: 'status' })
  } else {
    const shown = RESULTS.filter(({ key }) => rows.some((row) => Reflect.get(row, key) !== undefined))
    await context.out.list({ rows, columns: shown, id: 'orderid', empty: 'No orders were needed.' })
  }
}

/** Returns a row with every column, so that all lines of a file have the same. */
function flat(row: ResultRow): ResultRow {
  return Object.fromEntries(RESULTS.map(({ key }) => [key, Reflect.get(row, key) ?? null]))
}

/** Returns one row for each order: a result that was split has several. */
export function rowsOf(results: readonly object[], asked: readonly ResultRow[] = []): ResultRow[] {
  return results.flatMap((result, index) => {
    const all: Readonly<Record<string, unknown>> = { ...asked[index], ...result }
    const { split_results: pieces, ...row } = all
    const orders = Array.isArray(pieces)
      ? pieces.filter(isObject).map((piece) => ({ ...row, ...piece }))
      : [row]
    return orders.map((order) => ({ ...order, status: outcomeOf(order) }))
  })
}

/** Returns the status of an order. One in doubt has a reference to follow: it may have been placed. */
export function outcomeOf(row: object): unknown {
  const status: unknown = Reflect.get(row, 'status')
  return status === 'error' && textMember(row, 'order_ref') !== undefined ? 'in_doubt' : status
}
