import { describe, expect, test } from 'vitest'
import type { Body } from '../../../src/core/flows/index.js'
import { ORDER_CALLS, type OrderCall } from '../../../src/core/orders/index.js'
import { RowsFirst } from '../../../src/core/storage/index.js'
import { BatchStatement } from '../../../src/core/storage/statements/batch.js'
import { flowOrders } from '../../../src/daemon/flows/order-port.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'

const MODES = ['live', 'analyze'] as const
const FAULT = 'An unexpected error occurred'
const STOPPED = 'The kill switch is on: news'
const SBIN = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 }
const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }

interface Call {
  body: Body
  /** The order path's decision while trading is stopped. */
  stopped: 'refused' | 'passes'
  /** Its decision for a user whose orders need approval. */
  semiAuto: 'queued' | 'refused'
  /** The number of orders that reach the exchange. */
  orders: number
}

const opening = (body: Body, orders = 1): Call => ({ body, stopped: 'refused', semiAuto: 'queued', orders })
const ending = (body: Body, orders = 0): Call => ({ body, stopped: 'passes', semiAuto: 'refused', orders })

/** A body for each call. `ORDER` stands for a waiting order; the account holds ten shares of SBIN. */
const CALLS: Readonly<Record<OrderCall, Call>> = {
  placeorder: opening(SBIN),
  placesmartorder: opening({ ...SBIN, position_size: 25 }),
  optionsorder: opening({ ...NIFTY, ...OPTION }),
  optionsmultiorder: opening({ ...NIFTY, legs: [OPTION, { ...OPTION, offset: 'OTM1' }] }, 2),
  basketorder: opening({ orders: [SBIN, { ...SBIN, action: 'SELL' }] }, 2),
  splitorder: opening({ ...SBIN, splitsize: 5 }, 2),
  modifyorder: {
    body: {
      ...SBIN,
      orderid: 'ORDER',
      pricetype: 'LIMIT',
      product: 'MIS',
      price: 701,
      trigger_price: 0,
      disclosed_quantity: 0,
    },
    stopped: 'refused',
    semiAuto: 'refused',
    orders: 0,
  },
  cancelorder: ending({ orderid: 'ORDER' }),
  cancelallorder: ending({}),
  closeposition: ending({}, 1),
}
const ALL = ORDER_CALLS.map((call) => ({ call, ...CALLS[call] }))

/** A service with a position of ten SBIN and a waiting order, and the flow port on it. */
class Account {
  private constructor(
    readonly desk: TestDesk,
    readonly waiting: string,
    readonly before: number,
  ) {}

  static async open(mode: (typeof MODES)[number] = 'live'): Promise<Account> {
    const desk = await TestDesk.open()
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    await desk.place()
    const { body } = await desk.place({ pricetype: 'LIMIT', price: 700 })
    return new Account(desk, String(body.orderid), (await desk.ledger()).length)
  }

  send(call: OrderCall, body: Body, idempotencyKey = 'flow:1:n:1:1', first?: RowsFirst) {
    const port = flowOrders(this.desk.service)
    const named = body.orderid === 'ORDER' ? { ...body, orderid: this.waiting } : body
    const context = { userId: USER, idempotencyKey, ...(first && { first }) }
    return this.desk.settled(port.send(call, { strategy: 'flow', ...named }, context))
  }

  /** Returns the row of a run, to be stored first, and whether it is stored. */
  run(table = 'flow_workflow_executions') {
    const { svc } = this.desk.service.databases
    const statement = new BatchStatement({
      table,
      columns: ['workflow_id', 'started_at', 'trigger', 'version'],
    })
    const first = new RowsFirst(svc, () => [{ statement, rows: [[1, 0, 'webhook', 1]] }])
    return {
      first,
      stored: async () => (await svc.queryRaw('select 1 from flow_workflow_executions')).length,
    }
  }

  /** Returns everything that an order changes: at the exchange, in the sandbox and in the approval queue. */
  async changed() {
    const { account, approvals } = this.desk.service
    return [await this.arrived(), await account.orderbook(USER), approvals.count(USER)]
  }

  /** Returns the orders that the exchange has received since then. */
  async arrived() {
    return (await this.desk.ledger()).slice(this.before)
  }
}

describe.each(ALL)('$call', ({ call, body, stopped, semiAuto, orders }) => {
  test.each(MODES)('goes through the door of its endpoint (%s)', async (mode) => {
    const account = await Account.open(mode)
    expect(await account.send(call, body)).toMatchObject({
      ok: true,
      code: 'ok',
      output: { status: 'success' },
    })
    expect(await account.arrived()).toHaveLength(mode === 'live' ? orders : 0)
    if (mode === 'live') {
      const rows = await account.desk.service.journal.list(USER, 100)
      expect(rows.filter(({ source }) => source === 'flow')).toHaveLength(orders)
    }
  })

  test('is done once under the key of its visit', async () => {
    const account = await Account.open()
    const first = await account.send(call, body)
    expect(await account.send(call, body)).toEqual(first)
    expect(await account.arrived()).toHaveLength(orders)
  })

  test.each([...MODES, 'semi_auto'] as const)(
    'stores the row of its run once, before it (%s)',
    async (mode) => {
      const account = await Account.open(mode === 'analyze' ? 'analyze' : 'live')
      if (mode === 'semi_auto') await account.desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
      const before = await account.changed()
      const lost = account.run('no_such_table')
      expect(await account.send(call, body, 'lost', lost.first)).toMatchObject({
        ok: false,
        code: 'internal',
      })
      await expect(lost.first.settled()).rejects.toThrow('no such table')
      expect(await account.changed()).toEqual(before)

      const { first, stored } = account.run()
      const answer = await account.send(call, body, 'kept', first)
      expect(await account.send(call, body, 'kept', first)).toEqual(answer)
      expect(await stored()).toBe(1)
    },
  )

  test.each(MODES)(
    `${stopped === 'passes' ? 'passes' : 'is refused'} while trading is stopped (%s)`,
    async (mode) => {
      const account = await Account.open(mode)
      await account.desk.service.risk.setKillSwitch(true, 'news', USER)
      const answer = await account.send(call, body)
      if (stopped === 'passes') {
        expect(answer).toMatchObject({ ok: true, code: 'ok', output: { status: 'success' } })
      } else {
        expect(answer).toMatchObject({ ok: false, output: { status: 'error', code: 403, message: STOPPED } })
        expect(await account.arrived()).toEqual([])
      }
    },
  )

  test(`is ${semiAuto} while orders wait for approval`, async () => {
    const account = await Account.open()
    await account.desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const answer = await account.send(call, body)
    expect(answer).toMatchObject(
      semiAuto === 'queued'
        ? {
            ok: true,
            output: { status: 'success', mode: 'semi_auto', pending_order_id: expect.any(Number) },
          }
        : {
            ok: false,
            output: { status: 'error', code: 403, message: expect.stringContaining('Semi-Auto mode') },
          },
    )
    expect(answer.output).not.toHaveProperty('orderid')
    expect(await account.arrived()).toEqual([])
    expect(account.desk.service.approvals.count(USER)).toBe(semiAuto === 'queued' ? 1 : 0)
  })
})

test.each([
  ['a field nobody knows', 'quantitty'],
  ['a credential', 'apikey'],
])('every call refuses %s as an answer', async (_name, field) => {
  const account = await Account.open()
  for (const { call, body } of ALL) {
    expect(await account.send(call, { ...body, [field]: 'x' }, call)).toMatchObject({
      ok: false,
      code: 'validation',
      output: { status: 'error', code: 400, errors: { [field]: [expect.any(String)] } },
    })
  }
  expect(await account.arrived()).toEqual([])
})

describe('the risk gate', () => {
  test.each(ALL.filter(({ stopped }) => stopped === 'refused'))(
    'refuses $call by its rules',
    async ({ call, body }) => {
      const account = await Account.open()
      await account.desk.service.risk.change({ max_order_quantity: 1 }, USER)
      expect(await account.send(call, body)).toMatchObject({ ok: false, output: { code: 403 } })
      expect(await account.arrived()).toEqual([])
    },
  )
})

describe.each(MODES)('closing one position (%s)', (mode) => {
  const held = async ({ desk }: Account) => {
    const { data } = await desk.service.account.positionbook(USER)
    return Array.isArray(data)
      ? data.filter(({ quantity }) => quantity !== 0).map(({ symbol, quantity }) => ({ symbol, quantity }))
      : []
  }

  test('leaves the others as they are', async () => {
    const account = await Account.open(mode)
    await account.desk.place({ symbol: 'INFY', quantity: 3 })
    const body = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }
    expect(await account.send('closeposition', body)).toMatchObject({ ok: true })
    expect(await held(account)).toEqual([{ symbol: 'INFY', quantity: 3 }])
  })

  test.each([
    ['of another product', { symbol: 'SBIN', exchange: 'NSE', product: 'CNC' }],
    ['of another exchange', { symbol: 'SBIN', exchange: 'BSE', product: 'MIS' }],
  ])('%s closes nothing', async (_name, body) => {
    const account = await Account.open(mode)
    expect(await account.send('closeposition', body)).toMatchObject({
      ok: false,
      code: 'not_found',
      output: {
        status: 'error',
        code: 404,
        message: expect.stringMatching(/^No open position found for SBIN/),
      },
    })
    expect(await held(account)).toEqual([{ symbol: 'SBIN', quantity: 10 }])
  })

  test('named by half closes nothing', async () => {
    const account = await Account.open(mode)
    expect(await account.send('closeposition', { exchange: 'NSE' })).toMatchObject({
      ok: false,
      code: 'validation',
    })
    expect(await held(account)).toHaveLength(1)
  })
})

test('legs that buy leave before those that sell', async () => {
  const account = await Account.open()
  const legs = [
    { ...OPTION, action: 'SELL' },
    { ...OPTION, offset: 'OTM1', action: 'BUY', quantity: 130 },
  ]
  const { output, parts } = await account.send('optionsmultiorder', { ...NIFTY, legs })
  expect(parts).toEqual([{ ok: true }, { ok: true }])
  expect(output.results).toMatchObject([
    { leg: 1, action: 'SELL' },
    { leg: 2, action: 'BUY' },
  ])
  expect((await account.arrived()).map(({ quantity }) => quantity)).toEqual([130, 65])
})

test('an order whose outcome is not known answers with the reference that leads to it', async () => {
  const { desk } = await Account.open()
  desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_answer', times: 1 }])
  desk.service.brokers.plugins.faults().dropConnections('orders')
  const context = { userId: USER, idempotencyKey: 'k' }
  expect(
    await flowOrders(desk.service).send('placeorder', { strategy: 'flow', ...SBIN }, context),
  ).toMatchObject({
    ok: false,
    code: 'outcome_unknown',
    orderRef: expect.stringMatching(/^S/),
    output: { status: 'error', code: 504, order_ref: expect.stringMatching(/^S/) },
  })
})

test('a fault of the service is an answer too, and is logged', async () => {
  const logged: unknown[] = []
  const { orders } = (await TestDesk.open()).service
  const broken = {
    ...orders,
    single: Object.assign(Object.create(orders.single), { place: () => Promise.reject(new Error('bug')) }),
  }
  const port = flowOrders({
    orders: broken,
    log: { error: (event, fields) => logged.push({ event, ...fields }) },
  })
  const { underlying_ltp: _, ...body } = payloadOf()
  expect(await port.send('placeorder', body, { userId: USER, idempotencyKey: 'k' })).toEqual({
    ok: false,
    code: 'internal',
    message: FAULT,
    output: { status: 'error', message: FAULT, error: FAULT, code: 500 },
  })
  expect(logged).toMatchObject([{ event: 'flow.order_failed', call: 'placeorder', error: 'bug' }])
})
