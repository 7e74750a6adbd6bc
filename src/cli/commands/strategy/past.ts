import { orderRecords, positionRecords, tradeRecords } from '../../../client/answers/records.js'
import { POSITION_COLUMNS, TRADE_COLUMNS } from '../../../views/orders/books.js'
import { ORDER_COLUMNS } from '../../../views/orders/order.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { STRATEGY, strategyOf } from './find.js'

/** The fields of the query by the options of the commands. */
const FIELDS = { run: 'run_id', kind: 'kind', severity: 'severity', limit: 'limit' }

const RUN: OptionSpec = {
  flags: '--run <id>',
  field: 'run_id',
  summary: 'only this run',
  complete: 'strategyRuns',
}
const limit = (usual: number, most: number): OptionSpec => ({
  flags: '--limit <count>',
  summary: `the most rows to show, up to ${most} (default: ${usual})`,
})

/** Returns the request for the rows of a strategy, with the options that limit them. */
async function rowsRequest(input: Input, context: Context) {
  return { ...(await strategyOf(input, context)), query: input.fields(FIELDS) }
}

const RUN_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'mode' },
  { key: 'trigger_source', title: 'TRIGGER', leaves: 1 },
  { key: 'started_at', title: 'STARTED', kind: 'time' },
  { key: 'stopped_at', title: 'STOPPED', kind: 'time' },
  { key: 'stop_reason', title: 'REASON' },
  { key: 'reserved_at', title: 'RESERVED', kind: 'time', leaves: 2 },
  { key: 'pnl_realized', title: 'P&L', kind: 'money' },
] as const satisfies readonly Column[]

export const runs = declared({
  name: 'runs',
  summary: 'Lists the runs of a strategy, newest first.',
  examples: ['strategy runs 1', 'strategy runs 1 --limit 5 --json'],
  options: [limit(100, 500)],
  arguments: [STRATEGY],
  columns: RUN_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/runs',
  request: rowsRequest,
  list: ({ data }) => ({ rows: data, columns: RUN_COLUMNS, id: 'id', empty: 'The strategy has never run.' }),
})

const RUN_ORDER_COLUMNS = [
  { key: 'id', kind: 'quantity', leaves: 2 },
  { key: 'placed_at', title: 'PLACED', kind: 'time' },
  { key: 'leg_id', title: 'LEG' },
  { key: 'kind' },
  { key: 'action' },
  { key: 'qty', kind: 'quantity' },
  { key: 'symbol' },
  { key: 'status', kind: 'status' },
  { key: 'filled_qty', title: 'FILLED', kind: 'quantity' },
  { key: 'avg_fill_price', title: 'PRICE', kind: 'price' },
  { key: 'reject_reason', title: 'REASON', leaves: 1 },
] as const satisfies readonly Column[]

export const orders = declared({
  name: 'orders',
  summary: 'Lists the orders of a strategy, oldest first.',
  examples: ['strategy orders 1', 'strategy orders 1 --run 3'],
  options: [RUN],
  arguments: [STRATEGY],
  columns: RUN_ORDER_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/orders',
  request: rowsRequest,
  list: ({ data }) => ({ rows: data, columns: RUN_ORDER_COLUMNS, id: 'id', empty: 'There are no orders.' }),
})

const EVENT_COLUMNS = [
  { key: 'ts', title: 'TIME', kind: 'time' },
  { key: 'severity', kind: 'status' },
  { key: 'run_id', title: 'RUN', leaves: 1 },
  { key: 'leg_id', title: 'LEG', leaves: 2 },
  { key: 'kind' },
  { key: 'message' },
] as const satisfies readonly Column[]

export const events = declared({
  name: 'events',
  summary: 'Lists the events of a strategy, newest first.',
  examples: [
    'strategy events 1',
    'strategy events 1 --severity critical',
    'strategy events 1 --kind leg_sl_hit',
  ],
  options: [
    RUN,
    { flags: '--kind <kind>', summary: 'only events of this kind', complete: 'strategyEventKinds' },
    {
      flags: '--severity <severity>',
      summary: 'only events of this severity',
      choices: ['info', 'warn', 'critical'],
    },
    limit(500, 1000),
  ],
  arguments: [STRATEGY],
  columns: EVENT_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/events',
  request: rowsRequest,
  list: ({ data }) => ({ rows: data, columns: EVENT_COLUMNS, id: 'id', empty: 'There are no events.' }),
})

const CALL_COLUMNS = [
  { key: 'received_at', title: 'TIME', kind: 'time' },
  { key: 'action' },
  { key: 'mode' },
  { key: 'result', kind: 'status' },
  { key: 'ip', title: 'FROM' },
  { key: 'error' },
] as const satisfies readonly Column[]

export const webhookEvents = declared({
  name: 'webhook-events',
  summary: 'Lists the newest 200 webhook calls of a strategy.',
  examples: ['strategy webhook-events 1', 'strategy webhook-events 1 --json'],
  arguments: [STRATEGY],
  columns: CALL_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/webhook_events',
  request: strategyOf,
  list: ({ data }) => ({ rows: data, columns: CALL_COLUMNS, id: 'id', empty: 'There were no calls.' }),
})

const ONE_RUN: OptionSpec = { ...RUN, summary: 'this run (default: the newest)' }
const BOOK_DETAILS =
  'The rows are those that the account shows today: of the broker for a live run, otherwise of the sandbox. The mode of\n' +
  'the service does not matter. Without --run it is the newest run.'

export const orderbook = declared({
  name: 'orderbook',
  summary: 'Lists the orders of a run as the order book of today shows them.',
  details: BOOK_DETAILS,
  examples: ['strategy orderbook 1', 'strategy orderbook 1 --run 3 --json'],
  options: [ONE_RUN],
  arguments: [STRATEGY],
  columns: ORDER_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/orderbook',
  request: rowsRequest,
  list: (book) => ({
    rows: orderRecords(book),
    columns: ORDER_COLUMNS,
    id: 'orderid',
    empty: 'The order book of today has no order of this run.',
  }),
})

export const tradebook = declared({
  name: 'tradebook',
  summary: 'Lists the trades of a run as the trade book of today shows them.',
  details: BOOK_DETAILS,
  examples: ['strategy tradebook 1', 'strategy tradebook 1 --run 3 -o csv'],
  options: [ONE_RUN],
  arguments: [STRATEGY],
  columns: TRADE_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/tradebook',
  request: rowsRequest,
  list: (book, { context }) => ({
    rows: tradeRecords(book, context.io.now()),
    columns: TRADE_COLUMNS,
    id: 'orderid',
    empty: 'The trade book of today has no trade of this run.',
  }),
})

export const positions = declared({
  name: 'positions',
  summary: 'Lists the positions of the account in the contracts that a run traded.',
  details: `${BOOK_DETAILS}\nA position may also hold what others traded in the same contract.`,
  examples: ['strategy positions 1', 'strategy positions 1 --run 3 --json'],
  options: [ONE_RUN],
  arguments: [STRATEGY],
  columns: POSITION_COLUMNS,
  calls: 'GET /strategy/api/strategies/:id/positions',
  request: rowsRequest,
  list: (book) => ({
    rows: positionRecords(book),
    columns: POSITION_COLUMNS,
    id: 'symbol',
    empty: 'The account has no position in the contracts of this run.',
  }),
})

const CHECKPOINT_COLUMNS = [
  { key: 'ts', title: 'TIME', kind: 'time' },
  { key: 'run_id', title: 'RUN', leaves: 1 },
  { key: 'pnl_total', title: 'P&L ₹', kind: 'signed' },
  { key: 'pnl_realized', title: 'REALISED ₹', kind: 'signed', leaves: 5 },
  { key: 'pnl_unrealized', title: 'OPEN ₹', kind: 'signed', leaves: 6 },
  { key: 'pnl_peak', title: 'HIGHEST ₹', kind: 'signed', leaves: 3 },
  { key: 'pnl_trough', title: 'LOWEST ₹', kind: 'signed', leaves: 4 },
  { key: 'lock_floor', title: 'FLOOR ₹', kind: 'signed', leaves: 2 },
] as const satisfies readonly Column[]

export const checkpoints: CommandSpec = {
  name: 'checkpoints',
  summary: 'Lists the profit and loss of a run over time, oldest first.',
  examples: ['strategy checkpoints 1', 'strategy checkpoints 1 --run 3 -o csv'],
  arguments: [STRATEGY],
  options: [ONE_RUN],
  columns: CHECKPOINT_COLUMNS,
  async run(context, input) {
    const { params } = await strategyOf(input, context)
    const run_id = input.text('run') ?? (await newestRun(context, params.id))
    const route = 'GET /strategy/api/strategies/:id/checkpoints'
    const rows =
      run_id === undefined ? [] : (await context.read(route, { params, query: { run_id } })).body.data
    await context.out.list({
      rows,
      columns: CHECKPOINT_COLUMNS,
      id: 'id',
      empty: 'There are no checkpoints.',
    })
    return EXIT.done
  },
}

/** Returns the newest run of a strategy; undefined if it has never run. */
async function newestRun(context: Context, id: string): Promise<string | undefined> {
  const query = { limit: '1' }
  const { body } = await context.read('GET /strategy/api/strategies/:id/runs', { params: { id }, query })
  return body.data[0] && String(body.data[0].id)
}
