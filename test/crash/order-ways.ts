import { ORDER_NODES } from '../../src/core/flows/nodes/orders/index.js'
import { type ApiRoute, ORDER_ROUTES } from '../support/desk/api-routes.js'
import { chain, createFlow } from '../support/desk/flow-desk.js'
import type { DaemonProcess, Reply } from '../support/process/daemon-process.js'

/** One way to send an order, prepared so that it can be used any number of times. */
export interface Way {
  name: string
  send: () => Promise<Reply>
}

type Body = Readonly<Record<string, unknown>>

/** Delivery orders are possible on every day. */
const SHARE = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, product: 'CNC' }
const RESTING = {
  ...SHARE,
  strategy: 'ways',
  pricetype: 'LIMIT',
  price: 760,
  trigger_price: 0,
  disclosed_quantity: 0,
}
/** The only expiry that the fake broker lists, far in the future, in lots of 75. */
const EXPIRY = '29JAN30'
const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 75, product: 'NRML' }
const NIFTY = { underlying: 'NIFTY', expiryDate: EXPIRY, action: 'BUY', quantity: 1, product: 'NRML' }

/** The fields that a route's body needs to succeed here; a missing route needs none. */
const FITTING: Readonly<Record<string, (waiting: Waiting) => Body>> = {
  placeorder: () => SHARE,
  placesmartorder: () => ({ ...SHARE, position_size: 500 }),
  basketorder: () => ({ orders: [SHARE] }),
  splitorder: () => SHARE,
  optionsorder: () => ({ ...OPTION, expiry_date: EXPIRY }),
  optionsmultiorder: () => ({ legs: [OPTION], expiry_date: EXPIRY }),
  // A larger order: a signed-in person may make one smaller at any time.
  modifyorder: ({ orderid }) => ({ ...RESTING, orderid, quantity: 2 }),
  modifygttorder: ({ trigger_id }) => ({ trigger_id, quantity: 2 }),
}

/** The data that a node needs to send something. */
const NODE_DATA: Readonly<Record<string, (waiting: Waiting) => Body>> = {
  placeOrder: () => SHARE,
  smartOrder: () => ({ ...SHARE, positionSize: 900 }),
  splitOrder: () => ({ ...SHARE, splitSize: 1 }),
  basketOrder: () => ({ orders: 'SBIN,NSE,BUY,1', product: 'CNC' }),
  optionsOrder: () => NIFTY,
  optionsMultiOrder: () => ({ ...NIFTY, strategy: 'straddle' }),
  modifyOrder: ({ orderid }) => ({ orderId: orderid, newPrice: 761 }),
}

/** Places a waiting order and a waiting GTT, for the routes that change them. */
interface Waiting {
  orderid: unknown
  trigger_id: unknown
}

/**
 * Returns every way to send an order by itself in the daemon's current mode: each route of the API that sends
 * or changes one, with and without a key, and each node of a workflow that does.
 */
export async function orderWays(daemon: DaemonProcess): Promise<Way[]> {
  const gtt = ORDER_ROUTES.find(({ path }) => path === 'placegttorder')
  const waiting: Waiting = {
    orderid: (await daemon.place(RESTING)).body.orderid,
    trigger_id: (await daemon.api('placegttorder', gtt?.body)).body.trigger_id ?? '1',
  }
  const nodes = ORDER_NODES.filter(({ effect }) => effect === 'order').map(({ type }) => type)
  return [
    ...ORDER_ROUTES.map((route) => routeWay(daemon, route, waiting)),
    {
      name: 'placeorder under a key',
      send: () => daemon.place({}, { 'idempotency-key': `k${Math.random()}` }),
    },
    ...(await Promise.all(nodes.map((type) => nodeWay(daemon, type, waiting)))),
  ]
}

function routeWay(daemon: DaemonProcess, { path, body }: ApiRoute, waiting: Waiting): Way {
  const fitting = { ...body, ...FITTING[path]?.(waiting) }
  return { name: path, send: () => daemon.api(path, fitting) }
}

async function nodeWay(daemon: DaemonProcess, type: string, waiting: Waiting): Promise<Way> {
  const id = await createFlow(daemon, chain(type, ['start'], [type, { ...NODE_DATA[type]?.(waiting) }]))
  return {
    name: `the node ${type}`,
    send: () => daemon.request('POST', `/flow/api/workflows/${id}/execute`),
  }
}
