import {
  basketOrderPayload,
  cancelGttPayload,
  cancelOrderPayload,
  closePositionsPayload,
  modifyGttPayload,
  modifyOrderPayload,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  placeGttPayload,
  placeOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
  wholeAccountPayload,
} from '../../../core/orders/index.js'
import { noFields } from '../common/payloads.js'
import { keyed, keyedChange } from '../running.js'
import * as answers from './answers.js'

const order = keyedChange('Orders', 'order')
const gtt = keyedChange('Good till triggered', 'order')
const gttView = keyed('Good till triggered', 'order')

/** The refusals of an order that do not come from the validation of the request. */
const refusals = [
  'not_found',
  'refused',
  'risk_refused',
  'kill_switch',
  'price_stale',
  'not_received',
  'conflict',
  'broker_rejected',
  'broker_missing',
  'broker_protocol',
  'outcome_unknown',
  'request_expired',
  'storage_full',
] as const
const changes = ['refused', 'forbidden', 'not_found', ...refusals.slice(6)] as const
const keys = ['Idempotency-Key', 'X-Request-Timeout'] as const

const LINE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'MARKET',
  product: 'MIS',
}
const LIMIT = { ...LINE, pricetype: 'LIMIT', product: 'CNC', price: 900 }
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

/** The operations of orders. The ids in their examples stand for ids that the service returned earlier. */
export const ORDER_OPERATIONS = {
  'POST /api/v1/placeorder': order('Places one order.', {
    headers: [...keys, 'X-Dry-Run'],
    body: placeOrderPayload,
    example: { ...STRATEGY, ...LINE },
    answer: answers.placeOrder,
    errors: refusals,
  }),
  'POST /api/v1/placesmartorder': order('Brings a position to a target size.', {
    limit: 'smart',
    headers: keys,
    body: smartOrderPayload,
    example: { ...STRATEGY, ...LINE, quantity: 0, position_size: 10 },
    answer: answers.smartOrder,
    errors: refusals,
  }),
  'POST /api/v1/basketorder': order('Places several orders: buy orders first, then sell orders.', {
    limit: 'api',
    headers: keys,
    body: basketOrderPayload,
    example: { ...STRATEGY, orders: [LINE, { ...LINE, symbol: 'INFY', quantity: 5 }] },
    answer: answers.basketOrder,
    errors: refusals,
  }),
  'POST /api/v1/splitorder': order('Places a large order in parts.', {
    limit: 'api',
    headers: keys,
    body: splitOrderPayload,
    example: { ...STRATEGY, ...LINE, quantity: 25, splitsize: 10 },
    answer: answers.splitOrder,
    errors: refusals,
  }),
  'POST /api/v1/optionsorder': order('Places an order for the option at an offset from the money.', {
    headers: keys,
    body: optionsOrderPayload,
    example: {
      ...UNDERLYING,
      offset: 'ATM',
      option_type: 'CE',
      action: 'BUY',
      quantity: 65,
      product: 'NRML',
    },
    answer: answers.optionsOrder,
    errors: refusals,
  }),
  'POST /api/v1/optionsmultiorder': order('Places the legs of an option strategy: buy legs first.', {
    headers: keys,
    body: optionsMultiOrderPayload,
    example: {
      ...UNDERLYING,
      legs: [
        { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65 },
        { offset: 'OTM1', option_type: 'CE', action: 'SELL', quantity: 65 },
      ],
    },
    answer: answers.optionsMultiOrder,
    errors: refusals,
  }),
  'POST /api/v1/modifyorder': order('Changes an open order; replaces every field.', {
    headers: keys,
    body: modifyOrderPayload,
    example: { ...STRATEGY, orderid: '26112045901458', ...LIMIT, trigger_price: 0, disclosed_quantity: 0 },
    answer: answers.changedOrder,
    errors: changes,
  }),
  'POST /api/v1/cancelorder': order('Cancels an open order.', {
    headers: keys,
    body: cancelOrderPayload,
    example: { ...STRATEGY, orderid: '26112045901458' },
    answer: answers.changedOrder,
    errors: changes,
  }),
  'POST /api/v1/cancelallorder': order('Cancels every open order.', {
    limit: 'api',
    headers: keys,
    body: wholeAccountPayload,
    example: STRATEGY,
    answer: answers.cancelledAll,
    errors: changes,
  }),
  'POST /api/v1/closeposition': order(
    'Closes every position at the market. A success means that an order is placed for all of each of them.',
    {
      limit: 'api',
      headers: keys,
      body: closePositionsPayload,
      example: STRATEGY,
      answer: answers.closedAll,
      errors: changes,
    },
  ),
  'POST /api/v1/placegttorder': gtt(
    'Places a GTT: an order that waits for one trigger price, or for two (OCO).',
    {
      headers: keys,
      body: placeGttPayload,
      example: GTT,
      answer: answers.placedGtt,
      errors: ['unsupported', ...refusals],
    },
  ),
  'POST /api/v1/modifygttorder': gtt('Changes an active GTT; replaces every field.', {
    headers: keys,
    body: modifyGttPayload,
    example: { ...GTT, trigger_id: 'G00000000001', quantity: 6 },
    answer: answers.changedGtt,
    errors: ['unsupported', ...changes],
  }),
  'POST /api/v1/cancelgttorder': gtt('Cancels an active GTT.', {
    headers: keys,
    body: cancelGttPayload,
    example: { ...STRATEGY, trigger_id: 'G00000000001' },
    answer: answers.changedGtt,
    errors: ['unsupported', ...changes],
  }),
  'POST /api/v1/gttorderbook': gttView('Lists the GTTs.', {
    limit: 'api',
    body: noFields,
    answer: answers.gttBook,
    errors: ['unsupported', 'broker_rejected'],
  }),
}
