import { istDate } from '../../core/time/index.js'
import { ERROR_COLUMNS } from '../../views/logs/error.js'
import { LATENCY_COLUMNS } from '../../views/logs/latency.js'
import { REQUEST_COLUMNS } from '../../views/logs/request.js'
import { TRAFFIC_COLUMNS } from '../../views/logs/traffic.js'
import type { Column } from '../../views/table/column.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Live } from '../live/feed.js'
import { AGE_LAST } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { ViewKey } from '../screen/record.js'
import { screenOf } from '../screen/screen-of.js'
import type { LogContent, LogFeed, LogRow } from './feed.js'
import { type LogShown, logFigures, lookingCover, movedBy, type ShownRows, useLooking } from './looking.js'
import { AnalyzerLogFeed, OrderLogFeed } from './requests.js'
import { ErrorLogFeed, LatencyLogFeed, TrafficLogFeed } from './telemetry.js'

/** A log: its rows, all fields of one, and the command that exports the rows that are shown. */
interface Log {
  name: string
  feed: new (daemon: LiveDaemon) => LogFeed
  columns: readonly Column[]
  /** The fields of a row in full. */
  fields: readonly Column[]
  empty: string
  /** True for a log of requests, some of which only read. */
  hasReads?: boolean
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

/** The keys of the screen, in the order in which the last line names them. */
const LOG_KEYS: readonly ViewKey<LogShown>[] = [
  {
    id: 'logs.next-tab',
    keys: ['tab', 'right', 'l'],
    shown: 'tab',
    does: 'next',
    explained: 'go on: orders, analyzer, traffic, latency, errors',
    act: ({ views }) => views.move(1),
  },
  {
    id: 'logs.last-tab',
    keys: ['shift-tab', 'left', 'h'],
    explained: 'go back',
    act: ({ views }) => views.move(-1),
  },
  ...LIST_KEYS,
  {
    id: 'logs.search',
    keys: ['s'],
    does: 'search',
    explained: 'let the daemon look for a text in the whole log',
    command: 'svc log orders --search TEXT',
    act: ({ own }) => own.show('search'),
  },
  {
    id: 'logs.unsearch',
    keys: ['esc'],
    does: 'clear search',
    explained: 'show all rows again, after a search',
    when: ({ own, list }) => own.search !== '' && list.filter === '',
    act: ({ own }) => own.searchFor(''),
  },
  {
    id: 'logs.follow',
    keys: ['f'],
    does: 'follow',
    explained: 'new rows come, or not',
    command: 'svc log orders --follow',
    act: ({ own }) => own.follow(!own.isFollowing),
  },
  {
    id: 'logs.details',
    keys: ['enter', 'd'],
    does: 'details',
    explained: 'all fields, with request and answer',
    command: 'svc log orders -o json',
    act: ({ opened }) => opened.open(),
  },
  {
    id: 'logs.export',
    keys: ['x'],
    does: 'export',
    explained: 'show the command that exports these rows',
    command: 'svc log export',
    act: ({ own }) => own.show('export'),
  },
  {
    id: 'logs.scroll',
    in: ['details'],
    keys: [],
    shown: '↑↓',
    does: 'scroll',
    explained: 'scroll (also PgUp, PgDn, g and G)',
    act: () => undefined,
  },
  {
    id: 'logs.back',
    in: ['details', 'export'],
    keys: ['esc', 'enter', 'q', 'd', 'x'],
    does: 'back',
    explained: 'back to the list (also enter and q)',
    act({ opened, own }) {
      opened.close()
      own.show(undefined)
    },
  },
]

/** Shows the requests that only read. */
const READS_KEY: ViewKey<LogShown> = {
  id: 'logs.reads',
  keys: ['b'],
  explained: 'requests that only read books and prices, too, or not',
  command: 'svc log orders --reads',
  act: ({ own }) => own.showReads(!own.reads),
}

const logView = ({ empty, command, hasReads = false, ...log }: Log) =>
  listView({
    ...log,
    useRows: ({ content }: Live<LogContent>) => content.rows,
    use: useLooking,
    empty: {
      reading: 'Reading the log …',
      none: ({ own }) => (own.search === '' ? empty : `The log has no "${own.search}".`),
    },
    summary: (shown) => logFigures(shown, hasReads),
    firstLine: AGE_LAST,
    redrawMs: () => 1000,
    move: movedBy,
    cover: (shown) => lookingCover(shown, command),
    keys: hasReads ? [...LOG_KEYS, READS_KEY] : LOG_KEYS,
    commonKeys: [],
  })

/** The logs: orders, analyzer, traffic, latency and errors. */
export const logs = screenOf({
  id: 'logs',
  title: 'Logs',
  views: [
    logView({
      name: 'orders',
      feed: OrderLogFeed,
      columns: REQUEST_COLUMNS,
      fields: REQUEST_FIELDS,
      hasReads: true,
      empty: 'No requests. Those of Analyzer mode are in the analyzer log. b shows reads too.',
      command: (shown) => daysCommand('orders', shown),
    }),
    logView({
      name: 'analyzer',
      feed: AnalyzerLogFeed,
      columns: REQUEST_COLUMNS,
      fields: REQUEST_FIELDS,
      hasReads: true,
      empty: 'No requests. Those of Live mode are in the order log. b shows reads too.',
      command: (shown) => daysCommand('analyzer', shown),
    }),
    logView({
      name: 'traffic',
      feed: TrafficLogFeed,
      columns: TRAFFIC_COLUMNS,
      fields: TRAFFIC_COLUMNS,
      empty: 'No requests. Each request to the daemon is one, also those of this program.',
      command: (shown) => rowsCommand('log traffic', shown),
    }),
    logView({
      name: 'latency',
      feed: LatencyLogFeed,
      columns: LATENCIES,
      fields: LATENCY_COLUMNS,
      empty: 'Nothing was measured. The daemon measures each order, and each read of prices and books.',
      command: (shown) => rowsCommand('log latency', shown),
    }),
    logView({
      name: 'errors',
      feed: ErrorLogFeed,
      columns: ERROR_COLUMNS,
      fields: [...ERROR_COLUMNS.slice(0, 3), { key: 'module' }, ...ERROR_COLUMNS.slice(3)],
      empty: 'No errors. What the daemon fails at is listed here.',
      command: (shown) => rowsCommand('admin errors list', shown),
    }),
  ],
})

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
