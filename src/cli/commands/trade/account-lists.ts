import { allPages } from '../../../client/answers/pages.js'
import {
  fundRecord,
  holdingRecords,
  type PositionRecord,
  pastTradeRecords,
  positionRecords,
  type TradeRecord,
  tradeRecords,
} from '../../../client/answers/records.js'
import {
  FUND_FIELDS,
  HOLDING_COLUMNS,
  newestFirst,
  POSITION_COLUMNS,
  TRADE_COLUMNS,
} from '../../../views/orders/books.js'
import type { ListView } from '../../../views/table/column.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { ORDER_OPTIONS, PERIOD_OPTIONS, type RowFilter, reachesBack, rowFilterOf } from '../history.js'

/** A book of the account: the function that reads it, and its view. */
interface Book<Row extends object> extends Omit<ListView<Row>, 'rows' | 'totals'> {
  rows(context: Context): Promise<readonly Row[]>
  totals?(rows: readonly Row[]): object
  /** A warning about the rows, for people. */
  warnings?(rows: readonly Row[]): readonly string[]
}

const POSITIONS: Book<PositionRecord> = {
  rows: async (context) => positionRecords((await context.apiRead('positionbook')).body),
  id: 'symbol',
  record: 'position',
  empty: 'No positions. Place an order: svc order place SBIN NSE BUY 10',
  columns: POSITION_COLUMNS,
  totals: (rows) => ({ symbol: 'TOTAL', pnl: sumOf(rows, ({ pnl }) => pnl) }),
  warnings: (rows) => rows.flatMap(({ warning }) => warning ?? []),
}

const TRADES: Book<TradeRecord> = {
  rows: async (context) => tradeRecords((await context.apiRead('tradebook')).body, context.io.now()),
  id: 'orderid',
  record: 'trade',
  empty: 'No trades in this session.',
  columns: TRADE_COLUMNS,
  totals: (rows) => ({ timestamp: 'TOTAL', trade_value: sumOf(rows, (row) => row.trade_value) }),
}

const sumOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0)

async function read<Row extends object>(context: Context, book: Book<Row>): Promise<ListView<Row>> {
  const { totals, warnings, ...view } = book
  const rows = await book.rows(context)
  for (const text of new Set(warnings?.(rows))) await context.out.warn(text)
  return { ...view, rows, ...(totals && rows.length > 1 && { totals: totals(rows) }) }
}

const bookExamples = (name: string) => [
  `${name} list`,
  `${name} list --watch`,
  `${name} list -o csv`,
  `${name} list --json`,
]

export const positions: CommandSpec = {
  name: 'list',
  summary: 'Lists the positions of the session.',
  examples: bookExamples('position'),
  options: WATCH_OPTIONS,
  columns: POSITIONS.columns,
  run: (context, input) => watchable(context, input, () => read(context, POSITIONS)),
}

const tradeList: CommandSpec = {
  name: 'list',
  summary:
    'Lists the trades of the session, newest first; with --since, --until or --strategy of all sessions.',
  details:
    'The history has the trades of orders that this service sent, in the current mode. It needs a session: svc login.\n' +
    'In Live mode it has one row for each order, with the total and the average price of its fills.',
  examples: [
    'trade list',
    'trade list --watch',
    'trade list --since 3d --symbol NSE:SBIN',
    'trade list --since 2026-11-01 --strategy demo -o csv',
    'trade list --json',
  ],
  options: [...ORDER_OPTIONS, ...PERIOD_OPTIONS, ...WATCH_OPTIONS],
  columns: TRADES.columns,
  async run(context, input) {
    const filter = rowFilterOf(context, input)
    const past = { ...TRADES, empty: 'No such trades.', rows: () => pastTrades(context, filter) }
    const session = { ...TRADES, rows: () => sessionTrades(context, filter) }
    return watchable(context, input, () => read(context, reachesBack(filter) ? past : session))
  },
}

async function sessionTrades(
  context: Context,
  { exchange, limit, symbol }: RowFilter,
): Promise<TradeRecord[]> {
  const rows = newestFirst(await TRADES.rows(context)).filter(
    (row) =>
      (symbol === undefined || row.symbol === symbol) &&
      (exchange === undefined || row.exchange === exchange),
  )
  return rows.slice(0, limit)
}

function pastTrades(context: Context, { limit, ...filter }: RowFilter): Promise<TradeRecord[]> {
  return allPages(limit, async (size, before) => {
    const { body } = await context.read('GET /trades/history', { query: { ...filter, limit: size, before } })
    return { rows: pastTradeRecords(body), next: body.next_before }
  })
}

export const trade: NounSpec = { summary: 'Trades.', examples: tradeList.examples, verbs: [tradeList] }

const holdingList = declared({
  name: 'list',
  summary: 'Lists the holdings.',
  examples: bookExamples('holding'),
  columns: HOLDING_COLUMNS,
  isWatchable: true,
  calls: 'POST /api/v1/holdings',
  list(answer) {
    const rows = holdingRecords(answer)
    const totals = {
      symbol: 'TOTAL',
      current_value: sumOf(rows, (row) => row.current_value),
      pnl: sumOf(rows, ({ pnl }) => pnl),
    }
    const words = { id: 'symbol', record: 'holding', empty: 'No holdings.' } as const
    const view = { rows, ...words, columns: HOLDING_COLUMNS }
    return rows.length > 1 ? { ...view, totals } : view
  },
})

export const holding: NounSpec = { examples: holdingList.examples, verbs: [holdingList] }

const fundList = declared({
  name: 'list',
  summary: 'Shows the funds.',
  examples: ['fund list', 'fund list --json', "fund list --jq '.totalpnl < -100'"],
  columns: FUND_FIELDS,
  calls: 'POST /api/v1/funds',
  record: (answer) => ({ record: fundRecord(answer), fields: FUND_FIELDS, id: 'availablecash' }),
})

export const fund: NounSpec = { examples: fundList.examples, verbs: [fundList] }
