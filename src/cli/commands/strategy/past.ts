import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, STRATEGY } from './find.js'

const RUN = { flags: '--run <id>', summary: 'only this run' }
const LIMIT = { flags: '--limit <count>', summary: 'the most rows to show' }

export const runs: CommandSpec = {
  name: 'runs',
  summary: 'Lists the runs of a strategy, newest first.',
  examples: ['strategy runs 1', 'strategy runs 1 --limit 5 --json'],
  arguments: [STRATEGY],
  options: [LIMIT],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const limit = input.text('limit')
    const query = limit === undefined ? {} : { limit }
    const { body } = await context.read('GET /strategy/api/strategies/:id/runs', { params: { id }, query })
    await context.out.list({
      rows: body.data,
      columns: [
        { key: 'id', kind: 'quantity' },
        { key: 'mode' },
        { key: 'trigger_source', title: 'TRIGGER', leaves: 1 },
        { key: 'started_at', title: 'STARTED', kind: 'time' },
        { key: 'stopped_at', title: 'STOPPED', kind: 'time' },
        { key: 'stop_reason', title: 'REASON' },
        { key: 'pnl_realized', title: 'P&L', kind: 'money' },
      ],
      id: 'id',
      empty: 'The strategy has never run.',
    })
    return EXIT.done
  },
}

export const orders: CommandSpec = {
  name: 'orders',
  summary: 'Lists the orders of a strategy, oldest first.',
  examples: ['strategy orders 1', 'strategy orders 1 --run 3'],
  arguments: [STRATEGY],
  options: [RUN],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const run = input.text('run')
    const query = run === undefined ? {} : { run_id: run }
    const { body } = await context.read('GET /strategy/api/strategies/:id/orders', { params: { id }, query })
    await context.out.list({
      rows: body.data,
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
    return EXIT.done
  },
}

export const events: CommandSpec = {
  name: 'events',
  summary: 'Lists the events of a strategy, newest first.',
  examples: [
    'strategy events 1',
    'strategy events 1 --severity critical',
    'strategy events 1 --kind leg_sl_hit',
  ],
  arguments: [STRATEGY],
  options: [
    RUN,
    { flags: '--kind <kind>', summary: 'only events of this kind' },
    {
      flags: '--severity <severity>',
      summary: 'only events as grave as this',
      choices: ['info', 'warn', 'critical'],
    },
    LIMIT,
  ],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const given = {
      run_id: input.text('run'),
      kind: input.text('kind'),
      severity: input.text('severity'),
      limit: input.text('limit'),
    }
    const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    const { body } = await context.read('GET /strategy/api/strategies/:id/events', { params: { id }, query })
    await context.out.list({
      rows: body.data,
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
    return EXIT.done
  },
}

export const webhookEvents: CommandSpec = {
  name: 'webhook-events',
  summary: 'Lists the newest 200 webhook calls of a strategy.',
  examples: ['strategy webhook-events 1', 'strategy webhook-events 1 --json'],
  arguments: [STRATEGY],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const route = 'GET /strategy/api/strategies/:id/webhook_events'
    const { body } = await context.read(route, { params: { id } })
    await context.out.list({
      rows: body.data,
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
    return EXIT.done
  },
}
