import {
  basketOrderBody,
  cancelGttBody,
  cancelOrderBody,
  modifyGttBody,
  modifyOrderBody,
  optionsMultiOrderBody,
  optionsOrderBody,
  placeGttBody,
  placeOrderBody,
  smartOrderBody,
  splitOrderBody,
  wholeAccountBody,
} from '../../../core/orders/index.js'
import { keyOnly } from '../../routes/account-views.js'
import { keyed, type Operation } from '../operation.js'
import * as answers from '../responses/orders.js'

const order = keyed('Orders')
const gtt = keyed('Good till triggered')

/** What may end an order besides the rules of the request itself. */
const refusals = [
  'refused',
  'risk_refused',
  'kill_switch',
  'price_stale',
  'conflict',
  'broker_rejected',
  'broker_missing',
  'broker_protocol',
  'outcome_unknown',
  'request_expired',
  'storage_full',
] as const
const changes = ['refused', 'forbidden', 'not_found', ...refusals.slice(4)] as const
const keys = ['Idempotency-Key', 'X-Request-Timeout'] as const

const LINE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'MARKET',
  product: 'MIS',
}
const LIMIT = { ...LINE, pricetype: 'LIMIT', product: 'CNC', price: 700 }
const UNDERLYING = { strategy: 'example', underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '23NOV26' }
const STRATEGY = { strategy: 'example' }
const GTT = {
  ...STRATEGY,
  trigger_type: 'SINGLE',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  pricetype: 'LIMIT',
  price: 700,
  triggerprice_sl: 705,
}

/** Ids in these examples stand for ones that the service gave before. */
export const ORDER_OPERATIONS: readonly Operation[] = [
  order('POST', '/api/v1/placeorder', 'Places one order.', {
    headers: [...keys, 'X-Dry-Run'],
    body: placeOrderBody,
    example: { ...STRATEGY, ...LINE },
    answer: answers.placeOrder,
    errors: refusals,
  }),
  order('POST', '/api/v1/placesmartorder', 'Brings a position to the size that is wanted.', {
    headers: keys,
    body: smartOrderBody,
    example: { ...STRATEGY, ...LINE, position_size: 10 },
    answer: answers.smartOrder,
    errors: refusals,
  }),
  order('POST', '/api/v1/basketorder', 'Places several orders: purchases first, then sales.', {
    headers: keys,
    body: basketOrderBody,
    example: { ...STRATEGY, orders: [LINE, { ...LINE, symbol: 'INFY', quantity: 5 }] },
    answer: answers.basketOrder,
    errors: refusals,
  }),
  order('POST', '/api/v1/splitorder', 'Places a large order in parts.', {
    headers: keys,
    body: splitOrderBody,
    example: { ...STRATEGY, ...LINE, quantity: 25, splitsize: 10 },
    answer: answers.splitOrder,
    errors: refusals,
  }),
  order('POST', '/api/v1/optionsorder', 'Places an order for the option at an offset from the money.', {
    headers: keys,
    body: optionsOrderBody,
    example: {
      ...UNDERLYING,
      offset: 'ATM',
      option_type: 'CE',
      action: 'BUY',
      quantity: 65,
      product: 'NRML',
    },
    answer: answers.optionsOrder,
    errors: ['not_found', ...refusals],
  }),
  order('POST', '/api/v1/optionsmultiorder', 'Places the legs of an option strategy: purchases first.', {
    headers: keys,
    body: optionsMultiOrderBody,
    example: {
      ...UNDERLYING,
      legs: [
        { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65 },
        { offset: 'OTM1', option_type: 'CE', action: 'SELL', quantity: 65 },
      ],
    },
    answer: answers.optionsMultiOrder,
    errors: ['not_found', ...refusals],
  }),
  order('POST', '/api/v1/modifyorder', 'Changes an open order; every field stands anew.', {
    headers: keys,
    body: modifyOrderBody,
    example: { ...STRATEGY, orderid: '26112045901458', ...LIMIT, trigger_price: 0, disclosed_quantity: 0 },
    answer: answers.changedOrder,
    errors: changes,
  }),
  order('POST', '/api/v1/cancelorder', 'Cancels an open order.', {
    headers: keys,
    body: cancelOrderBody,
    example: { ...STRATEGY, orderid: '26112045901458' },
    answer: answers.changedOrder,
    errors: changes,
  }),
  order('POST', '/api/v1/cancelallorder', 'Cancels every open order.', {
    headers: keys,
    body: wholeAccountBody,
    example: STRATEGY,
    answer: answers.cancelledAll,
    errors: changes,
  }),
  order('POST', '/api/v1/closeposition', 'Closes every position at the market.', {
    headers: keys,
    body: wholeAccountBody,
    example: STRATEGY,
    answer: answers.closedAll,
    errors: changes,
  }),
  gtt('POST', '/api/v1/placegttorder', 'Places an order that waits for a price: one trigger, or two (OCO).', {
    headers: keys,
    body: placeGttBody,
    example: GTT,
    answer: answers.placedGtt,
    errors: ['unsupported', ...refusals],
  }),
  gtt('POST', '/api/v1/modifygttorder', 'Changes an active GTT; every field stands anew.', {
    headers: keys,
    body: modifyGttBody,
    example: { ...GTT, trigger_id: 'G00000000001', quantity: 6 },
    answer: answers.changedGtt,
    errors: ['unsupported', ...changes],
  }),
  gtt('POST', '/api/v1/cancelgttorder', 'Cancels an active GTT.', {
    headers: keys,
    body: cancelGttBody,
    example: { ...STRATEGY, trigger_id: 'G00000000001' },
    answer: answers.changedGtt,
    errors: ['unsupported', ...changes],
  }),
  gtt('POST', '/api/v1/gttorderbook', 'Lists the GTTs.', {
    body: keyOnly,
    answer: answers.gttBook,
    errors: ['unsupported', 'broker_rejected'],
  }),
]
