import { BASKET_ORDER } from '../multi/basket.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from '../multi/options.js'
import { SMART_ORDER } from '../multi/smart.js'
import { SPLIT_ORDER } from '../multi/split.js'
import { placeOrderPayload } from '../schema.js'
import {
  counts,
  fact,
  failure,
  legOutcome,
  listed,
  outcomeOf,
  rowsOf,
  splitOutcome,
  succeeded,
} from './alert-lines.js'
import { becomes, calls, queueable } from './execution.js'
import type { OrderOperation } from './order-operation.js'

/** The number of orders of a request that are listed one by one. */
const SHOWN = { basket: 3, options: 5 } as const

/** Requests that place orders. */
export const PLACING = {
  placeorder: {
    latencyKind: 'PLACE',
    queueable: true,
    executes: queueable(
      'order',
      calls({
        payload: placeOrderPayload,
        run: ({ single }, payload, context) => single.place(payload, context),
        preview: ({ single }, payload, context) => single.preview(payload, context),
        storesFirst: true,
      }),
    ),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    inTraffic: true,
    alert: {
      title: 'Order Placed',
      lines: (request, response) => [
        { label: 'Symbol', symbol: request.symbol },
        fact('Action', request.action),
        fact('Quantity', request.quantity),
        fact('Price Type', request.pricetype),
        fact('Exchange', request.exchange),
        fact('Product', request.product),
        succeeded(response) ? fact('Order ID', response.orderid) : failure(response),
      ],
    },
  },
  placesmartorder: {
    queuedAs: 'smartorder',
    latencyKind: 'SMART',
    queueable: true,
    executes: becomes(SMART_ORDER),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    inTraffic: true,
    alert: {
      title: 'Smart Order Placed',
      lines: (request, response) => [
        { label: 'Symbol', symbol: request.symbol },
        fact('Action', request.action),
        fact('Quantity', request.quantity),
        fact('Position Size', request.position_size),
        fact('Exchange', request.exchange),
        ...(succeeded(response) && response.orderid ? [fact('Order ID', response.orderid)] : []),
      ],
    },
    failedTitle: 'Smart Order Failed',
  },
  basketorder: {
    latencyKind: 'BASKET',
    queueable: true,
    executes: becomes(BASKET_ORDER),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    inTraffic: true,
    alert: {
      title: 'Basket Order Executed',
      lines: (_request, response) => {
        const results = rowsOf(response.results)
        return [
          ...counts('Total Orders', results),
          ...listed(results, SHOWN.basket, (row) => `: ${outcomeOf(row)}`),
        ]
      },
    },
    failedTitle: 'Basket Order Failed',
  },
  splitorder: {
    latencyKind: 'SPLIT',
    queueable: true,
    executes: becomes(SPLIT_ORDER),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    inTraffic: true,
    alert: {
      title: 'Split Order Executed',
      lines: (request, response) => {
        const results = rowsOf(response.results)
        return [
          { label: 'Symbol', symbol: request.symbol },
          fact('Total Quantity', request.quantity),
          fact('Split Size', request.splitsize),
          ...counts('Total Orders', results),
          ...splitOutcome(results),
        ]
      },
    },
    failedTitle: 'Split Order Failed',
  },
  optionsorder: {
    latencyKind: 'OPTIONS',
    queueable: true,
    executes: becomes(OPTIONS_ORDER),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    alert: {
      title: 'Options Order Executed',
      lines: (request, response) => {
        const results = rowsOf(response.results)
        const underlying = fact('Underlying', response.underlying ?? request.underlying)
        if (results.length === 0) {
          return [
            underlying,
            { label: 'Symbol', symbol: response.symbol ?? request.symbol },
            fact('Action', request.action),
            fact('Quantity', request.quantity),
            succeeded(response) ? fact('Order ID', response.orderid) : failure(response),
          ]
        }
        const { symbol } = response
        const rows = results.map((row) => ({ symbol, action: request.action, ...row }))
        return [underlying, ...counts('Total Orders', rows), ...listed(rows, SHOWN.options, legOutcome)]
      },
    },
    failedTitle: 'Options Order Failed',
  },
  optionsmultiorder: {
    latencyKind: 'OPTIONS_MULTI',
    queueable: true,
    executes: becomes(OPTIONS_MULTI_ORDER),
    failureTopic: 'order.failed',
    inWorkflows: true,
    hasValue: true,
    alert: {
      title: 'Options Multi-Order Executed',
      lines: (request, response) => {
        const results = rowsOf(response.results)
        return [
          fact('Underlying', response.underlying ?? request.underlying),
          ...counts('Total Legs', results),
          ...listed(results, results.length, legOutcome),
          fact('Underlying LTP', response.underlying_ltp),
        ]
      },
    },
    failedTitle: 'Options Multi-Order Failed',
  },
} as const satisfies Readonly<Record<string, OrderOperation>>
