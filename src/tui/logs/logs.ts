import { istDate } from '../../core/time/index.js'
import { ERROR_COLUMNS } from '../../views/logs/error.js'
import { LATENCY_COLUMNS } from '../../views/logs/latency.js'
import { REQUEST_COLUMNS } from '../../views/logs/request.js'
import { TRAFFIC_COLUMNS } from '../../views/logs/traffic.js'
import type { Column } from '../../views/table/column.js'
import { keptList, type ListState } from '../components/list/use-list.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Kept } from '../live/kept.js'
import { ErrorLogFeed } from './errors.js'
import type { LogFeed, LogRow } from './feed.js'
import { AnalyzerLogFeed, OrderLogFeed } from './requests.js'
import { LatencyLogFeed, TrafficLogFeed } from './telemetry.js'

export const LOG_NAMES = ['orders', 'analyzer', 'traffic', 'latency', 'errors'] as const
export type LogName = (typeof LOG_NAMES)[number]

/** A log as the screen shows it. */
export interface Log {
  Feed: new (daemon: LiveDaemon) => LogFeed
  list: Kept<ListState>
  columns: readonly Column[]
  /** The fields of a row in full. */
  fields: readonly Column[]
  empty: string
  /** Returns the command that exports the rows that are shown. */
  command(shown: ShownRows): string
}

/** The total says most, so the service's own part of it leaves a narrow terminal, as the last column. */
const LATENCIES: readonly Column[] = LATENCY_COLUMNS.map((column: Column) => {
  if (column.key === 'overhead_ms') return { ...column, leaves: 1 }
  return column.leaves === undefined ? column : { ...column, leaves: column.leaves + 1 }
})

const REQUEST_FIELDS: readonly Column[] = [
  { key: 'id' },
  ...REQUEST_COLUMNS,
  { key: 'request_data', title: 'SENT' },
  { key: 'response_data', title: 'ANSWERED' },
]

export const LOGS: Readonly<Record<LogName, Log>> = {
  orders: {
    Feed: OrderLogFeed,
    list: keptList(),
    columns: REQUEST_COLUMNS,
    fields: REQUEST_FIELDS,
    empty: 'No requests. Those of Analyzer mode are in the analyzer log.',
    command: (shown) => daysCommand('orders', shown),
  },
  analyzer: {
    Feed: AnalyzerLogFeed,
    list: keptList(),
    columns: REQUEST_COLUMNS,
    fields: REQUEST_FIELDS,
    empty: 'No requests. Those of Live mode are in the order log.',
    command: (shown) => daysCommand('analyzer', shown),
  },
  traffic: {
    Feed: TrafficLogFeed,
    list: keptList(),
    columns: TRAFFIC_COLUMNS,
    fields: TRAFFIC_COLUMNS,
    empty: 'No requests.',
    command: (shown) => rowsCommand('log traffic', shown),
  },
  latency: {
    Feed: LatencyLogFeed,
    list: keptList(),
    columns: LATENCIES,
    fields: LATENCY_COLUMNS,
    empty: 'Nothing was measured.',
    command: (shown) => rowsCommand('log latency', shown),
  },
  errors: {
    Feed: ErrorLogFeed,
    list: keptList(),
    columns: ERROR_COLUMNS,
    fields: [...ERROR_COLUMNS.slice(0, 3), { key: 'module' }, ...ERROR_COLUMNS.slice(3)],
    empty: 'No errors.',
    command: (shown) => rowsCommand('admin errors list', shown),
  },
}

/** The rows that a command is to export. */
interface ShownRows {
  rows: readonly LogRow[]
  search: string
}

/** Returns the command for whole Indian days of the order log or the analyzer log. */
function daysCommand(log: 'orders' | 'analyzer', { rows, search }: ShownRows): string {
  const days = [rows.at(-1), rows[0]].map(dayOf)
  const parts = [
    ...(log === 'orders' ? [] : ['--log analyzer']),
    ...(days[0] === undefined ? [] : [`--since ${days[0]}`]),
    ...(days[1] === undefined ? [] : [`--until ${days[1]}`]),
    ...searchWords(search),
    `--file ${log}.csv`,
  ]
  return `svc log export ${parts.join(' ')}`
}

/** Returns the command for the newest rows of a list, as many as were read. */
function rowsCommand(verb: string, { rows, search }: ShownRows): string {
  return [`svc ${verb}`, ...searchWords(search), `--limit ${Math.max(1, rows.length)}`, '-o csv'].join(' ')
}

function dayOf(row: (LogRow & { readonly time?: unknown }) | undefined): string | undefined {
  const at = Date.parse(String(row?.time))
  return Number.isNaN(at) ? undefined : istDate(at)
}

/** A shell takes the text between the quotes as it is. */
const searchWords = (search: string): readonly string[] =>
  search === '' ? [] : [`--search '${search.replaceAll("'", `'\\''`)}'`]
