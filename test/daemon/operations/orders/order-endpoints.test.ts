import { describe, expect, test } from 'vitest'
import { API_ROUTES, TRADING_ROUTES } from '../../../support/desk/api-routes.js'
import { ApiRig, type Mode, ORDER, RESTING, type Reply } from '../api-rig.js'

const ID = expect.stringMatching(/.+/)
const OPTION = {
  strategy: 't',
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX',
  expiry_date: '24NOV26',
  offset: 'ATM',
  option_type: 'ce',
  action: 'BUY',
  quantity: 65,
  product: 'NRML',
}
const GTT = {
  strategy: 't',
  trigger_type: 'single',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  price: 690,
  triggerprice_sl: 700,
}

interface Expected {
  status: number
  body: Record<string, unknown>
  /** The number of orders that reached the exchange, and of journal rows. */
  ledger?: number
  journal?: number
  topics?: readonly string[]
}

interface Endpoint {
  path: string
  body: Record<string, unknown>
  /** Prepares the state that the request needs; its result is added to the body. */
  before?(rig: ApiRig): Promise<Record<string, unknown>>
  live: Expected
  analyze: Expected
  /**
   * The answer with live orders behind approval; `queued` stands for the queued answer with this api_type.
   */
  semiAuto: Expected | { queued: string }
  /**
   * The name in the logs; without one the request is not logged. In Analyzer mode it goes to the analyzer log
   * by default.
   */
  log?: { as: string; always?: 'orders' }
}

const SEMI = (what: string) => ({ status: 403, body: { status: 'error', message: what } })

async function resting(rig: ApiRig): Promise<{ orderid: string }> {
  const { body } = await rig.post('placeorder', RESTING)
  return { orderid: String(body.orderid) }
}

async function held(rig: ApiRig): Promise<Record<string, unknown>> {
  await rig.post('placeorder', ORDER)
  return {}
}

async function trigger(rig: ApiRig): Promise<{ trigger_id: string }> {
  const { body } = await rig.post('placegttorder', GTT)
  return { trigger_id: String(body.trigger_id) }
}

/** The price of SBIN at this hour; the market moves slightly. */
const PRICE = expect.closeTo(778, -1)
/** Profit or loss since then; {@link expectMoneyToAddUp} names the prices. */
const SMALL = expect.closeTo(0, -2)

/** The order that `held` made, as the sandbox and the broker show it. */
const FILLED = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  trigger_price: 0,
  pricetype: 'MARKET',
  product: 'MIS',
  orderid: ID,
  order_status: 'complete',
  average_price: PRICE,
  filled_quantity: 10,
  pending_quantity: 0,
  timestamp: expect.stringMatching(/^2026-11-20 11:/),
}
const STATISTICS = {
  total_buy_orders: 1,
  total_sell_orders: 0,
  total_completed_orders: 1,
  total_open_orders: 0,
  total_rejected_orders: 0,
}
const POSITION = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  quantity: 10,
  average_price: PRICE,
  ltp: PRICE,
  pnl: SMALL,
}
const TRADE = {
  symbol: 'SBIN',
  exchange: 'NSE',
  product: 'MIS',
  action: 'BUY',
  quantity: 10,
  average_price: PRICE,
  trade_value: expect.closeTo(7780, -2),
  orderid: ID,
}
const MONEY = expect.stringMatching(/^-?\d+\.\d\d$/)

/** The books of the account, which are logged under their own names. */
const BOOKS = ['orderbook', 'tradebook', 'positionbook', 'holdings', 'funds']

/** A read whose live answer does not change while orders wait for approval. */
function read(
  path: string,
  live: Record<string, unknown>,
  analyze: Record<string, unknown>,
  rest: Partial<Endpoint> = {},
): Endpoint {
  const answer = { status: 200, body: { status: 'success', ...live }, topics: [] }
  return {
    path,
    before: held,
    body: {},
    live: answer,
    analyze: { status: 200, body: { status: 'success', mode: 'analyze', ...analyze }, topics: [] },
    semiAuto: answer,
    ...(BOOKS.includes(path) && { log: { as: path } }),
    ...rest,
  }
}

/** The facts that the journal adds to a live order. */
const JOURNALLED = { order_ref: expect.stringMatching(/^\w{18}$/), state: 'filled', strategy: 't' }

const READS: readonly Endpoint[] = [
  read(
    'orderstatus',
    { data: { ...FILLED, price: 0, rejection_reason: '', ...JOURNALLED } },
    { data: { ...FILLED, price: PRICE, strategy: 't', rejection_reason: '' } },
    {
      before: async (rig) => ({ orderid: (await rig.post('placeorder', ORDER)).body.orderid }),
      body: { strategy: 't' },
      log: { as: 'orderstatus' },
    },
  ),
  read(
    'orderbook',
    { data: { orders: [{ ...FILLED, price: 0, rejection_reason: '' }], statistics: STATISTICS } },
    {
      data: {
        orders: [{ ...FILLED, price: PRICE, rejection_reason: '', strategy: 't' }],
        statistics: { ...STATISTICS, total_trigger_pending_orders: 0 },
      },
    },
  ),
  read(
    'tradebook',
    { data: [{ ...TRADE, timestamp: expect.stringMatching(/^11:/) }] },
    {
      data: [
        {
          ...TRADE,
          tradeid: ID,
          price: PRICE,
          strategy: 't',
          timestamp: expect.stringMatching(/^2026-11-20 11:/),
        },
      ],
    },
  ),
  read(
    'positionbook',
    { data: [POSITION] },
    {
      data: [
        {
          ...POSITION,
          pnlpercent: SMALL,
          unrealized_pnl: SMALL,
          today_realized_pnl: 0,
          total_pnl_today: SMALL,
          lot_size: 1,
        },
      ],
      total_pnl: SMALL,
      total_unrealized_pnl: SMALL,
      total_today_realized_pnl: 0,
      total_pnl_today: SMALL,
    },
  ),
  read(
    'holdings',
    {
      data: {
        holdings: [
          { symbol: 'RELIANCE', quantity: 50, price: 1385 },
          { symbol: 'INFY', quantity: 80, price: 1450 },
          { symbol: 'ITC', quantity: 400, price: 402 },
        ].map(({ symbol, quantity, price }) => ({
          symbol,
          exchange: 'NSE',
          product: 'CNC',
          quantity,
          average_price: expect.closeTo(price, -1.5),
          ltp: expect.closeTo(price, -1.5),
          pnl: expect.closeTo(0, -4),
          pnlpercent: expect.closeTo(0, -1),
        })),
        statistics: {
          totalholdingvalue: expect.closeTo(346_000, -4),
          totalinvvalue: expect.closeTo(346_000, -4),
          totalprofitandloss: expect.closeTo(0, -4),
          totalpnlpercentage: expect.closeTo(0, -1),
        },
      },
    },
    {
      data: {
        holdings: [],
        statistics: {
          totalholdingvalue: 0,
          totalinvvalue: 0,
          totalprofitandloss: 0,
          totalpnlpercentage: 0,
        },
      },
    },
  ),
  read(
    'funds',
    {
      data: {
        availablecash: MONEY,
        collateral: MONEY,
        m2munrealized: MONEY,
        m2mrealized: MONEY,
        utiliseddebits: MONEY,
      },
    },
    {
      data: {
        availablecash: expect.closeTo(9_998_444, -1),
        collateral: 0,
        m2munrealized: SMALL,
        m2mrealized: 0,
        total_realized_pnl: 0,
        today_realized_pnl: 0,
        utiliseddebits: expect.closeTo(1556, -1),
        grossexposure: expect.closeTo(7780, -2),
        totalpnl: SMALL,
        last_reset: ID,
        reset_count: 0,
      },
    },
  ),
  {
    ...read('analyzer', { data: { mode: 'live', analyze_mode: false, total_logs: 0 } }, {}),
    analyze: {
      status: 200,
      body: { status: 'success', data: { mode: 'analyze', analyze_mode: true, total_logs: 1 } },
      topics: [],
    },
    log: { as: 'analyzer_status', always: 'orders' },
  },
  {
    ...read('ping', { data: { message: 'pong', broker: 'simulated' } }, {}),
    analyze: {
      status: 200,
      body: { status: 'success', data: { message: 'pong', broker: 'simulated' } },
      topics: [],
    },
  },
]

const ENDPOINTS: readonly Endpoint[] = [
  ...READS,
  {
    path: 'placeorder',
    log: { as: 'placeorder' },
    body: ORDER,
    live: {
      status: 200,
      body: { status: 'success', orderid: ID },
      ledger: 1,
      journal: 1,
      topics: ['order.placed'],
    },
    analyze: {
      status: 200,
      body: { status: 'success', orderid: ID, mode: 'analyze' },
      topics: ['order.placed'],
    },
    semiAuto: { queued: 'placeorder' },
  },
  {
    path: 'placesmartorder',
    log: { as: 'placesmartorder' },
    body: { ...ORDER, position_size: 25 },
    live: {
      status: 200,
      body: { status: 'success', orderid: ID },
      ledger: 1,
      journal: 1,
      topics: ['order.placed'],
    },
    analyze: {
      status: 200,
      body: { status: 'success', orderid: ID, mode: 'analyze' },
      topics: ['order.placed'],
    },
    semiAuto: { queued: 'smartorder' },
  },
  {
    path: 'basketorder',
    log: { as: 'basketorder' },
    body: {
      strategy: 't',
      orders: [
        { ...ORDER, strategy: undefined, action: 'SELL' },
        { ...RESTING, strategy: undefined },
      ],
    },
    live: {
      status: 200,
      body: {
        status: 'success',
        results: [
          { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', status: 'success', orderid: ID },
          { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', status: 'success', orderid: ID },
        ],
      },
      ledger: 2,
      journal: 2,
      topics: ['basket.completed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        mode: 'analyze',
        results: [
          {
            symbol: 'SBIN',
            exchange: 'NSE',
            product: 'MIS',
            status: 'success',
            orderid: ID,
            batch_order: true,
            is_last_order: false,
          },
          {
            symbol: 'SBIN',
            exchange: 'NSE',
            product: 'MIS',
            status: 'success',
            orderid: ID,
            batch_order: true,
            is_last_order: true,
          },
        ],
      },
      topics: ['basket.completed'],
    },
    semiAuto: { queued: 'basketorder' },
  },
  {
    path: 'splitorder',
    log: { as: 'splitorder' },
    body: { ...ORDER, quantity: 45, splitsize: 20 },
    live: {
      status: 200,
      body: {
        status: 'success',
        total_quantity: 45,
        split_size: 20,
        results: [
          { order_num: 1, quantity: 20, status: 'success', orderid: ID },
          { order_num: 2, quantity: 20, status: 'success', orderid: ID },
          { order_num: 3, quantity: 5, status: 'success', orderid: ID },
        ],
      },
      ledger: 3,
      journal: 3,
      topics: ['split.completed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        total_quantity: 45,
        split_size: 20,
        mode: 'analyze',
        results: expect.any(Array),
      },
      topics: ['split.completed'],
    },
    semiAuto: { queued: 'splitorder' },
  },
  {
    path: 'optionsorder',
    log: { as: 'optionsorder' },
    body: OPTION,
    live: {
      status: 200,
      body: {
        status: 'success',
        orderid: ID,
        symbol: 'NIFTY24NOV2626000CE',
        exchange: 'NFO',
        underlying: 'NIFTY',
        underlying_ltp: expect.closeTo(26_060, -2),
        offset: 'ATM',
        option_type: 'CE',
      },
      ledger: 1,
      journal: 1,
      topics: ['order.placed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        orderid: ID,
        symbol: 'NIFTY24NOV2626000CE',
        exchange: 'NFO',
        underlying: 'NIFTY',
        underlying_ltp: expect.closeTo(26_060, -2),
        offset: 'ATM',
        option_type: 'CE',
        mode: 'analyze',
      },
      topics: ['order.placed'],
    },
    semiAuto: { queued: 'optionsorder' },
  },
  {
    path: 'optionsmultiorder',
    log: { as: 'optionsmultiorder' },
    body: {
      strategy: 't',
      underlying: 'NIFTY',
      exchange: 'NSE_INDEX',
      expiry_date: '24NOV26',
      legs: [
        // An empty expiry is none: that of the request counts.
        { offset: 'ATM', option_type: 'PE', action: 'SELL', quantity: 65, product: 'NRML', expiry_date: '' },
        { offset: 'OTM1', option_type: 'CE', action: 'BUY', quantity: 130, product: 'NRML', splitsize: 65 },
        { offset: 'OTM9', option_type: 'CE', action: 'BUY', quantity: 65 },
      ],
    },
    live: {
      status: 200,
      body: {
        status: 'success',
        underlying: 'NIFTY',
        underlying_ltp: expect.closeTo(26_060, -2),
        results: [
          {
            leg: 1,
            symbol: 'NIFTY24NOV2626000PE',
            exchange: 'NFO',
            product: 'NRML',
            offset: 'ATM',
            option_type: 'PE',
            action: 'SELL',
            status: 'success',
            orderid: ID,
            mode: 'live',
          },
          {
            leg: 2,
            symbol: 'NIFTY24NOV2628000CE',
            exchange: 'NFO',
            product: 'NRML',
            offset: 'OTM1',
            option_type: 'CE',
            action: 'BUY',
            status: 'success',
            mode: 'live',
            total_quantity: 130,
            split_size: 65,
            split_results: [
              { order_num: 1, quantity: 65, status: 'success', orderid: ID },
              { order_num: 2, quantity: 65, status: 'success', orderid: ID },
            ],
          },
          {
            leg: 3,
            offset: 'OTM9',
            option_type: 'CE',
            action: 'BUY',
            status: 'error',
            message: 'Offset OTM9 is out of range for available strikes. Please use a smaller offset.',
          },
        ],
      },
      ledger: 3,
      journal: 3,
      topics: ['multiorder.completed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        mode: 'analyze',
        underlying: 'NIFTY',
        underlying_ltp: expect.closeTo(26_060, -2),
        results: expect.any(Array),
      },
      topics: ['multiorder.completed'],
    },
    semiAuto: { queued: 'optionsmultiorder' },
  },
  {
    path: 'modifyorder',
    log: { as: 'modifyorder' },
    before: resting,
    body: { ...RESTING, product: 'MIS', quantity: 12, price: 701, trigger_price: 0, disclosed_quantity: 0 },
    live: { status: 200, body: { status: 'success', orderid: ID }, ledger: 1, topics: ['order.modified'] },
    analyze: {
      status: 200,
      body: { status: 'success', orderid: ID, message: 'Order modified successfully', mode: 'analyze' },
      topics: ['order.modified'],
    },
    semiAuto: {
      ...SEMI(
        'Modify order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to modify orders.',
      ),
      topics: ['order.modify_failed'],
    },
  },
  {
    path: 'cancelorder',
    log: { as: 'cancelorder' },
    before: resting,
    body: { strategy: 't' },
    live: { status: 200, body: { status: 'success', orderid: ID }, ledger: 1, topics: ['order.cancelled'] },
    analyze: {
      status: 200,
      body: { status: 'success', orderid: ID, message: 'Order cancelled successfully', mode: 'analyze' },
      topics: ['order.cancelled'],
    },
    semiAuto: {
      ...SEMI(
        'Cancel order operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
      ),
      topics: ['order.cancel_failed'],
    },
  },
  {
    path: 'cancelallorder',
    log: { as: 'cancelallorder' },
    before: async (rig) => {
      await resting(rig)
      await rig.post('placeorder', { ...ORDER, pricetype: 'SL-M', trigger_price: 900 })
      return {}
    },
    body: { strategy: 't' },
    live: {
      status: 200,
      body: {
        status: 'success',
        message: 'Canceled 2 orders. Failed to cancel 0 orders.',
        canceled_orders: [ID, ID],
        failed_cancellations: [],
      },
      topics: ['orders.all_cancelled'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        message: 'Canceled 2 orders. Failed to cancel 0 orders.',
        canceled_orders: [ID, ID],
        failed_cancellations: [],
        mode: 'analyze',
      },
      topics: ['orders.all_cancelled'],
    },
    semiAuto: {
      ...SEMI(
        'Cancel all orders operation is not allowed in Semi-Auto mode. Please switch to Auto mode to cancel orders.',
      ),
      topics: ['order.failed'],
    },
  },
  {
    path: 'closeposition',
    log: { as: 'closeposition' },
    before: held,
    body: { strategy: 't' },
    live: {
      status: 200,
      body: {
        status: 'success',
        message: 'All Open Positions Squared Off',
        closed_positions: 1,
        failed_closures: 0,
      },
      ledger: 2,
      journal: 2,
      topics: ['position.closed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        message: 'Closed 1 positions',
        closed_positions: 1,
        failed_closures: 0,
        mode: 'analyze',
      },
      topics: ['position.closed'],
    },
    semiAuto: {
      ...SEMI(
        'Close position operation is not allowed in Semi-Auto mode. Please switch to Auto mode to close positions.',
      ),
      topics: ['order.failed'],
    },
  },
  {
    path: 'placegttorder',
    log: { as: 'placegttorder' },
    body: GTT,
    live: {
      status: 200,
      body: { status: 'success', trigger_id: ID },
      ledger: 0,
      journal: 1,
      topics: ['gtt.placed'],
    },
    analyze: {
      status: 200,
      body: { status: 'success', trigger_id: ID, mode: 'analyze' },
      topics: ['gtt.placed'],
    },
    semiAuto: { queued: 'placegttorder' },
  },
  {
    path: 'modifygttorder',
    log: { as: 'modifygttorder' },
    before: trigger,
    body: { ...GTT, quantity: 6 },
    live: { status: 200, body: { status: 'success', trigger_id: ID }, topics: ['gtt.modified'] },
    analyze: {
      status: 200,
      body: { status: 'success', trigger_id: ID, mode: 'analyze' },
      topics: ['gtt.modified'],
    },
    semiAuto: {
      ...SEMI('Modify GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.'),
      topics: ['gtt.modify_failed'],
    },
  },
  {
    path: 'cancelgttorder',
    log: { as: 'cancelgttorder' },
    before: trigger,
    body: { strategy: 't' },
    live: { status: 200, body: { status: 'success', trigger_id: ID }, topics: ['gtt.cancelled'] },
    analyze: {
      status: 200,
      body: { status: 'success', trigger_id: ID, mode: 'analyze' },
      topics: ['gtt.cancelled'],
    },
    semiAuto: {
      ...SEMI('Cancel GTT order is not allowed in Semi-Auto mode. Switch to Auto mode.'),
      topics: ['gtt.cancel_failed'],
    },
  },
  {
    path: 'gttorderbook',
    before: async (rig) => {
      await trigger(rig)
      return {}
    },
    body: {},
    live: { status: 200, body: { status: 'success', data: [gttRow()] }, topics: [] },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        mode: 'analyze',
        data: [{ ...gttRow(), strategy: 't', margin_blocked: 3450 }],
      },
      topics: [],
    },
    semiAuto: { status: 200, body: { status: 'success', data: [gttRow()] } },
  },
  {
    path: 'openposition',
    log: { as: 'openposition' },
    before: held,
    body: { strategy: 't', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    live: { status: 200, body: { status: 'success', quantity: 10 }, topics: [] },
    analyze: { status: 200, body: { status: 'success', quantity: 10, mode: 'analyze' }, topics: [] },
    semiAuto: { status: 200, body: { status: 'success', quantity: 10 } },
  },
  {
    path: 'margin',
    log: { as: 'margin', always: 'orders' },
    body: {
      positions: [
        {
          symbol: 'SBIN',
          exchange: 'NSE',
          action: 'buy',
          product: 'MIS',
          pricetype: 'LIMIT',
          quantity: '10',
          price: '800',
        },
      ],
    },
    live: {
      status: 200,
      body: {
        status: 'success',
        data: { total_margin_required: 1600, span_margin: 0, exposure_margin: 1600 },
      },
      topics: [],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        data: { total_margin_required: 1600, span_margin: 0, exposure_margin: 1600 },
      },
      topics: [],
    },
    semiAuto: {
      status: 200,
      body: {
        status: 'success',
        data: { total_margin_required: 1600, span_margin: 0, exposure_margin: 1600 },
      },
    },
  },
  {
    path: 'analyzer/toggle',
    log: { as: 'analyzer_toggle', always: 'orders' },
    body: { mode: true },
    live: {
      status: 200,
      body: {
        status: 'success',
        data: {
          mode: 'analyze',
          analyze_mode: true,
          total_logs: 0,
          message: 'Analyzer mode switched to analyze',
        },
      },
      topics: ['app_mode_changed'],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        data: {
          mode: 'analyze',
          analyze_mode: true,
          total_logs: 0,
          message: 'Analyzer mode switched to analyze',
        },
      },
      topics: ['app_mode_changed'],
    },
    semiAuto: {
      status: 403,
      body: {
        status: 'error',
        message: expect.stringMatching(/^Operation analyzer\/toggle is not allowed in Semi-Auto mode\./),
      },
      topics: [],
    },
  },
  {
    path: 'pnl/symbols',
    before: held,
    body: {},
    live: {
      status: 400,
      body: { status: 'error', message: 'This endpoint is only available in sandbox/analyzer mode' },
      topics: [],
    },
    analyze: {
      status: 200,
      body: {
        status: 'success',
        mode: 'analyze',
        data: [
          {
            symbol: 'SBIN',
            exchange: 'NSE',
            product: 'MIS',
            quantity: 10,
            pnl: SMALL,
            unrealized_pnl: SMALL,
            today_realized_pnl: 0,
            total_pnl_today: SMALL,
          },
        ],
        total_pnl: SMALL,
        total_unrealized_pnl: SMALL,
        total_today_realized_pnl: 0,
        total_pnl_today: SMALL,
      },
      topics: [],
    },
    semiAuto: { status: 400, body: { status: 'error', message: expect.any(String) } },
  },
]

function gttRow() {
  return {
    trigger_id: ID,
    trigger_type: 'single',
    status: 'active',
    symbol: 'SBIN',
    exchange: 'NSE',
    trigger_prices: [700],
    last_price: PRICE,
    legs: [{ action: 'BUY', quantity: 5, price: 690, pricetype: 'LIMIT', product: 'CNC' }],
    created_at: ID,
    updated_at: expect.any(String),
    expires_at: expect.any(String),
  }
}

interface Done {
  rig: ApiRig
  reply: Reply
  /** The logs before the request. */
  logsBefore: Awaited<ReturnType<ApiRig['logs']>>
}

async function call(endpoint: Endpoint, mode: Mode): Promise<Done> {
  // Auto mode prepares the state that the request needs.
  const rig = await ApiRig.open(mode.endsWith('analyze') ? 'analyze' : 'live')
  const made = (await endpoint.before?.(rig)) ?? {}
  await rig.switchTo(mode)
  await rig.topics()
  const logsBefore = await rig.logs()
  return { rig, reply: await rig.post(endpoint.path, { ...endpoint.body, ...made }), logsBefore }
}

type Amounts = Partial<Record<string, unknown>>

const paise = (amount: number) => Math.round(amount * 100) / 100

/** Checks that the amounts of each row follow from its prices and quantity, and the totals from the rows. */
function expectMoneyToAddUp(body: Amounts): void {
  const rows = [body.data, Object(body.data).holdings].find(Array.isArray) ?? []
  for (const row of rows) {
    const { quantity, average_price: paid, ltp, pnl, trade_value, pnlpercent, unrealized_pnl } = row
    if (trade_value !== undefined) expect(trade_value).toBe(paise(paid * quantity))
    if (pnl !== undefined && ltp !== undefined) expect(pnl).toBe(paise((ltp - paid) * quantity))
    if (pnlpercent !== undefined) expect(pnlpercent).toBe(paise((pnl / (paid * quantity)) * 100))
    if (unrealized_pnl !== undefined) expect(unrealized_pnl).toBe(pnl)
  }
  const sum = (amount: (row: Record<string, number>) => number | undefined) =>
    paise(rows.reduce((total: number, row: Record<string, number>) => total + (amount(row) ?? 0), 0))
  for (const total of ['total_pnl', 'total_unrealized_pnl', 'total_pnl_today']) {
    if (body[total] !== undefined) expect(body[total]).toBe(sum(({ pnl }) => pnl))
  }
  const { statistics, availablecash, utiliseddebits, m2munrealized, totalpnl } = Object(body.data)
  if (statistics?.totalinvvalue !== undefined) {
    const invested = sum(({ average_price = 0, quantity = 0 }) => average_price * quantity)
    const worth = sum(({ ltp = 0, quantity = 0 }) => ltp * quantity)
    expect(statistics).toEqual({
      totalholdingvalue: worth,
      totalinvvalue: invested,
      totalprofitandloss: paise(worth - invested),
      totalpnlpercentage: rows.length === 0 ? 0 : paise(((worth - invested) / invested) * 100),
    })
  }
  if (typeof availablecash === 'number') {
    expect(availablecash + utiliseddebits).toBe(10_000_000)
    expect(totalpnl).toBe(m2munrealized)
  }
}

async function check({ rig, reply }: Done, expected: Expected): Promise<void> {
  expect(reply.body).toEqual(expected.body)
  expectMoneyToAddUp(reply.body)
  expect(reply.status).toBe(expected.status)
  if (expected.topics) expect(await rig.topics()).toEqual(expected.topics)
  if (expected.ledger !== undefined) expect(await rig.ledger()).toHaveLength(expected.ledger)
  if (expected.journal !== undefined) expect(await rig.journal()).toHaveLength(expected.journal)
}

/** Checks that only this request is in its log, without the key. */
async function checkLogs({ rig, logsBefore }: Done, as: string | undefined, where: 'orders' | 'analyzer') {
  const { orders, analyzer } = await rig.logs()
  const added = {
    orders: orders.slice(logsBefore.orders.length),
    analyzer: analyzer.slice(logsBefore.analyzer.length),
  }
  const none = { orders: [], analyzer: [] }
  expect(added).toEqual(as === undefined ? none : { ...none, [where]: [as] })
  for (const mode of ['live', 'analyze'] as const) {
    const rows = await rig.desk.service.orderLogs.list(mode, { limit: 100 })
    expect(JSON.stringify(rows)).not.toContain(rig.apikey)
  }
}

/** Checks that the request waits for approval unchanged, and that nothing else happened. */
async function checkQueued(done: Done, apiType: string): Promise<void> {
  const { rig, reply } = done
  expect(reply).toMatchObject({
    status: 200,
    body: {
      status: 'success',
      message: 'Order queued for approval in Action Center',
      mode: 'semi_auto',
      pending_order_id: 1,
    },
  })
  expect(await rig.ledger()).toEqual([])
  expect(await rig.journal()).toEqual([])
  expect(await rig.topics()).toEqual(['pending_order_created'])
  await checkLogs(done, undefined, 'orders')
  const { orders } = await rig.desk.service.approvals.list('asha', { status: 'pending' })
  expect(orders).toMatchObject([{ api_type: apiType, strategy: 't' }])
}

describe.each(ENDPOINTS)('POST /api/v1/$path', (endpoint) => {
  const { log } = endpoint

  test('live', async () => {
    const done = await call(endpoint, 'live')
    await check(done, endpoint.live)
    await checkLogs(done, log?.as, 'orders')
  })

  test('analyze: nothing reaches the broker', async () => {
    const done = await call(endpoint, 'analyze')
    await check(done, endpoint.analyze)
    expect(await done.rig.ledger()).toEqual([])
    await checkLogs(done, log?.as, log?.always ?? 'analyzer')
  })

  test('semi-auto', async () => {
    const { semiAuto } = endpoint
    const done = await call(endpoint, 'semi_auto')
    if ('queued' in semiAuto) {
      await checkQueued(done, semiAuto.queued)
      return
    }
    await check(done, semiAuto)
    await checkLogs(done, log?.as, 'orders')
  })

  test('semi-auto in Analyzer mode: new orders are queued all the same, the rest works on the sandbox', async () => {
    const { path, semiAuto } = endpoint
    const done = await call(endpoint, 'semi_auto_analyze')
    if ('queued' in semiAuto) {
      await checkQueued(done, semiAuto.queued)
      return
    }
    await check(done, path === 'analyzer/toggle' ? semiAuto : endpoint.analyze)
    expect(await done.rig.ledger()).toEqual([])
    await checkLogs(done, log?.as, log?.always ?? 'analyzer')
  })

  test('an unknown key, an unknown field and a missing key are refused alike', async () => {
    const rig = await ApiRig.open('analyze')
    const made = (await endpoint.before?.(rig)) ?? {}
    const body = { ...endpoint.body, ...made }
    expect(await rig.post(endpoint.path, { ...body, apikey: 'nobody' })).toMatchObject({
      status: 403,
      code: 'invalid_key',
      body: { status: 'error', message: 'Invalid svc apikey' },
    })
    expect(await rig.post(endpoint.path, { ...body, strategi: 1 })).toMatchObject({
      status: 400,
      code: 'validation',
      body: { status: 'error', errors: { strategi: [expect.stringMatching(/^Unknown field\./)] } },
    })
    expect(await rig.send(endpoint.path, body)).toMatchObject({
      status: 400,
      body: { errors: { apikey: ['Missing data for required field.'] } },
    })
  })

  test('a mistyped field with an unknown key: order endpoints report the field, all others the key', async () => {
    const rig = await ApiRig.open('analyze')
    const body = { ...endpoint.body, ...(await endpoint.before?.(rig)), apikey: 'nobody', strategi: 1 }
    const { status, code } = await rig.post(endpoint.path, body)
    const isOrder = TRADING_ROUTES.has(endpoint.path)
    expect([status, code]).toEqual(isOrder ? [400, 'validation'] : [403, 'invalid_key'])
  })
})

test.each([...TRADING_ROUTES])(
  '%s with a field given twice is refused by its name, and nothing is done',
  async (path) => {
    const rig = await ApiRig.open('live')
    const body = API_ROUTES.find((route) => route.path === path)?.body
    const text = JSON.stringify({ apikey: rig.apikey, ...body }).replace(/}$/, ',"strategy":"other"}')
    expect(await rig.sendText(path, text)).toMatchObject({
      status: 400,
      code: 'validation',
      body: {
        message: 'strategy: The field is given more than once.',
        errors: { strategy: ['The field is given more than once.'] },
      },
    })
    expect([await rig.ledger(), await rig.journal()]).toEqual([[], []])
  },
)
