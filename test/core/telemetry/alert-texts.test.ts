import { expect, test } from 'vitest'
import { alertText } from '../../../src/core/telemetry/index.js'
import { NOW, orderPlaced } from './fixtures.js'

const OK = { status: 'success' }
const BAD = { status: 'error', message: 'No funds' }
const part = (orderid: string, more: object = {}) => ({
  symbol: 'SBIN',
  action: 'BUY',
  ...OK,
  orderid,
  ...more,
})
const FAILED = { symbol: 'INFY', action: 'SELL', ...BAD }

interface Row {
  type: string
  request?: Record<string, unknown>
  response: Record<string, unknown>
  title: string
  lines: readonly string[]
}

/** The alert of each operation. */
const ALERTS: readonly Row[] = [
  {
    type: 'basketorder',
    response: { ...OK, results: [part('1'), FAILED, part('3'), part('4'), part('5')] },
    title: 'Basket Order Executed',
    lines: [
      ...['Total Orders: 5', 'Successful: 4', 'Failed: 1'],
      ...['[OK] SBIN: 1', '[X] INFY: No funds', '[OK] SBIN: 3', '... and 2 more'],
    ],
  },
  {
    type: 'splitorder',
    request: { symbol: 'SBIN', quantity: 45, splitsize: 20 },
    response: { ...OK, results: [part('1'), part('2'), part('3')] },
    title: 'Split Order Executed',
    lines: [
      'Symbol: SBIN',
      'Total Quantity: 45',
      'Split Size: 20',
      'Total Orders: 3',
      'Successful: 3',
      'Failed: 0',
    ],
  },
  {
    type: 'splitorder',
    request: { symbol: 'SBIN', quantity: 40, splitsize: 20 },
    response: { ...OK, results: [part('1'), BAD] },
    title: 'Split Order Executed',
    lines: [
      ...[
        'Symbol: SBIN',
        'Total Quantity: 40',
        'Split Size: 20',
        'Total Orders: 2',
        'Successful: 1',
        'Failed: 1',
      ],
      ...['Partial fill', 'Reason: No funds'],
    ],
  },
  {
    type: 'splitorder',
    request: { symbol: 'SBIN', quantity: 40, splitsize: 20 },
    response: { ...BAD, results: [BAD, { status: 'error' }] },
    title: 'Split Order Executed',
    lines: [
      ...[
        'Symbol: SBIN',
        'Total Quantity: 40',
        'Split Size: 20',
        'Total Orders: 2',
        'Successful: 0',
        'Failed: 2',
      ],
      ...['All orders rejected', 'Reason: No funds'],
    ],
  },
  {
    type: 'optionsorder',
    request: { underlying: 'NIFTY24NOV26FUT', action: 'BUY', quantity: 65 },
    response: { ...OK, underlying: 'NIFTY', symbol: 'NIFTY24NOV2626000CE', orderid: '7' },
    title: 'Options Order Executed',
    lines: ['Underlying: NIFTY', 'Symbol: NIFTY24NOV2626000CE', 'Action: BUY', 'Quantity: 65', 'Order ID: 7'],
  },
  {
    type: 'optionsorder',
    request: { underlying: 'NIFTY', action: 'BUY', quantity: 130 },
    response: {
      ...OK,
      symbol: 'NIFTY24NOV2626000CE',
      results: Array.from({ length: 6 }, (_, index) => ({ ...OK, orderid: String(index) })),
    },
    title: 'Options Order Executed',
    lines: [
      ...['Underlying: NIFTY', 'Total Orders: 6', 'Successful: 6', 'Failed: 0'],
      ...[0, 1, 2, 3, 4].map((id) => `[OK] NIFTY24NOV2626000CE BUY → ${id}`),
      '... and 1 more',
    ],
  },
  {
    type: 'optionsmultiorder',
    request: { underlying: 'NIFTY' },
    response: {
      ...OK,
      underlying: 'NIFTY',
      underlying_ltp: 26000.5,
      results: [
        part('1'),
        { symbol: 'X', action: 'BUY', ...OK, split_results: [part('2'), part('3')] },
        FAILED,
      ],
    },
    title: 'Options Multi-Order Executed',
    lines: [
      ...['Underlying: NIFTY', 'Total Legs: 3', 'Successful: 2', 'Failed: 1'],
      ...['[OK] SBIN BUY → 1', '[OK] X BUY → 2, 3', '[X] INFY SELL → No funds', 'Underlying LTP: 26000.5'],
    ],
  },
  {
    type: 'modifyorder',
    request: { orderid: '9', symbol: 'SBIN', quantity: 5, price: 700 },
    response: OK,
    title: 'Order Modified',
    lines: ['Order ID: 9', 'Symbol: SBIN', 'New Quantity: 5', 'New Price: 700', 'Modification Successful'],
  },
  {
    type: 'cancelorder',
    request: { orderid: '9' },
    response: OK,
    title: 'Order Cancelled',
    lines: ['Order ID: 9', 'Cancellation Successful'],
  },
  {
    type: 'cancelorder',
    request: { orderid: '9' },
    response: BAD,
    title: 'Order Cancelled',
    lines: ['Order ID: 9', 'Error: No funds'],
  },
  {
    type: 'cancelallorder',
    response: { ...OK, canceled_orders: ['1', '2'], failed_cancellations: [{ orderid: '3' }] },
    title: 'All Orders Cancelled',
    lines: ['Cancelled: 2 orders', 'Failed: 1 orders', 'Order IDs: 1, 2'],
  },
  {
    type: 'cancelallorder',
    response: { ...OK, canceled_orders: ['1', '2', '3', '4', '5', '6'], failed_cancellations: [] },
    title: 'All Orders Cancelled',
    lines: ['Cancelled: 6 orders', 'Failed: 0 orders'],
  },
  {
    type: 'closeposition',
    response: { ...OK, closed_positions: 3, failed_closures: 1 },
    title: 'Position Closed',
    lines: ['Closed: 3 positions', 'Failed: 1 positions'],
  },
  {
    type: 'closeposition',
    response: { ...OK, message: 'No open positions' },
    title: 'Position Closed',
    lines: ['All positions closed successfully'],
  },
  {
    type: 'closeposition',
    request: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    response: { ...OK, orderid: '4' },
    title: 'Position Closed',
    lines: ['Symbol: SBIN', 'Exchange: NSE', 'Product: MIS', 'Order ID: 4'],
  },
  { type: 'placegttorder', response: OK, title: 'Order Update', lines: [] },
]

test.each(ALERTS)('$type: $title $lines', ({ type, request = {}, response, title, lines }) => {
  const event = orderPlaced({ api_type: type, request_data: request, response_data: response })
  expect(alertText('whatsapp', event, Date.parse(NOW)).split('\n')).toEqual([
    `*${title}*`,
    '*LIVE MODE - Real Order*',
    '-'.repeat(21),
    ...lines,
    'Time: 10:00:00',
  ])
})

test('Telegram highlights symbols and escapes Markdown characters', () => {
  const event = orderPlaced({
    api_type: 'basketorder',
    request_data: {},
    response_data: { ...OK, results: [part('A_1'), FAILED] },
  })
  const lines = alertText('telegram', event, Date.parse(NOW)).split('\n')
  expect(lines).toContain('\\[OK] `SBIN`: A\\_1')
  expect(lines).toContain('\\[FAILED] `INFY`: No funds')
})
