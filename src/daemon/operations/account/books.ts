import { z } from 'zod'
import { marginPayload } from '../../../core/orders/index.js'
import { PRODUCTS } from '../../../core/orders/schema.js'
import { fields } from '../../../core/validation/index.js'
import { noFields } from '../common/payloads.js'
import { keyed as reads } from '../reads.js'
import { TOOL_STRATEGY } from '../tool-facts.js'
import * as answers from './book-schemas.js'

/** The refusals of operations that ask the broker for the account. */
export const BROKER_REFUSALS = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

const account = reads('Account', 'api')

const orderStatusPayload = z.strictObject({ strategy: fields.text(), orderid: fields.text(100) })
const openPositionPayload = z.strictObject({
  strategy: fields.text(),
  symbol: fields.text(100),
  exchange: fields.text(20),
  product: fields.oneOf(PRODUCTS),
})

const SCOPE = { scope: 'read:account', toolset: 'account' } as const
/** The strategy that the tools of assistants name where the answer does not depend on it. */
const FIXED = { strategy: TOOL_STRATEGY }

/** The books of the account, one order and one position. */
export const BOOK_OPERATIONS = {
  'POST /api/v1/orderbook': account('Lists the orders of today.', {
    body: noFields,
    answer: answers.orderbook,
    errors: BROKER_REFUSALS,
    log: { as: 'orderbook', refusals: true },
    tool: { ...SCOPE, name: 'get_order_book', title: 'List the orders of today' },
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.orderbook(username)),
    }),
  }),
  'POST /api/v1/tradebook': account('Lists the trades of today.', {
    body: noFields,
    answer: answers.tradebook,
    errors: BROKER_REFUSALS,
    log: { as: 'tradebook', refusals: true },
    tool: { ...SCOPE, name: 'get_trade_book', title: 'List the trades of today' },
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.tradebook(username)),
    }),
  }),
  'POST /api/v1/positionbook': account('Lists the positions.', {
    body: noFields,
    answer: answers.positionbook,
    errors: BROKER_REFUSALS,
    log: { as: 'positionbook', refusals: true },
    tool: { ...SCOPE, name: 'get_position_book', title: 'List the positions' },
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.positionbook(username)),
    }),
  }),
  'POST /api/v1/holdings': account('Lists the holdings (delivered shares).', {
    body: noFields,
    answer: answers.holdings,
    errors: BROKER_REFUSALS,
    log: { as: 'holdings', refusals: true },
    tool: { ...SCOPE, name: 'get_holdings', title: 'List the holdings' },
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.holdings(username)),
    }),
  }),
  'POST /api/v1/funds': account('Returns the funds: as text in live mode, as numbers in Analyzer mode.', {
    body: noFields,
    answer: answers.funds,
    errors: BROKER_REFUSALS,
    log: { as: 'funds', refusals: true },
    tool: { ...SCOPE, name: 'get_funds', title: 'Get the funds' },
    run: async ({ account }, _input, { username }) => ({
      status: 'success',
      ...(await account.funds(username)),
    }),
  }),
  'POST /api/v1/orderstatus': account('Returns one order, by its id or its reference in this service.', {
    body: orderStatusPayload,
    example: { strategy: 'example', orderid: '26112045901458' },
    answer: answers.orderStatus,
    errors: ['not_found', ...BROKER_REFUSALS],
    latencyKind: 'STATUS',
    log: { as: 'orderstatus' },
    tool: {
      ...SCOPE,
      name: 'get_order_status',
      title: 'Get an order',
      more: 'Use it with order_ref to find out what became of an order whose outcome is unknown.',
      names: { order_id: 'orderid' },
      fixed: FIXED,
    },
    run: async ({ account }, { body: { orderid } }, { username }) => ({
      status: 'success',
      ...(await account.orderStatus(username, orderid)),
    }),
  }),
  'POST /api/v1/openposition': account('Returns the signed quantity of one position, 0 if there is none.', {
    body: openPositionPayload,
    example: { strategy: 'example', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    answer: answers.openPosition,
    errors: BROKER_REFUSALS,
    latencyKind: 'POSITION',
    log: { as: 'openposition' },
    tool: { ...SCOPE, name: 'get_open_position', title: 'Get the quantity of a position', fixed: FIXED },
    run: async ({ account }, { body }, { username }) => ({
      status: 'success',
      ...(await account.openPosition(username, body)),
    }),
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
    errors: ['refused', 'not_found', 'unsupported', ...BROKER_REFUSALS],
    log: { as: 'margin', into: 'orders' },
    tool: {
      ...SCOPE,
      name: 'calculate_margin',
      title: 'Compute the margin of orders',
      names: { price_type: 'pricetype' },
    },
    run: async ({ margins }, { body: { positions } }, { username }) => ({
      status: 'success',
      data: await margins.estimate(username, positions),
    }),
  }),
}
