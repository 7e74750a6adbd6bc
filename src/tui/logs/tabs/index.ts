import { ERROR_COLUMNS } from '../../../views/logs/error.js'
import { LATENCY_COLUMNS } from '../../../views/logs/latency.js'
import { REQUEST_COLUMNS } from '../../../views/logs/request.js'
import { TRAFFIC_COLUMNS } from '../../../views/logs/traffic.js'
import type { Column } from '../../../views/table/column.js'
import { keptList, type ListState } from '../../components/list/use-list.js'
import type { LiveDaemon } from '../../live/daemon.js'
import type { Kept } from '../../live/kept.js'
import type { LogFeed } from '../feed.js'
import { ErrorLogFeed } from './errors.js'
import { daysCommand, rowsCommand, type Shown } from './exported.js'
import { AnalyzerLogFeed, OrderLogFeed } from './requests.js'
import { LatencyLogFeed, TrafficLogFeed } from './telemetry.js'

export const TABS = ['orders', 'analyzer', 'traffic', 'latency', 'errors'] as const
export type Tab = (typeof TABS)[number]

/** A log as the screen shows it. */
export interface LogTab {
  Feed: new (daemon: LiveDaemon) => LogFeed
  list: Kept<ListState>
  columns: readonly Column[]
  /** The fields of a row in full. */
  fields: readonly Column[]
  empty: string
  /** Returns the command that exports the rows that are shown. */
  command(shown: Shown): string
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

export const LOG_TABS: Readonly<Record<Tab, LogTab>> = {
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
