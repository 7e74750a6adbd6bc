import { orderRecords, positionRecords, tradeRecords } from '../../../client/answers/records.js'
import { POSITION_COLUMNS, TRADE_COLUMNS } from '../../../views/orders/books.js'
import { ORDER_COLUMNS } from '../../../views/orders/order.js'
import type { ListView } from '../../../views/table/column.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, STRATEGY } from './find.js'

type Query = Readonly<Record<string, string>>

/** A list of rows that belong to a strategy. */
interface Past<Row extends object>
  extends Pick<CommandSpec, 'name' | 'summary' | 'details' | 'examples'>,
    Pick<ListView<Row>, 'columns' | 'id' | 'empty'> {
  options?: CommandSpec['options']
  read(context: Context, id: string, query: Query): Promise<{ body: { data: Row[] } }>
}

/** The fields of the query by the options of the commands. */
const FIELDS = { run: 'run_id', kind: 'kind', severity: 'severity', limit: 'limit' }

const RUN: OptionSpec = { flags: '--run <id>', summary: 'only this run', complete: 'strategyRuns' }
const limit = (usual: number, most: number): OptionSpec => ({
  flags: '--limit <count>',
  summary: `the most rows to show, up to ${most} (default: ${usual})`,
})

/** Returns the command that lists rows of a strategy. */
function past<Row extends object>({ read, columns, id, empty, ...spec }: Past<Row>): CommandSpec {
  return {
    ...spec,
    columns,
    arguments: [STRATEGY],
    async run(context, input) {
      const strategyId = await findId(context, input.required(0))
      const { body } = await read(context, strategyId, input.fields(FIELDS))
      await context.out.list({ rows: body.data, columns, id, empty })
      return EXIT.done
    },
  }
}

export const runs = past({
  name: 'runs',
  summary: 'Lists the runs of a strategy, newest first.',
  examples: ['strategy runs 1', 'strategy runs 1 --limit 5 --json'],
  options: [limit(100, 500)],
  read: (context, id, query) =>
    context.read('GET /strategy/api/strategies/:id/runs', { params: { id }, query }),
  columns: [
    { key: 'id', kind: 'quantity' },
    { key: 'mode' },
    { key: 'trigger_source', title: 'TRIGGER', leaves: 1 },
    { key: 'started_at', title: 'STARTED', kind: 'time' },
    { key: 'stopped_at', title: 'STOPPED', kind: 'time' },
    { key: 'stop_reason', title: 'REASON' },
    { key: 'reserved_at', title: 'RESERVED', kind: 'time', leaves: 2 },
    { key: 'pnl_realized', title: 'P&L', kind: 'money' },
  ],
  id: 'id',
  empty: 'The strategy has never run.',
})

export const orders = past({
  name: 'orders',
  summary: 'Lists the orders of a strategy, oldest first.',
  examples: ['strategy orders 1', 'strategy orders 1 --run 3'],
  options: [RUN],
  read: (context, id, query) =>
    context.read('GET /strategy/api/strategies/:id/orders', { params: { id }, query }),
  columns: [
    { key: 'id', kind: 'quantity', leaves: 2 },
    { key: 'placed_at', title: 'PLACED', kind: 'time' },
    { key: 'leg_id', title: 'LEG' },
    { key: 'kind' },
    { key: 'action' },
    { key: 'qty', kind: 'quantity' },
    { key: 'symbol' },
    { key: 'status', kind: 'status' },
    { key: 'filled_qty', title: 'FILLED', kind: 'quantity' },
    { key: 'avg_fill_price', title: 'PRICE', kind: 'money' },
    { key: 'reject_reason', title: 'REASON', leaves: 1 },
  ],
  id: 'id',
  empty: 'There are no orders.',
})

export const events = past({
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
  read: (context, id, query) =>
    context.read('GET /strategy/api/strategies/:id/events', { params: { id }, query }),
  columns: [
    { key: 'ts', title: 'TIME', kind: 'time' },
    { key: 'severity', kind: 'status' },
    { key: 'run_id', title: 'RUN', leaves: 1 },
    { key: 'leg_id', title: 'LEG', leaves: 2 },
    { key: 'kind' },
    { key: 'message' },
  ],
  id: 'id',
  empty: 'There are no events.',
})

export const webhookEvents = past({
  name: 'webhook-events',
  summary: 'Lists the newest 200 webhook calls of a strategy.',
  examples: ['strategy webhook-events 1', 'strategy webhook-events 1 --json'],
  read: (context, id) => context.read('GET /strategy/api/strategies/:id/webhook_events', { params: { id } }),
  columns: [
    { key: 'received_at', title: 'TIME', kind: 'time' },
    { key: 'action' },
    { key: 'mode' },
    { key: 'result', kind: 'status' },
    { key: 'ip', title: 'FROM' },
    { key: 'error' },
  ],
  id: 'id',
  empty: 'There were no calls.',
})

const ONE_RUN: OptionSpec = { ...RUN, summary: 'this run (default: the newest)' }
const BOOK_DETAILS =
  'The rows are those that the account shows today: of the broker for a live run, otherwise of the sandbox. The mode of\n' +
  'the service does not matter. Without --run it is the newest run.'

export const orderbook = past({
  name: 'orderbook',
  summary: 'Lists the orders of a run as the order book of today shows them.',
  details: BOOK_DETAILS,
  examples: ['strategy orderbook 1', 'strategy orderbook 1 --run 3 --json'],
  options: [ONE_RUN],
  read: async (context, id, query) => {
    const route = 'GET /strategy/api/strategies/:id/orderbook'
    const { body } = await context.read(route, { params: { id }, query })
    return { body: { data: orderRecords(body) } }
  },
  columns: ORDER_COLUMNS,
  id: 'orderid',
  empty: 'The order book of today has no order of this run.',
})

export const tradebook = past({
  name: 'tradebook',
  summary: 'Lists the trades of a run as the trade book of today shows them.',
  details: BOOK_DETAILS,
  examples: ['strategy tradebook 1', 'strategy tradebook 1 --run 3 -o csv'],
  options: [ONE_RUN],
  read: async (context, id, query) => {
    const route = 'GET /strategy/api/strategies/:id/tradebook'
    const { body } = await context.read(route, { params: { id }, query })
    return { body: { data: tradeRecords(body, context.io.now()) } }
  },
  columns: TRADE_COLUMNS,
  id: 'orderid',
  empty: 'The trade book of today has no trade of this run.',
})

export const positions = past({
  name: 'positions',
  summary: 'Lists the positions of the account in the contracts that a run traded.',
  details: `${BOOK_DETAILS}\nA position may also hold what others traded in the same contract.`,
  examples: ['strategy positions 1', 'strategy positions 1 --run 3 --json'],
  options: [ONE_RUN],
  read: async (context, id, query) => {
    const route = 'GET /strategy/api/strategies/:id/positions'
    const { body } = await context.read(route, { params: { id }, query })
    return { body: { data: positionRecords(body) } }
  },
  columns: POSITION_COLUMNS,
  id: 'symbol',
  empty: 'The account has no position in the contracts of this run.',
})

export const checkpoints = past({
  name: 'checkpoints',
  summary: 'Lists the profit and loss of a run over time, oldest first.',
  examples: ['strategy checkpoints 1', 'strategy checkpoints 1 --run 3 -o csv'],
  options: [ONE_RUN],
  read: async (context, id, query) => {
    const run_id = query.run_id ?? (await newestRun(context, id))
    if (run_id === undefined) return { body: { data: [] } }
    const route = 'GET /strategy/api/strategies/:id/checkpoints'
    return context.read(route, { params: { id }, query: { run_id } })
  },
  columns: [
    { key: 'ts', title: 'TIME', kind: 'time' },
    { key: 'run_id', title: 'RUN', leaves: 1 },
    { key: 'pnl_total', title: 'P&L ₹', kind: 'signed' },
    { key: 'pnl_realized', title: 'REALISED ₹', kind: 'signed', leaves: 5 },
    { key: 'pnl_unrealized', title: 'OPEN ₹', kind: 'signed', leaves: 6 },
    { key: 'pnl_peak', title: 'HIGHEST ₹', kind: 'signed', leaves: 3 },
    { key: 'pnl_trough', title: 'LOWEST ₹', kind: 'signed', leaves: 4 },
    { key: 'lock_floor', title: 'FLOOR ₹', kind: 'signed', leaves: 2 },
  ],
  id: 'id',
  empty: 'There are no checkpoints.',
})

/** Returns the newest run of a strategy; undefined if it has never run. */
async function newestRun(context: Context, id: string): Promise<string | undefined> {
  const query = { limit: '1' }
  const { body } = await context.read('GET /strategy/api/strategies/:id/runs', { params: { id }, query })
  return body.data[0] && String(body.data[0].id)
}
