import { orderRecords } from '../../../client/records.js'
import type { CommandSpec } from '../../framework/command.js'
import { EXIT } from '../../framework/exit-codes.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'
import { cancel, cancelAll, modify } from './change.js'
import { gtt } from './gtt.js'
import { journal, settle } from './journal.js'
import { margin } from './margin.js'
import { basket, options, optionsMulti, smart, split } from './multi.js'
import { place } from './place.js'
import { ORDER_COLUMNS, showOrder } from './show.js'
import { orderStatus } from './wait.js'

const STATUSES = ['open', 'trigger pending', 'complete', 'cancelled', 'rejected'] as const

const list: CommandSpec = {
  name: 'list',
  summary: 'Lists the orders of the session, newest first.',
  examples: ['order list', 'order list --status open --watch', 'order list -o csv', 'order list -q'],
  options: [
    { flags: '--status <status>', summary: `only ${STATUSES.join(', ')}`, choices: STATUSES },
    { flags: '--symbol <symbol>', summary: 'only this symbol' },
    ...WATCH_OPTIONS,
  ],
  run(context, input) {
    const [status, symbol] = [input.text('status'), input.text('symbol')?.toUpperCase()]
    return watchable(context, input, async () => {
      const rows = orderRecords((await context.apiRead('orderbook')).body).filter(
        (row) =>
          (status === undefined || row.order_status === status) &&
          (symbol === undefined || row.symbol === symbol),
      )
      return { rows, columns: ORDER_COLUMNS, id: 'orderid', empty: 'No orders in this session.' }
    })
  },
}

const status: CommandSpec = {
  name: 'status',
  summary: 'Shows one order, by its id or its reference.',
  examples: ['order status 250408000989443', 'order status 250408000989443 --json'],
  arguments: [
    { syntax: '<order-id>', summary: 'order id, or reference of an order in doubt', complete: 'orders' },
  ],
  options: [{ flags: '--strategy <name>', summary: 'strategy of the order (default: cli)' }],
  async run(context, input) {
    await showOrder(context, await orderStatus(context, input.required(0), input.text('strategy') ?? 'cli'))
    return EXIT.done
  },
}

export const order: CommandSpec = {
  name: 'order',
  summary: 'Places, changes, cancels and follows orders.',
  examples: [
    'order place SBIN NSE BUY 10',
    'order place SBIN NSE BUY 10 --type LIMIT --price 812.5 --wait',
    'order list',
    'order status 250408000989443',
    'order journal --state unknown',
  ],
  verbs: [
    place,
    modify,
    cancel,
    cancelAll,
    list,
    status,
    smart,
    basket,
    split,
    options,
    optionsMulti,
    gtt,
    margin,
    journal,
    settle,
  ],
}
