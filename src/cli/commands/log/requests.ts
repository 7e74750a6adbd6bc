import { allPages } from '../../../client/answers/pages.js'
import { OMITTED, REQUEST_COLUMNS, type RequestRow, requestRow } from '../../../views/logs/request.js'
import { factsInWords, inWords } from '../../../views/text/words.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { LOG_OPTIONS, type LogFilter, type LogView, showLog } from './show-log.js'

type LogName = 'orders' | 'analyzer'

const MOST_ROWS = 1000

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Screens read all the time, so a log is without requests that only read: unless they are asked for, or failed. */
const queryOf = (input: Input, { errors, search }: LogFilter) => {
  const reads = errors || input.flag('reads')
  return { search, ...(errors && { errors: 'true' }), ...(!reads && { reads: 'false' }) }
}

/** Opens one of the logs of requests. New rows are asked for by the id of the newest row. */
async function openRequests(context: Context, input: Input, log: LogName, asked: LogFilter) {
  const { limit, since, until } = asked
  let newest = 0
  const chosen = { log, ...queryOf(input, asked) }
  const filter = { ...chosen, since: iso(since), until: iso(until) }
  const rows = await allPages(limit, async (size, before) => {
    const { body } = await context.read('GET /logs/entries', { query: { ...filter, limit: size, before } })
    if (before === undefined) newest = body.newest_id
    return { rows: body.data, next: body.next_before }
  })
  const newer = async () => {
    const query = { ...chosen, after: newest, limit: MOST_ROWS }
    const { body } = await context.read('GET /logs/entries', { query })
    newest = body.newest_id
    return body.data.map(requestRow)
  }
  return { rows: rows.map(requestRow).reverse(), newer }
}

const requestsView = (input: Input, log: LogName, empty: string): LogView<RequestRow> => ({
  columns: REQUEST_COLUMNS,
  id: 'id',
  record: 'request-entry',
  empty,
  open: (context, filter) => openRequests(context, input, log, filter),
  line: ({ time, api_type, symbol, request_data, status, answer }) => ({
    time,
    topic: inWords(api_type),
    symbol,
    words: [factsInWords(request_data, OMITTED), `${status}${answer === '' ? '' : `: ${answer}`}`]
      .filter((part) => part !== '')
      .join(' → '),
    ...(status === 'error' && { tone: 'red' as const }),
  }),
})

const verb = (name: LogName, summary: string, empty: string): CommandSpec => ({
  name,
  summary,
  details:
    'Rows are printed oldest first. A row has the request and the answer without credentials; lists of an answer may be cut.\n' +
    'Requests that only read books, prices and modes are left out, because programs send them all the time; --reads and --errors show them, too.\n' +
    'Of what was refused, svc order list --status rejected has the id that svc why explains.',
  examples: [
    `log ${name}`,
    `log ${name} --since today --search SBIN`,
    `log ${name} --errors`,
    `log ${name} --reads --since 10m`,
    `log ${name} --follow`,
    `log ${name} --since 2026-11-20 --until 2026-11-20 --limit 5000 -o jsonl`,
  ],
  options: [
    ...LOG_OPTIONS,
    { flags: '--reads', summary: 'also requests that only read, such as positionbook' },
  ],
  columns: REQUEST_COLUMNS,
  run: (context, input) => showLog(context, input, requestsView(input, name, empty)),
})

export const orders = verb(
  'orders',
  'Shows the requests of Live mode with their answers.',
  'No requests but reads (--reads). In Analyzer mode they are in svc log analyzer.',
)
export const analyzer = verb(
  'analyzer',
  'Shows the requests of Analyzer mode with their answers.',
  'No requests but reads (--reads). In Live mode they are in svc log orders.',
)
