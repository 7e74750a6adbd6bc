import { describe, expect, test, vi } from 'vitest'
import type { Body } from '../../../src/core/flows/index.js'
import { ORDER_CALLS, type OrderCall } from '../../../src/core/orders/index.js'
import { flowOrders } from '../../../src/daemon/flows/order-port.js'
import { previewOrders } from '../../../src/daemon/flows/order-preview.js'
import { TestDesk, USER } from '../../support/desk/desk.js'

const MODES = ['live', 'analyze'] as const
const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }
const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }
const CONTRACT = 'NIFTY24NOV2626000CE'
const POSITIVE = expect.toSatisfy((value: unknown) => typeof value === 'number' && value > 0)
const context = { userId: USER, idempotencyKey: 'k' }
const placed = (n: number) => ({ status: 'success', orderid: `dry-run-${n}` })

async function open(mode: (typeof MODES)[number]) {
  const desk = await TestDesk.open()
  if (mode === 'analyze') await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const { orders, log } = desk.service
  const preview = previewOrders({ orders, mode: desk.service.mode, log })
  const ask = (call: OrderCall, body: Body) =>
    desk.settled(preview.send(call, { strategy: 'flow', ...body }, context))
  return { desk, preview, ask }
}

const CALLS: Readonly<Record<OrderCall, { body: Body; shown: Body }>> = {
  placeorder: { body: SBIN, shown: { orderid: 'dry-run-1', checks: expect.any(Array) } },
  placesmartorder: { body: { ...SBIN, position_size: 25 }, shown: { orderid: 'dry-run-1' } },
  optionsorder: {
    body: { ...NIFTY, ...OPTION },
    shown: { orderid: 'dry-run-1', symbol: CONTRACT, exchange: 'NFO', underlying_ltp: POSITIVE },
  },
  optionsmultiorder: {
    body: {
      ...NIFTY,
      legs: [
        { ...OPTION, action: 'SELL' },
        { ...OPTION, offset: 'OTM1' },
        { ...OPTION, offset: 'OTM9' },
      ],
    },
    shown: {
      results: [
        { leg: 1, symbol: CONTRACT, ...placed(1) },
        { leg: 2, symbol: 'NIFTY24NOV2628000CE', ...placed(2) },
        { leg: 3, status: 'error', message: expect.stringContaining('OTM9 is out of range') },
      ],
    },
  },
  basketorder: {
    body: { orders: [{ ...SBIN, action: 'SELL' }, SBIN] },
    shown: { results: [placed(1), placed(2)] },
  },
  splitorder: {
    body: { ...SBIN, splitsize: 4 },
    shown: {
      total_quantity: 10,
      split_size: 4,
      results: [
        { order_num: 1, quantity: 4, ...placed(1) },
        { order_num: 2, quantity: 4, ...placed(2) },
        { order_num: 3, quantity: 2, ...placed(3) },
      ],
    },
  },
  modifyorder: {
    body: {
      ...SBIN,
      orderid: '7',
      pricetype: 'LIMIT',
      product: 'MIS',
      price: 1,
      trigger_price: 0,
      disclosed_quantity: 0,
    },
    shown: { orderid: '7' },
  },
  cancelorder: { body: { orderid: '7' }, shown: { orderid: '7' } },
  cancelallorder: { body: {}, shown: { canceled_orders: [], failed_cancellations: [] } },
  closeposition: {
    body: { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' },
    shown: { message: 'A dry run closes nothing' },
  },
}

describe.each(ORDER_CALLS.map((call) => ({ call, ...CALLS[call] })))(
  'a dry run of $call',
  ({ call, body, shown }) => {
    test.each(MODES)(
      'answers in the shape of its endpoint, and nothing leaves or is written (%s)',
      async (mode) => {
        const { desk, ask } = await open(mode)
        expect(await ask(call, body)).toMatchObject({
          ok: true,
          output: { status: 'success', dry_run: true, request: { strategy: 'flow', ...body }, ...shown },
        })
        expect(await desk.ledger()).toEqual([])
        expect(await desk.service.journal.list(USER, 10)).toEqual([])
        expect(await desk.service.account.orderbook(USER)).toMatchObject({ data: { orders: [] } })
        await desk.service.bus.idle()
        expect(desk.events.filter(({ topic }) => topic.startsWith('order'))).toEqual([])
      },
    )
  },
)

test('a malformed request is refused as in a real run', async () => {
  const { desk, ask } = await open('live')
  for (const call of ORDER_CALLS) {
    const wrong = { strategy: 'flow', ...CALLS[call].body, quantitty: 1 }
    const real = await flowOrders(desk.service).send(call, wrong, { ...context, idempotencyKey: call })
    expect((await ask(call, wrong)).output).toMatchObject({
      message: real.message,
      errors: real.output.errors,
    })
  }
})

test.each<[string, OrderCall, Body]>([
  ['a split into too many', 'splitorder', { ...SBIN, quantity: 1010, splitsize: 10 }],
  ['an option nobody lists', 'optionsorder', { ...NIFTY, ...OPTION, expiry_date: '24NOV27' }],
  ['an order without a symbol', 'placeorder', { ...SBIN, symbol: '' }],
])('%s is refused as it would be', async (_name, call, body) => {
  const { desk, ask } = await open('live')
  const { code, message, output } = await ask(call, body)
  const real = await flowOrders(desk.service).send(call, { strategy: 'flow', ...body }, context)
  const failure = { code: real.code, message: real.message }
  expect({ code, message }).toEqual(failure)
  expect(output).toMatchObject({ status: 'error', code: real.output.code, message, error: message })
})

test("the risk gate's verdict on each order is shown", async () => {
  const { desk, ask } = await open('analyze')
  await desk.service.risk.setKillSwitch(true, 'news', USER)
  const refused = expect.objectContaining({ ok: false, message: 'The kill switch is on: news' })
  const checks = expect.arrayContaining([refused])
  expect((await ask('placeorder', SBIN)).output).toMatchObject({ checks, margin_required: POSITIVE })
  expect((await ask('basketorder', { orders: [SBIN] })).output).toMatchObject({ results: [{ checks }] })
})

const LIMIT_ORDER = {
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 700,
  trigger_price: 0,
  disclosed_quantity: 0,
}
const FUTURE = { symbol: 'NIFTY24NOV26FUT', exchange: 'NFO', product: 'NRML' }
const PRICED = { ...LIMIT_ORDER, ...FUTURE, price: 26_000 }

describe.each(MODES)('the rules of the instrument in a dry run (%s)', (mode) => {
  test.each([
    ['a price off the tick', { ...LIMIT_ORDER, price: 700.03 }, 'tick'],
    ['a part of a lot', { ...PRICED, quantity: 10 }, 'lot size 65'],
    ['a quantity above the freeze', { ...PRICED, quantity: 65_000 }, 'freeze'],
    [
      'a trigger on the wrong side',
      { ...LIMIT_ORDER, pricetype: 'SL-M', price: 0, trigger_price: 100 },
      'rigger',
    ],
  ])('are shown for %s, as of an order and as of a change', async (_name, order, says) => {
    const { ask } = await open(mode)
    const failed = (rule: string) => ({
      ok: true,
      output: {
        checks: expect.arrayContaining([{ rule, ok: false, message: expect.stringContaining(says) }]),
      },
    })
    expect(await ask('placeorder', order)).toMatchObject(failed(mode === 'live' ? 'instrument' : 'sandbox'))
    const change = await ask('modifyorder', { ...order, orderid: '7' })
    expect(change).toMatchObject(failed('instrument'))
    expect(change.output).toMatchObject({ orderid: '7', margin_required: null })
  })

  test('pass for a sound change', async () => {
    const { desk, ask } = await open(mode)
    await desk.service.risk.change({ max_orders_per_day: 1 }, USER)
    const { output } = await ask('modifyorder', { ...LIMIT_ORDER, orderid: '7' })
    expect(output.checks).toContainEqual({ rule: 'instrument', ok: true })
    expect(JSON.stringify(output.checks)).not.toContain('max_orders_per_day')
  })

  test('are shown for each order of a close, and no other rule', async () => {
    const { desk, ask } = await open(mode)
    await desk.settled(desk.place({ symbol: 'SBIN', exchange: 'NSE', quantity: 10, product: 'MIS' }))
    await desk.settled(desk.place({ ...FUTURE, exchange: 'NFO', product: 'NRML', quantity: 130 }))
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    const find = oddLots(desk)
    vi.spyOn(desk.service.instruments.directory, 'find').mockImplementation(find)
    const before = await desk.ledger()
    for (const body of [{}, { ...FUTURE }]) {
      const { output } = await ask('closeposition', body)
      expect(output.results).toContainEqual(
        expect.objectContaining({
          symbol: FUTURE.symbol,
          status: 'success',
          order: expect.objectContaining({ quantity: 130 }),
          checks: [{ rule: 'instrument', ok: false, message: expect.stringContaining('lot size 75') }],
        }),
      )
    }
    const { output } = await ask('closeposition', { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' })
    expect(output.results).toMatchObject([{ symbol: 'SBIN', checks: [{ rule: 'instrument', ok: true }] }])
    expect(await desk.ledger()).toEqual(before)
  })
})

/** The exchange has changed the lot of the future since it was bought. */
function oddLots(desk: TestDesk): TestDesk['service']['instruments']['directory']['find'] {
  const { directory } = desk.service.instruments
  const { find } = directory
  return (symbol, exchange) => {
    const found = find.call(directory, symbol, exchange)
    return found && symbol === FUTURE.symbol ? { ...found, lotSize: 75 } : found
  }
}

test('an order it made up can be asked about, changed and cancelled', async () => {
  const { preview, ask } = await open('live')
  const limit = { ...SBIN, pricetype: 'LIMIT', product: 'CNC', price: 700 }
  const { orderIds = [], output } = await ask('placeorder', limit)
  const orderid = String(output.orderid)
  expect(orderIds).toEqual([orderid])
  const order = { ...limit, trigger_price: 0, orderid, average_price: 0 }
  expect(preview.orderStatus(orderid)?.output).toEqual({
    status: 'success',
    data: { ...order, order_status: 'open' },
  })
  await ask('modifyorder', { ...limit, orderid, price: 690, trigger_price: 0, disclosed_quantity: 0 })
  await ask('cancelorder', { orderid })
  expect(preview.orderStatus(orderid)?.output).toEqual({
    status: 'success',
    data: { ...order, price: 690, order_status: 'cancelled' },
  })
  expect(preview.orderStatus('7')).toBeUndefined()
})
