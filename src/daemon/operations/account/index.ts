import { z } from 'zod'
import { marginPayload } from '../../../core/orders/index.js'
import { messageOnly } from '../common/answers.js'
import { noFields } from '../common/payloads.js'
import { preferences } from '../market/answers.js'
import { chartPayload } from '../market/payloads.js'
import { keyed } from '../running.js'
import * as answers from './answers.js'
import { deskPayload, openPositionPayload, orderStatusPayload, togglePayload } from './payloads.js'

const account = keyed('Account', 'api')
const chart = keyed('Messages', 'data')
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

const book = <Answer extends z.ZodType>(loggedAs: string, summary: string, answer: Answer) =>
  account(summary, { body: noFields, answer, errors: broker, loggedAs })

export const ACCOUNT_OPERATIONS = {
  'POST /api/v1/orderbook': book('orderbook', 'Lists the orders of today.', answers.orderbook),
  'POST /api/v1/tradebook': book('tradebook', 'Lists the trades of today.', answers.tradebook),
  'POST /api/v1/positionbook': book('positionbook', 'Lists the positions.', answers.positionbook),
  'POST /api/v1/holdings': book('holdings', 'Lists the holdings (delivered shares).', answers.holdings),
  'POST /api/v1/funds': book(
    'funds',
    'Returns the funds: as text in live mode, as numbers in Analyzer mode.',
    answers.funds,
  ),
  'POST /api/v1/orderstatus': account('Returns one order, by its id or its reference in this service.', {
    body: orderStatusPayload,
    example: { strategy: 'example', orderid: '26112045901458' },
    answer: answers.orderStatus,
    errors: ['not_found', ...broker],
  }),
  'POST /api/v1/openposition': account('Returns the signed quantity of one position, 0 if there is none.', {
    body: openPositionPayload,
    example: { strategy: 'example', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    answer: answers.openPosition,
    errors: broker,
  }),
  'POST /api/v1/margin': account('Computes the margin of orders.', {
    body: marginPayload,
    example: {
      positions: [
        {
          symbol: 'SBIN',
          exchange: 'NSE',
          action: 'BUY',
          product: 'MIS',
          pricetype: 'MARKET',
          quantity: '10',
        },
      ],
    },
    answer: answers.margin,
    errors: ['refused', 'not_found', 'unsupported', ...broker],
  }),
  'POST /api/v1/analyzer': account('Returns the mode: live or Analyzer.', {
    body: noFields,
    answer: answers.analyzer,
  }),
  'POST /api/v1/analyzer/toggle': account('Switches the mode. Refused for users in semi-auto mode.', {
    changes: true,
    body: togglePayload,
    example: { mode: true },
    answer: answers.analyzerToggle,
    errors: ['forbidden'],
  }),
  'POST /api/v1/pnl/symbols': account('Returns the profit by symbol, in Analyzer mode only.', {
    body: noFields,
    answer: answers.pnlSymbols,
    errors: ['refused'],
  }),
  'POST /api/v1/desk': account('Returns where orders go now, and the value of a request.', {
    body: deskPayload,
    example: {
      operation: 'placeorder',
      request: { strategy: 'example', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 },
    },
    answer: answers.desk,
  }),
  'POST /api/v1/ping': account('Checks the API key.', { body: noFields, answer: answers.ping }),
  'GET /api/v1/chart': chart('Returns the preferences that clients store here.', {
    query: z.object({}),
    answer: preferences,
  }),
  'POST /api/v1/chart': chart('Stores preferences; null deletes one.', {
    changes: true,
    body: chartPayload,
    example: { theme: 'dark' },
    answer: messageOnly,
  }),
}
