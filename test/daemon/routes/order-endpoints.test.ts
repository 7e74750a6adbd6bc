import { describe, expect, test } from 'vitest'
import { ApiRig, type Mode, ORDER, RESTING, type Reply } from './api-rig.js'

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
  /** Orders that reached the exchange, and rows of the journal. */
  ledger?: number
  journal?: number
  topics?: readonly string[]
}

interface Endpoint {
  path: string
  body: Record<string, unknown>
  /** Makes what the request is about; what it returns goes into the body. */
  before?(rig: ApiRig): Promise<Record<string, unknown>>
  live: Expected
  analyze: Expected
  /** With live orders behind approval; `queued` stands for the queued answer under this api_type. */
  semiAuto: Expected | { queued: string }
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

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: 'placesmartorder',
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
    body: OPTION,
    live: {
      status: 200,
      body: {
        status: 'success',
        orderid: ID,
        symbol: 'NIFTY24NOV2626000CE',
        exchange: 'NFO',
        underlying: 'NIFTY',
        underlying_ltp: expect.any(Number),
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
        underlying_ltp: expect.any(Number),
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
    body: {
      strategy: 't',
      underlying: 'NIFTY',
      exchange: 'NSE_INDEX',
      expiry_date: '24NOV26',
      legs: [
        { offset: 'ATM', option_type: 'PE', action: 'SELL', quantity: 65, product: 'NRML' },
        { offset: 'OTM1', option_type: 'CE', action: 'BUY', quantity: 130, product: 'NRML', splitsize: 65 },
        { offset: 'OTM9', option_type: 'CE', action: 'BUY', quantity: 65 },
      ],
    },
    live: {
      status: 200,
      body: {
        status: 'success',
        underlying: 'NIFTY',
        underlying_ltp: expect.any(Number),
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
        underlying_ltp: expect.any(Number),
        results: expect.any(Array),
      },
      topics: ['multiorder.completed'],
    },
    semiAuto: { queued: 'optionsmultiorder' },
  },
  {
    path: 'modifyorder',
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
        data: [{ ...gttRow(), strategy: 't', margin_blocked: expect.any(Number) }],
      },
      topics: [],
    },
    semiAuto: { status: 200, body: { status: 'success', data: [gttRow()] } },
  },
  {
    path: 'openposition',
    before: held,
    body: { strategy: 't', symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    live: { status: 200, body: { status: 'success', quantity: 10 }, topics: [] },
    analyze: { status: 200, body: { status: 'success', quantity: 10, mode: 'analyze' }, topics: [] },
    semiAuto: { status: 200, body: { status: 'success', quantity: 10 } },
  },
  {
    path: 'margin',
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
            pnl: expect.any(Number),
            unrealized_pnl: expect.any(Number),
            today_realized_pnl: 0,
            total_pnl_today: expect.any(Number),
          },
        ],
        total_pnl: expect.any(Number),
        total_unrealized_pnl: expect.any(Number),
        total_today_realized_pnl: 0,
        total_pnl_today: expect.any(Number),
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
    last_price: expect.any(Number),
    legs: [{ action: 'BUY', quantity: 5, price: 690, pricetype: 'LIMIT', product: 'CNC' }],
    created_at: ID,
    updated_at: expect.any(String),
    expires_at: expect.any(String),
  }
}

async function call(endpoint: Endpoint, mode: Mode): Promise<{ rig: ApiRig; reply: Reply }> {
  // What the request is about is made in Auto mode.
  const rig = await ApiRig.open(mode === 'analyze' ? 'analyze' : 'live')
  const made = (await endpoint.before?.(rig)) ?? {}
  await rig.switchTo(mode)
  await rig.topics()
  return { rig, reply: await rig.post(endpoint.path, { ...endpoint.body, ...made }) }
}

async function check({ rig, reply }: { rig: ApiRig; reply: Reply }, expected: Expected): Promise<void> {
  expect(reply.body).toEqual(expected.body)
  expect(reply.status).toBe(expected.status)
  if (expected.topics) expect(await rig.topics()).toEqual(expected.topics)
  if (expected.ledger !== undefined) expect(await rig.ledger()).toHaveLength(expected.ledger)
  if (expected.journal !== undefined) expect(await rig.journal()).toHaveLength(expected.journal)
}

describe.each(ENDPOINTS)('POST /api/v1/$path', (endpoint) => {
  test('live', async () => {
    await check(await call(endpoint, 'live'), endpoint.live)
  })

  test('analyze: nothing reaches the broker', async () => {
    const done = await call(endpoint, 'analyze')
    await check(done, endpoint.analyze)
    expect(await done.rig.ledger()).toEqual([])
  })

  test('semi-auto', async () => {
    const { semiAuto } = endpoint
    const { rig, reply } = await call(endpoint, 'semi_auto')
    if (!('queued' in semiAuto)) {
      await check({ rig, reply }, semiAuto)
      return
    }
    expect(reply).toMatchObject({
      status: 200,
      body: {
        status: 'success',
        message: 'Order queued for approval in Action Center',
        mode: 'semi_auto',
        pending_order_id: expect.any(Number),
      },
    })
    expect(await rig.ledger()).toEqual([])
    expect(await rig.topics()).toEqual(['pending_order_created'])
    const { orders } = await rig.desk.service.approvals.list('asha', { status: 'pending' })
    expect(orders).toMatchObject([{ api_type: semiAuto.queued, strategy: 't' }])
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
})
