import {
  basketOrderPayload,
  cancelGttPayload,
  cancelOrderPayload,
  closePositionsPayload,
  modifyGttPayload,
  modifyOrderPayload,
  type OrderPath,
  type OrderResult,
  optionsMultiOrderPayload,
  optionsOrderPayload,
  type PlaceContext,
  placeGttPayload,
  placeOrderPayload,
  smartOrderPayload,
  splitOrderPayload,
  wholeAccountPayload,
} from '../../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../../src/core/orders/multi/basket.js'
import { OPTIONS_MULTI_ORDER, OPTIONS_ORDER } from '../../../../src/core/orders/multi/options.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { SPLIT_ORDER } from '../../../../src/core/orders/multi/split.js'
import type { Chance } from '../../../support/chance/chance.js'
import { FUTURE, SHARE } from './stage.js'

/** A request as a client sends it, and the call that it becomes. */
export interface Request {
  operation: string
  body: object
  send(path: OrderPath, context: PlaceContext): Promise<OrderResult>
}

/** The ids that requests may name: of orders, and of triggers. */
export interface KnownIds {
  orders: readonly string[]
  triggers: readonly string[]
}

export function pick<T>(chance: Chance, from: readonly [T, ...T[]]): T {
  return from[chance.between(0, from.length - 1)] ?? from[0]
}

const TYPES = [
  { pricetype: 'MARKET' },
  { pricetype: 'MARKET' },
  { pricetype: 'LIMIT', price: 90 },
  { pricetype: 'SL', price: 111, trigger_price: 110 },
] as const

function line(chance: Chance) {
  const ref = pick(chance, [SHARE, SHARE, SHARE, FUTURE, { symbol: 'NOPE', exchange: 'NSE' }])
  const quantity = ref === FUTURE ? 75 : pick(chance, [1, 10, 10, 10, 25, 200_000, 6_000_000])
  const { symbol, exchange } = ref
  const action = pick(chance, ['BUY', 'BUY', 'SELL', 'sell'] as const)
  return { symbol, exchange, action, quantity, product: 'MIS', ...pick(chance, TYPES) }
}

/** Returns the payload of an order that every rule about a single order allows. */
export function oneShare() {
  return placeOrderPayload.parse({
    strategy: 't',
    ...SHARE,
    action: 'BUY',
    quantity: 1,
    product: 'MIS',
    pricetype: 'MARKET',
  })
}

export function single(chance: Chance): Request {
  const body = placeOrderPayload.parse({ strategy: pick(chance, ['t', 't', '']), ...line(chance) })
  // What a caller within the service may send, too: only the field rules find it.
  const faulty = chance.between(1, 15) === 1 ? { ...body, symbol: '' } : body
  return { operation: 'placeorder', body, send: ({ single }, context) => single.place(faulty, context) }
}

function smart(chance: Chance): Request {
  const ref = pick(chance, [SHARE, SHARE, FUTURE])
  const body = smartOrderPayload.parse({
    strategy: 't',
    symbol: ref.symbol,
    exchange: ref.exchange,
    action: pick(chance, ['BUY', 'SELL'] as const),
    quantity: pick(chance, [0, 10, 75]),
    position_size: pick(chance, [0, 0, 10, -10, 25, 75, 375, -375]),
    product: 'MIS',
  })
  return {
    operation: 'placesmartorder',
    body,
    send: ({ multi }, context) => multi.submit(SMART_ORDER, body, context),
  }
}

function basket(chance: Chance): Request {
  const orders = Array.from({ length: chance.between(1, 4) }, () => line(chance))
  const body = basketOrderPayload.parse({ strategy: 't', orders })
  const [first] = body.orders
  if (first && chance.between(1, 8) === 1) first.symbol = ''
  return {
    operation: 'basketorder',
    body,
    send: ({ multi }, context) => multi.submit(BASKET_ORDER, body, context),
  }
}

function split(chance: Chance): Request {
  const [quantity, splitsize] = pick(chance, [[30, 10] as const, [25, 10], [20, 10], [10, 10], [1010, 10]])
  const body = splitOrderPayload.parse({ strategy: 't', ...line(chance), quantity, splitsize })
  return {
    operation: 'splitorder',
    body,
    send: ({ multi }, context) => multi.submit(SPLIT_ORDER, body, context),
  }
}

function optionLeg(chance: Chance) {
  return {
    offset: pick(chance, ['ATM', 'ATM', 'OTM1', 'OTM50']),
    option_type: 'CE',
    action: pick(chance, ['BUY', 'SELL'] as const),
    quantity: pick(chance, [75, 150]),
    splitsize: pick(chance, [0, 0, 75]),
  }
}

const UNDERLYING = { strategy: 't', underlying: 'NIFTY', exchange: 'NFO', expiry_date: '30MAR26' }

function option(chance: Chance): Request {
  const body = optionsOrderPayload.parse({ ...UNDERLYING, ...optionLeg(chance) })
  return {
    operation: 'optionsorder',
    body,
    send: ({ multi }, context) => multi.submit(OPTIONS_ORDER, body, context),
  }
}

function options(chance: Chance): Request {
  const legs = Array.from({ length: chance.between(1, 3) }, () => optionLeg(chance))
  const body = optionsMultiOrderPayload.parse({ ...UNDERLYING, legs })
  return {
    operation: 'optionsmultiorder',
    body,
    send: ({ multi }, context) => multi.submit(OPTIONS_MULTI_ORDER, body, context),
  }
}

function trigger(chance: Chance) {
  const oco = { trigger_type: 'OCO', triggerprice_sl: 90, stoploss: 89, triggerprice_tg: 110, target: 111 }
  return {
    strategy: 't',
    exchange: 'NSE',
    symbol: pick(chance, ['SBIN', 'SBIN', 'SBIN', 'NOPE']),
    action: pick(chance, ['BUY', 'SELL'] as const),
    product: 'CNC',
    quantity: pick(chance, [10, 10, 6_000_000]),
    price: 91,
    ...(chance.between(1, 3) === 1 ? oco : { trigger_type: 'SINGLE', triggerprice_sl: 90 }),
  }
}

function gtt(chance: Chance): Request {
  const expires_at = pick(chance, [null, null, null, '2026-03-01', '2026-04-01'])
  const body = placeGttPayload.parse({ ...trigger(chance), expires_at })
  return { operation: 'placegttorder', body, send: ({ gtts }, context) => gtts.place(body, context) }
}

function idIn(chance: Chance, ids: readonly string[]): string {
  return ids[chance.between(0, ids.length)] ?? 'X99'
}

function modifyGtt(chance: Chance, { triggers }: KnownIds): Request {
  const body = modifyGttPayload.parse({ ...trigger(chance), trigger_id: idIn(chance, triggers) })
  return { operation: 'modifygttorder', body, send: ({ gtts }, context) => gtts.modify(body, context) }
}

function cancelGtt(chance: Chance, { triggers }: KnownIds): Request {
  const body = cancelGttPayload.parse({ strategy: 't', trigger_id: idIn(chance, triggers) })
  return { operation: 'cancelgttorder', body, send: ({ gtts }, context) => gtts.cancel(body, context) }
}

function modify(chance: Chance, { orders }: KnownIds): Request {
  const body = modifyOrderPayload.parse({
    strategy: 't',
    orderid: idIn(chance, orders),
    ...SHARE,
    action: 'BUY',
    quantity: pick(chance, [5, 20, 6_000_000]),
    pricetype: 'LIMIT',
    product: 'MIS',
    price: pick(chance, [80, 95]),
    trigger_price: 0,
    disclosed_quantity: 0,
  })
  return { operation: 'modifyorder', body, send: ({ changes }, context) => changes.modify(body, context) }
}

function cancel(chance: Chance, { orders }: KnownIds): Request {
  const orderid = chance.between(1, 10) === 1 ? '' : idIn(chance, orders)
  const body = cancelOrderPayload.parse({ strategy: 't', orderid })
  return { operation: 'cancelorder', body, send: ({ changes }, context) => changes.cancel(body, context) }
}

function cancelAll(): Request {
  const body = wholeAccountPayload.parse({ strategy: 't' })
  return {
    operation: 'cancelallorder',
    body,
    send: ({ changes }, context) => changes.cancelAll(body, context),
  }
}

function close(chance: Chance): Request {
  const named = pick(chance, [{}, {}, { ...SHARE, product: 'MIS' }, { ...FUTURE, product: 'MIS' }])
  const body = closePositionsPayload.parse({ strategy: 't', ...named })
  return { operation: 'closeposition', body, send: ({ changes }, context) => changes.close(body, context) }
}

const KINDS: readonly [(chance: Chance, ids: KnownIds) => Request, number][] = [
  [single, 6],
  [smart, 3],
  [basket, 3],
  [split, 2],
  [option, 1],
  [options, 1],
  [gtt, 3],
  [close, 3],
  [modify, 2],
  [cancel, 2],
  [cancelAll, 1],
  [modifyGtt, 1],
  [cancelGtt, 1],
]
const WEIGHTED = KINDS.flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind))

/** Returns a random request of any kind. */
export function anyRequest(chance: Chance, ids: KnownIds): Request {
  const kind = WEIGHTED[chance.between(0, WEIGHTED.length - 1)] ?? single
  return kind(chance, ids)
}
