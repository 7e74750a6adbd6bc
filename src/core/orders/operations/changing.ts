import {
  cancelOrderPayload,
  closePositionsPayload,
  modifyOrderPayload,
  wholeAccountPayload,
} from '../change/schema.js'
import { fact, failure, listOf, succeeded } from './alert-lines.js'
import { calls } from './execution.js'
import type { OrderOperation } from './order-operation.js'

/** The most orders that are listed one by one. */
const SHOWN = { cancelled: 5 } as const

/** Requests that change, cancel or close what is there. */
export const CHANGING = {
  modifyorder: {
    act: 'order.modify',
    latencyKind: 'MODIFY',
    queueable: false,
    executes: calls({
      payload: modifyOrderPayload,
      run: ({ changes }, payload, context) => changes.modify(payload, context),
    }),
    blocked:
      'Modify order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to modify orders.',
    lowersRisk: 'by its values',
    failureTopic: 'order.modify_failed',
    inWorkflows: true,
    hasValue: true,
    inTraffic: true,
    alert: {
      title: 'Order Modified',
      lines: (request, response) => [
        fact('Order ID', request.orderid),
        { label: 'Symbol', symbol: request.symbol },
        fact('New Quantity', request.quantity),
        fact('New Price', request.price),
        succeeded(response) ? { text: 'Modification Successful' } : failure(response),
      ],
    },
    failedTitle: 'Order Modification Failed',
  },
  cancelorder: {
    act: 'order.cancel',
    latencyKind: 'CANCEL',
    queueable: false,
    executes: calls({
      payload: cancelOrderPayload,
      run: ({ changes }, payload, context) => changes.cancel(payload, context),
    }),
    blocked:
      'Cancel order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
    lowersRisk: 'always',
    failureTopic: 'order.cancel_failed',
    cancels: true,
    inWorkflows: true,
    inTraffic: true,
    alert: {
      title: 'Order Cancelled',
      lines: (request, response) => [
        fact('Order ID', request.orderid),
        succeeded(response) ? { text: 'Cancellation Successful' } : failure(response),
      ],
    },
    failedTitle: 'Order Cancellation Failed',
  },
  cancelallorder: {
    act: 'order.cancel_all',
    latencyKind: 'CANCEL_ALL',
    queueable: false,
    executes: calls({
      payload: wholeAccountPayload,
      run: ({ changes }, payload, context) => changes.cancelAll(payload, context),
    }),
    blocked:
      'Cancel all orders operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
    lowersRisk: 'always',
    failureTopic: 'order.failed',
    cancels: true,
    inWorkflows: true,
    alert: {
      title: 'All Orders Cancelled',
      lines: (_request, response) => {
        const cancelled = listOf(response.canceled_orders)
        const isShort = cancelled.length > 0 && cancelled.length <= SHOWN.cancelled
        return [
          fact('Cancelled', `${cancelled.length} orders`),
          fact('Failed', `${listOf(response.failed_cancellations).length} orders`),
          ...(isShort ? [fact('Order IDs', cancelled.join(', '))] : []),
        ]
      },
    },
    failedTitle: 'Cancelling All Orders Failed',
  },
  closeposition: {
    act: 'position.close',
    latencyKind: 'CLOSE',
    queueable: false,
    executes: calls({
      payload: closePositionsPayload,
      run: ({ changes }, payload, context) => changes.close(payload, context),
      plan: ({ changes }, payload, context) => changes.planClose(payload, context),
    }),
    blocked:
      'Close position operation is not allowed in Semi-Auto mode. Please switch to Auto mode to close positions.',
    lowersRisk: 'always',
    failureTopic: 'order.failed',
    inWorkflows: true,
    alert: {
      title: 'Position Closed',
      lines: (request, response) => {
        if (request.symbol !== undefined) {
          return [
            { label: 'Symbol', symbol: request.symbol },
            fact('Exchange', request.exchange),
            fact('Product', request.product),
            fact('Order ID', response.orderid),
          ]
        }
        const failed = Number(response.failed_closures ?? 0)
        return [
          ...(response.closed_positions === undefined
            ? []
            : [fact('Closed', `${response.closed_positions} positions`)]),
          failed > 0 ? fact('Failed', `${failed} positions`) : { text: 'All positions closed successfully' },
        ]
      },
    },
    failedTitle: 'Closing Positions Failed',
  },
} as const satisfies Readonly<Record<string, OrderOperation>>
